// Statements that libraries publish on tracing channels, published here the way each library does: one object for all
// messages, through Node's own `tracingChannel`.

import assert from 'node:assert/strict'
import { channel, tracingChannel } from 'node:diagnostics_channel'
import { describe, it } from 'node:test'
import type { DatabaseData } from '../../src/capture/statements.ts'
import type { Profile } from '../../src/profiler/profile.ts'
import { profileOf, startWorking } from '../support/captured.ts'

describe('channelSources', () => {
  it('keeps commands of redis and ioredis: command and key, no value', async () => {
    await using app = await startWorking(async () => {
      const answers: readonly unknown[] = ['Ann', null, 'Cid']
      for (const [index, name] of answers.entries()) {
        await publish('node-redis:command', redis('GET', ['GET', `user:${index}`]), () => name)
      }
      await publish('node-redis:command', redis('SET', ['SET', 'user:9', '?']), () => 'OK')
      await publish('node-redis:batch', { batchMode: 'MULTI', batchSize: 2, database: 0 }, () => [])
      await publish('node-redis:batch', { batchMode: 'PIPELINE', batchSize: 2, database: 0 }, () => [])
      await publish('ioredis:command', redis('lrange', ['list', '0', '-1']), () => ['a', 'b'])
    })
    const { groups, statements, findings } = dataOf(await profileOf(app))
    assert.deepEqual(
      groups.map(({ library, text, count, namespace }) => [library, text, count, namespace]),
      [
        ['redis', 'GET user:?', 3, 'db 0'],
        ['redis', 'SET user:9 ?', 1, 'db 0'],
        ['redis', 'MULTI ?', 1, 'db 0'],
        ['ioredis', 'LRANGE list ?', 1, 'db 0'],
      ],
    )
    assert.deepEqual(
      statements.map(({ rows }) => rows),
      [null, 0, null, null, 0, 2],
    )
    assert.deepEqual(
      findings.map(({ kind, count }) => [kind, count]),
      [['n+1', 3]],
    )
  })

  it('keeps statements of mysql2 without the values it wrote into them', async () => {
    await using app = await startWorking(async () => {
      const message = { query: `SELECT * FROM t WHERE a = "secret"`, values: [], database: 'shop' }
      await publish('mysql2:query', { ...message }, () => [1, 2])
      await publish('mysql2:execute', { query: 'DELETE FROM t WHERE a = ?', values: ['secret'], database: '' }, () => ({
        affectedRows: 7,
      }))
    })
    const profile = await profileOf(app)
    const { groups, statements } = dataOf(profile)
    assert.deepEqual(
      groups.map(({ system, text, namespace }) => [system, text, namespace]),
      [
        ['mysql', 'SELECT * FROM t WHERE a = ?', 'shop'],
        ['mysql', 'DELETE FROM t WHERE a = ?', null],
      ],
    )
    assert.deepEqual(
      statements.map(({ rows }) => rows),
      [2, 7],
    )
    assert.doesNotMatch(JSON.stringify(profile), /secret/)
  })

  it('keeps operations of mongoose with the names of their filter', async () => {
    await using app = await startWorking(async () => {
      const message = { operation: 'find', collection: 'users', database: 'shop', args: { filter: { mail: 'secret' } } }
      await publish('mongoose:query', message, () => [{}])
    })
    const profile = await profileOf(app)
    assert.equal(dataOf(profile).groups[0]?.text, 'users.find({ mail: ? })')
    assert.doesNotMatch(JSON.stringify(profile), /secret/)
  })

  it('keeps why a statement failed', async () => {
    await using app = await startWorking(async () =>
      publish('ioredis:command', redis('get', ['a']), () => {
        throw new Error('WRONGTYPE')
      }),
    )
    const [statement] = dataOf(await profileOf(app)).statements
    assert.equal(statement?.error, 'Error: WRONGTYPE')
  })

  it('makes a note of a message that cannot be read, and disturbs nobody', async () => {
    let answer: unknown
    const hostile = Object.defineProperty({}, 'command', {
      get: () => {
        throw new Error('not to be read')
      },
    })
    await using app = await startWorking(async () => {
      answer = await publish('ioredis:command', hostile, () => 'fine')
    })
    const profile = await profileOf(app)
    assert.equal(answer, 'fine')
    assert.match(JSON.stringify(profile.data['notes']), /collector database.*not to be read/)
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

function redis(command: string, args: readonly string[]): object {
  return { command, args, database: 0, serverAddress: 'localhost', serverPort: 6379 }
}

function dataOf(profile: Profile): DatabaseData {
  return profile.data['database'] as DatabaseData
}
