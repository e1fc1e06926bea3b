// The package `pg` against a real PostgreSQL.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { observePg } from '../../../../../src/capture.ts'
import { Redactor } from '../../../../../src/base/redact/redactor.ts'
import { QueryPlans } from '../../../../../src/observe/outgoing/query-plans.ts'
import { waysOf } from '../../../../../src/libraries/sources/pg.ts'
import {
  capture,
  findingsOf,
  expectCaptured,
  itKeepsApart,
  itTellsRepeats,
} from '../../../../support/captured-queries.ts'
import { startPostgres, type DatabaseServer } from '../../../../support/database-servers.ts'
import { pick } from '../../../../support/pick.ts'

describe('observePg, with the package pg and a real PostgreSQL', () => {
  let server: DatabaseServer
  let pool: pg.Pool

  before(async () => {
    server = await startPostgres()
    pool = observePg(new pg.Pool({ host: server.socket, user: 'test', database: 'postgres', max: 2 }))
    await pool.query('CREATE TABLE users (id int PRIMARY KEY, name text)')
    await pool.query("INSERT INTO users VALUES (1, 'Ann'), (2, 'Bob'), (3, 'Cid')")
  })
  after(async () => {
    await pool.end()
    await server.stop()
  })

  it('keeps text without values, rows, time and the line of the call', async () => {
    const work = async (): Promise<void> => {
      const { rows } = await pool.query("SELECT * FROM users WHERE id < $1 AND name <> 's3cret'", [3])
      assert.equal(rows.length, 2)
      await pool.query({ text: 'UPDATE users SET name = $2 WHERE id = $1', values: [3, 's3cret'] })
      await pool.query('SELECT $$s3cret$$ AS "quoted" -- s3cret')
    }
    await expectCaptured(work, { system: 'postgresql', library: 'pg' }, [
      ['SELECT * FROM users WHERE id < $1 AND name <> ?', 2, /pool\.query\("SELECT/],
      ['UPDATE users SET name = $2 WHERE id = $1', 1, /pool\.query\(\{ text: 'UPDATE/],
      ['SELECT ? AS "quoted"', 1],
    ])
  })

  it('explains queries of a pool without values, runs nothing and leaves nothing behind', async () => {
    const plans = new QueryPlans(new Redactor())
    const ways = waysOf(new WeakRef(pool), pg.Pool.prototype.connect)
    const planOf = async (text: string): Promise<string> => {
      const query = { system: 'postgresql', library: 'pg', text }
      plans.remember(query, ways)
      const plan = await plans.plan(query)
      return 'problem' in plan ? plan.problem : plan.steps.join('\n')
    }
    assert.match(await planOf('SELECT * FROM users WHERE id = $1 AND name <> ?'), /Index Scan .* on users/)
    assert.match(await planOf('SELECT * FROM users'), /^Seq Scan on users/)
    assert.match(await planOf('DELETE FROM users'), /^Delete on users/)
    assert.match(await planOf('DELETE FROM users; COMMIT'), /Only a single/)
    assert.match(await planOf('SELECT * FROM missing WHERE id = ?'), /gave no plan: relation "missing" does not exist/)
    assert.match(await planOf('SELECT pg_sleep(60)'), /^Result/)
    const { rows } = await pool.query('SELECT count(*)::int AS count FROM users')
    assert.deepEqual(rows, [{ count: 3 }])
    const left = await pool.query('SELECT count(*)::int AS count FROM pg_prepared_statements')
    assert.deepEqual(left.rows, [{ count: 0 }])
    const { captured } = await capture(async () => pool.query('SELECT 1'))
    assert.equal(captured.length, 1, 'asking for plans is captured nowhere')
  })

  it('keeps why a statement failed, without the values that the server repeats', async () => {
    const { captured, profile } = await capture(async () => {
      await assert.rejects(pool.query('SELECT * FROM nothing'))
      await assert.rejects(pool.query('INSERT INTO users VALUES ($1, $2)', [1, 's3cret']))
      await assert.rejects(pool.query("SELECT 's3cret'::int"))
    })
    assert.deepEqual(pick(captured, 'error', 'rows'), [
      ['error: relation "nothing" does not exist', null],
      ['error: duplicate key value violates unique constraint "users_pkey"', null],
      ['error: invalid input syntax for type integer: ?', null],
    ])
    assert.doesNotMatch(JSON.stringify(profile), /s3cret/)
  })

  it('keeps a transaction of a lent client, rolled back or not, and a prepared statement', async () => {
    const { captured } = await capture(async () => {
      const client = await pool.connect()
      await client.query('BEGIN')
      await client.query({ name: 'rename', text: 'UPDATE users SET name = $1 WHERE id = $2', values: ['Eve', 2] })
      await client.query({ name: 'rename', text: 'UPDATE users SET name = $1 WHERE id = $2', values: ['Fay', 1] })
      await client.query('ROLLBACK')
      client.release()
      assert.equal(Object.hasOwn(client, 'query'), false)
    })
    assert.deepEqual(pick(captured, 'text', 'rows'), [
      ['BEGIN', null],
      ['UPDATE users SET name = $1 WHERE id = $2', 1],
      ['UPDATE users SET name = $1 WHERE id = $2', 1],
      ['ROLLBACK', null],
    ])
  })

  it('keeps several statements in one text as one', async () => {
    const { captured } = await capture(() => pool.query('SELECT 1; SELECT 2'))
    assert.deepEqual(pick(captured, 'text', 'rows'), [['SELECT ?; SELECT ?', 2]])
  })

  it('keeps calls with a callback, and those of a client that is lent to one', async () => {
    const work = async (): Promise<void> => {
      await new Promise((resolve) => pool.query('SELECT 1', resolve))
      await new Promise<void>((resolve, reject) =>
        pool.connect((error, client, release) => {
          if (client === undefined) reject(error ?? new Error('there is no client'))
          else
            client.query('SELECT 2', [], () => {
              release()
              resolve()
            })
        }),
      )
    }
    await expectCaptured(work, {}, [
      ['SELECT ?', 1],
      ['SELECT ?', 1],
    ])
  })

  it('observes a single client, its queue too', async () => {
    const client = observePg(new pg.Client({ host: server.socket, user: 'test', database: 'postgres' }))
    await client.connect()
    const { captured } = await capture(() => Promise.all([client.query('SELECT 1'), client.query('SELECT now()')]))
    await client.end()
    assert.deepEqual(pick(captured, 'text', 'rows'), [
      ['SELECT ?', 1],
      ['SELECT now()', 1],
    ])
  })

  itTellsRepeats((id) => pool.query('SELECT name FROM users WHERE id = $1', [id]))

  it('finds nothing in statements that only steer', async () => {
    const steering = await capture(async () => {
      for (let round = 0; round < 3; round += 1) await pool.query('BEGIN; COMMIT')
    })
    assert.deepEqual(findingsOf(steering), [])
  })

  itKeepsApart(
    'while they wait for two connections',
    async (who) => {
      await Promise.all(['a', 'b', 'c'].map((round) => pool.query(`SELECT pg_sleep(0.005) AS ${who}_${round}`)))
      const client = await pool.connect()
      await client.query(`SELECT 1 AS ${who}_lent`)
      client.release()
    },
    (who) => [`SELECT ? AS ${who}_lent`, ...['a', 'b', 'c'].map((round) => `SELECT pg_sleep(?) AS ${who}_${round}`)],
  )

  it('keeps a statement that the server broke off', async () => {
    const { captured } = await capture(async () => {
      const client = await pool.connect()
      await client.query('SET statement_timeout = 20')
      await client.query('SELECT pg_sleep(60)').catch(() => undefined)
      client.release(true)
    })
    assert.match(captured[1]?.error ?? '', /canceling statement due to statement timeout/)
  })
})
