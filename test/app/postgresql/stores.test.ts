// The recipe for the lock in PostgreSQL, judged by the public rules on a real server.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import { promisify } from 'node:util'
import pg from 'pg'
import { PostgresLockStore } from '../../../examples/postgresql/lock-store.ts'
import { lockStoreRules } from '../../../src/testing.ts'
import { makeLockState } from '../../contract/lock-store.ts'
import { compiledCode } from '../../support/compiled-code.ts'
import { startPostgres, type DatabaseServer } from '../../support/database-servers.ts'
import { runFile } from '../../support/running-process.ts'
import { until } from '../../support/until.ts'

const unexpected = (error: unknown): void => assert.fail(String(error))
const root = join(import.meta.dirname, '../../..')

describe('examples/postgresql', () => {
  let server: DatabaseServer
  let pool: pg.Pool
  let settings: pg.ClientConfig

  before(async () => {
    server = await startPostgres()
    settings = { connectionString: `postgresql://test@/postgres?host=${server.socket}` }
    pool = new pg.Pool({ ...settings, max: 4 })
    await pool.query(await readFile(join(root, 'examples/postgresql/schema.sql'), 'utf8'))
  })
  after(async () => {
    await pool.end()
    await server.stop()
  })
  beforeEach(() => pool.query('TRUNCATE fanlight_lock'))

  describe('PostgresLockStore', () => {
    let store: PostgresLockStore
    let other: PostgresLockStore
    beforeEach(() => {
      store = new PostgresLockStore(settings)
      other = new PostgresLockStore(settings)
    })
    afterEach(() => Promise.all([store.close(), other.close()]))

    for (const { name, check } of lockStoreRules) it(name, () => check(store, other))

    it('hears of a change by hand, without a notification', async () => {
      const heard: number[] = []
      const stop = store.watch(({ value }) => heard.push(value), unexpected)
      await store.read()
      await pool.query('INSERT INTO fanlight_lock VALUES (1, $1)', [JSON.stringify(makeLockState({ value: 5 }))])
      await until(() => heard.length > 0)
      assert.deepEqual(heard, [5])
      stop()
    })

    it('tells watchers that its connection was cut, and hears of changes again', async () => {
      const heard: number[] = []
      const errors: unknown[] = []
      await store.write(makeLockState({ value: 4 }))
      const stop = store.watch(
        ({ value }) => heard.push(value),
        (error) => errors.push(error),
      )
      await store.read()
      const cut =
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'SELECT state FROM fanlight_lock'"
      await pool.query('ALTER TABLE fanlight_lock RENAME TO away')
      await pool.query(cut)
      await until(() => errors.length > 0)
      assert.deepEqual(heard, [])
      await pool.query('ALTER TABLE away RENAME TO fanlight_lock')
      await other.write(makeLockState({ value: 5 }))
      await until(() => heard.at(-1) === 5)
      assert.deepEqual(heard, [5])
      stop()
    })
  })

  it('app.ts follows the lock that a command of another process sets', async () => {
    const env = { DATABASE_URL: settings.connectionString ?? '', APP_DEBUG: '0' }
    await using app = await runFile('examples/postgresql/app.ts', env)
    const command = async (...words: readonly string[]): Promise<void> => {
      const args = ['src/cli/main.ts', 'run', ...words, '--module', 'examples/postgresql/app.ts']
      const surroundings = { PATH: process.env['PATH'], APP_ENV: 'prod', APP_STORE: 'memory:', ...compiledCode }
      await promisify(execFile)(process.execPath, args, { cwd: root, env: { ...surroundings, ...env } })
    }
    assert.equal((await fetch(app.url)).status, 200)
    await command('lock-on', 'moving house')
    await until(async () => (await fetch(app.url)).status === 503)
    const store = new PostgresLockStore(settings)
    await store.write(makeLockState({ value: 0, changedAt: new Date().toISOString() }))
    await store.close()
    await until(async () => (await fetch(app.url)).status === 200)
    assert.equal(await app.end(), 0)
  })
})
