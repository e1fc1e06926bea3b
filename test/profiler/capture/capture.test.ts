// When calls are captured, and what is left behind.
// Needs its own process: it counts who listens to the channels of the process.

import assert from 'node:assert/strict'
import { channel } from 'node:diagnostics_channel'
import { describe, it } from 'node:test'
import type { HttpClientData } from '../../../src/observe/outgoing/http-client-data.ts'
import { profileOf, startWorking } from '../../support/captured.ts'
import { startEchoService } from '../../support/echo-service.ts'
import { until } from '../../support/until.ts'

const channels = [
  'undici:request:create',
  'undici:client:sendHeaders',
  'undici:request:headers',
  'undici:request:bodyChunkReceived',
  'undici:request:trailers',
  'undici:request:error',
  'http.client.request.created',
  'http.client.request.start',
  'http.client.request.error',
  'http.client.response.finish',
].map((name) => channel(name))

describe('Capture', () => {
  it('listens while an application in debug runs, and stops with it', async () => {
    const app = await startWorking(() => undefined)
    assert.deepEqual(listened(), channels.length)
    await app.app.close()
    assert.deepEqual(listened(), 0)
  })

  it('listens to nothing and sends no trace outside debug', async () => {
    await using service = await startEchoService()
    await using app = await startWorking(async () => (await fetch(`${service.url}/echo`)).text(), {
      env: { APP_ENV: 'prod', APP_ALLOWED_HOSTS: 'localhost' },
    })
    assert.equal(listened(), 0)
    await app.app.inject({})
    assert.equal(service.requests[0]?.headers['traceparent'], undefined)
  })

  it('leaves calls outside a request alone', async () => {
    await using service = await startEchoService()
    await using app = await startWorking(() => undefined)
    await (await fetch(`${service.url}/echo`)).text()
    assert.equal(service.requests[0]?.headers['traceparent'], undefined)
    assert.equal((await profileOf(app)).data['http-client'], undefined)
  })

  it('leaves alone what a request goes on doing after its answer has left', async () => {
    await using service = await startEchoService()
    let goOn = (): void => undefined
    const answered = new Promise<void>((resolve) => (goOn = resolve))
    await using app = await startWorking(() => {
      void answered.then(async () => (await fetch(`${service.url}/echo`)).text())
    })
    const profile = await profileOf(app)
    goOn()
    await until(() => service.requests.length === 1)
    assert.deepEqual([profile.data['http-client'], service.requests[0]?.headers['traceparent']], [undefined, undefined])
  })

  it('keeps a call once where two applications run in one process', async () => {
    await using service = await startEchoService()
    await using app = await startWorking(async () => (await fetch(`${service.url}/echo`)).text())
    await using other = await startWorking(() => undefined)
    const { calls } = (await profileOf(app)).data['http-client'] as HttpClientData
    assert.equal(calls.length, 1)
    assert.equal((await profileOf(other)).data['http-client'], undefined)
  })
})

function listened(): number {
  return channels.filter((one) => one.hasSubscribers).length
}
