// Statements told of by the hooks of libraries: called here with what each library hands over.

import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { describe, it } from 'node:test'
import { observeMongo } from '../../src/capture/sources/mongodb.ts'
import { observePgClient } from '../../src/capture/sources/pg.ts'
import { drizzleLogger, kyselyLog, observeKnex } from '../../src/capture/sources/query-builders.ts'
import type { DatabaseData } from '../../src/capture/statements.ts'
import type { Profile } from '../../src/profiler/profile.ts'
import { profileOf, startWorking } from '../support/captured.ts'

const sql = "SELECT * FROM t WHERE a = $1 AND b = 'secret'"
const text = 'SELECT * FROM t WHERE a = $1 AND b = ?'

describe('observePgClient', () => {
  it('hands a result on that cannot be looked into', async () => {
    const hostile = new Proxy([], {
      get: (_target, name) => {
        if (name === 'then') return undefined
        throw new Error('not to be read')
      },
    })
    class HostileClient {
      query(): unknown {
        return hostile
      }
    }
    const client = observePgClient(new HostileClient())
    let result: unknown
    await using app = await startWorking(() => {
      result = client.query()
    })
    const profile = await profileOf(app)
    assert.equal(result, hostile)
    assert.equal(dataOf(profile).statements[0]?.error, null)
  })
})

describe('kyselyLog', () => {
  it('keeps statements that are over, failed ones too', async () => {
    const log = kyselyLog('postgresql')
    await using app = await startWorking(() => {
      const query = { sql, parameters: ['secret'] }
      log({ level: 'query', query, queryDurationMillis: 0.25 })
      log({ level: 'error', query, queryDurationMillis: 0.25, error: new Error('gone') })
    })
    const { groups, statements } = dataOf(await profileOf(app))
    assert.deepEqual(
      groups.map(({ library, system, text: shown }) => [library, system, shown]),
      [['kysely', 'postgresql', text]],
    )
    assert.deepEqual(
      statements.map(({ error }) => error),
      [null, 'Error: gone'],
    )
    for (const { durationMs } of statements) assert.ok((durationMs ?? 0) > 0)
  })
})

describe('drizzleLogger', () => {
  it('keeps statements, whose end is not known', async () => {
    const logger = drizzleLogger('sqlite')
    await using app = await startWorking(() => logger.logQuery(sql, ['secret']))
    const { groups, statements } = dataOf(await profileOf(app))
    assert.deepEqual([groups[0]?.text, statements[0]?.durationMs], [text, null])
  })
})

describe('observeKnex', () => {
  it('joins a statement with its answer', async () => {
    const knex = observeKnex(new EventEmitter(), 'mysql')
    const query = (id: string): object => ({ __knexQueryUid: id, sql: 'SELECT "secret"', bindings: [] })
    await using app = await startWorking(() => {
      knex.emit('query', query('one'))
      knex.emit('query', query('two'))
      knex.emit('query-error', new Error('gone'), query('two'))
      knex.emit('query-response', [1, 2], query('one'))
    })
    const { groups, statements } = dataOf(await profileOf(app))
    assert.equal(groups[0]?.text, 'SELECT ?')
    assert.deepEqual(
      statements.map(({ rows, error }) => [rows, error]),
      [
        [2, null],
        [null, 'Error: gone'],
      ],
    )
  })
})

describe('observeMongo', () => {
  it('joins a command with its answer', async () => {
    const client = observeMongo(Object.assign(new EventEmitter(), { options: { monitorCommands: true } }))
    await using app = await startWorking(() => {
      const command = { find: 'users', filter: { mail: 'secret' } }
      const started = { databaseName: 'shop', commandName: 'find', command }
      client.emit('commandStarted', { ...started, requestId: 1 })
      client.emit('commandStarted', { ...started, requestId: 2 })
      client.emit('commandStarted', { requestId: 3, databaseName: 'admin', commandName: 'ping', command: { ping: 1 } })
      client.emit('commandSucceeded', { requestId: 1, reply: { cursor: { firstBatch: [1, 2] } } })
      client.emit('commandFailed', { requestId: 2, failure: new Error('gone') })
    })
    const profile = await profileOf(app)
    const { groups, statements } = dataOf(profile)
    assert.deepEqual(
      groups.map(({ text: shown, namespace }) => [shown, namespace]),
      [['users.find({ mail: ? })', 'shop']],
    )
    assert.deepEqual(
      statements.map(({ rows, error }) => [rows, error]),
      [
        [2, null],
        [null, 'Error: gone'],
      ],
    )
    assert.doesNotMatch(JSON.stringify(profile), /secret/)
  })

  it('refuses a client that tells nothing', () => {
    assert.throws(() => observeMongo(new EventEmitter()), /monitorCommands: true/)
  })
})

function dataOf(profile: Profile): DatabaseData {
  return profile.data['database'] as DatabaseData
}
