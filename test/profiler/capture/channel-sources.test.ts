// What listening to channels may not do to those who publish. The libraries themselves: `servers/`, `mongodb.test.ts`.

import assert from 'node:assert/strict'
import { channel, tracingChannel } from 'node:diagnostics_channel'
import { describe, it } from 'node:test'
import { profileOf, startWorking } from '../../support/captured.ts'

describe('channelSources', () => {
  it('makes a note of a message that cannot be read, and disturbs nobody', async () => {
    let answer: unknown
    const hostile = Object.defineProperty({}, 'command', {
      get: () => {
        throw new Error('not to be read: password=hunter2')
      },
    })
    await using app = await startWorking(async () => {
      answer = await publish('ioredis:command', hostile, () => 'fine')
    })
    const profile = await profileOf(app)
    assert.equal(answer, 'fine')
    const notes = JSON.stringify(profile.data['notes'])
    assert.match(notes, /collector database.*not to be read/)
    assert.doesNotMatch(notes, /hunter2/)
  })

  it('stops listening with the application', async () => {
    const start = channel('tracing:node-redis:command:start')
    const app = await startWorking(() => undefined)
    assert.equal(start.hasSubscribers, true)
    await app.app.close()
    assert.equal(start.hasSubscribers, false)
  })
})

async function publish(name: string, message: object, answer: () => unknown): Promise<unknown> {
  return tracingChannel(name).tracePromise(async () => answer(), message)
}
