// Requests that share connections and rows of a real PostgreSQL.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import knexBuilder, { type Knex } from 'knex'
import pg from 'pg'
import { observePg } from '../../../../../src/capture.ts'
import { codeAt } from '../../../../support/captured-queries.ts'
import { startPostgres, type DatabaseServer } from '../../../../support/database-servers.ts'
import { captureHooks } from '../../../../../src/integrations/captures/capture-hooks.ts'
import { installLoadHooks } from '../../../../../src/integrations/registration.ts'
import { notingObserver } from '../../../../support/integration-observer.ts'
import { kindsIn, startTurns, type Step, type Turns } from '../../../../support/taking-turns.ts'

installLoadHooks(captureHooks, [], notingObserver())
const { default: postgres } = await import('postgres')

describe('requests that share a real PostgreSQL', () => {
  let server: DatabaseServer
  let pool: pg.Pool
  let client: pg.Client
  let turns: Turns
  before(async () => {
    server = await startPostgres()
    const settings = { host: server.socket, user: 'test', database: 'postgres' }
    pool = observePg(new pg.Pool({ ...settings, max: 1 }))
    client = observePg(new pg.Client(settings))
    await client.connect()
    await pool.query('CREATE TABLE items (id int PRIMARY KEY, stock int, name text)')
    await pool.query("INSERT INTO items VALUES (1, 10, 'lion'), (2, 10, 'seal')")
    turns = await startTurns()
  })
  after(async () => {
    await turns.close()
    await pool.end()
    await client.end()
    await server.stop()
  })

  const withPool =
    (work: (lent: pg.PoolClient) => Promise<unknown>): Step =>
    async () => {
      const lent = await pool.connect()
      await work(lent)
      lent.release()
    }
  const update = 'UPDATE items SET stock = $1 WHERE id = $2'
  const steps: Readonly<Record<string, Step>> = {
    begin: () => client.query('BEGIN'),
    ask: () => client.query('SELECT name FROM items'),
    commit: () => client.query('COMMIT'),
    rollback: () => client.query('ROLLBACK'),
    leak: withPool((lent) => lent.query('BEGIN ISOLATION LEVEL READ COMMITTED')),
    borrow: withPool((lent) => lent.query('SELECT name FROM items')),
    pooled: () => pool.query('SELECT name FROM items'),
    close: withPool((lent) => lent.query('COMMIT')),
    whole: withPool(async (lent) => {
      await lent.query('BEGIN')
      await lent.query(update, [5, 2])
      await lent.query('COMMIT')
    }),
    read: () => pool.query('SELECT stock FROM items WHERE id = $1', [1]),
    write: () => pool.query(update, [9, 1]),
    lent: withPool((lent) => lent.query({ text: update, values: [8, 1] })),
    called: () => new Promise((resolve) => pool.query(update, [7, 1], resolve)),
    other: () => pool.query(update, [9, 2]),
    counted: () => pool.query('UPDATE items SET stock = stock - $1 WHERE id = $2', [1, 1]),
    elsewhere: () => client.query(update, [9, 1]),
  }
  const kinds = async (order: string): Promise<readonly string[]> => kindsIn(await turns.run(order.split(', '), steps))

  for (const [begin, ask, end] of [
    ['begin', 'ask', 'commit'],
    ['begin', 'ask', 'rollback'],
    ['leak', 'borrow', 'close'],
    ['leak', 'pooled', 'close'],
  ] as const)
    it(`names who left the transaction open: ${begin}, ${ask}, ${end}`, async () => {
      const { a, b } = await turns.run([`a ${begin}`, `b ${ask}`], steps)
      const [found, ...more] = b?.found ?? []
      assert.deepEqual([a?.found, found?.kind, more.length], [[], 'left_open', 0])
      const [began, first] = found?.parts ?? []
      assert.deepEqual([began?.text, began?.token, first?.token], ['Begun by GET /a', a?.token, null])
      assert.match(codeAt(began?.place ?? null), /'BEGIN/)
      assert.match(codeAt(first?.place ?? null), /SELECT name/)
      assert.deepEqual(await kinds(`c ${end}, d ${ask}`), [])
    })

  it('says nothing of transactions that are ended, or go on in the request that began them', async () => {
    assert.deepEqual(await kinds('a whole, b borrow, c pooled, d begin, d ask, d commit, e ask'), [])
    // Another request on the same connection while the first one goes on.
    assert.deepEqual(await kinds('a begin, b ask, a commit, c ask'), [])
  })

  it('finds lost updates of a pool, with a client of its own and a callback, too', async () => {
    for (const order of ['a read, b write, a lent', 'a read, b lent, a called', 'a read, b called, a write'])
      assert.deepEqual(await kinds(order), ['a lost_update'], order)
    for (const order of ['a read, b other, a write', 'a read, b counted, a counted', 'a read, b elsewhere, a write'])
      assert.deepEqual(await kinds(order), [], order)
  })

  it('finds lost updates of postgres and Knex', async () => {
    const sql = postgres({ path: `${server.socket}/.s.PGSQL.5432`, user: 'test', database: 'postgres' })
    const connection = { host: server.socket, user: 'test', database: 'postgres' } as Knex.PgConnectionConfig
    const afterCreate = (client: pg.Client, done: (error: null, client: pg.Client) => void): void =>
      done(null, observePg(client))
    const knex = knexBuilder({ client: 'pg', connection, pool: { afterCreate } })
    const further: Readonly<Record<string, Step>> = {
      ...steps,
      readSql: () => sql`SELECT stock FROM items WHERE id = ${1}`,
      writeSql: () => sql`UPDATE items SET stock = ${6} WHERE id = ${1}`,
      unsafe: () => sql.unsafe(update, [5, 1]),
      otherSql: () => sql`UPDATE items SET stock = ${6} WHERE id = ${2}`,
      undone: () =>
        sql
          .begin(async (inner) => {
            await inner`UPDATE items SET stock = ${4} WHERE id = ${1}`
            throw new Error('undone')
          })
          .catch(() => undefined),
      readKnex: () => knex('items').select('stock').where({ id: 1 }),
      writeKnex: () => knex('items').where({ id: 1 }).update({ stock: 3 }),
      undoneKnex: () =>
        knex
          .transaction(async (inner) => {
            await inner('items').where({ id: 1 }).update({ stock: 2 })
            throw new Error('undone')
          })
          .catch(() => undefined),
    }
    try {
      const found = async (order: string): Promise<readonly string[]> =>
        kindsIn(await turns.run(order.split(', '), further))
      for (const order of [
        'a readSql, b writeSql, a unsafe',
        'a readSql, b unsafe, a writeSql',
        'a readKnex, b writeKnex, a writeKnex',
      ])
        assert.deepEqual(await found(order), ['a lost_update'], order)
      for (const order of [
        'a readSql, b otherSql, a writeSql',
        'a readSql, b undone, a writeSql',
        'a readKnex, b undoneKnex, a writeKnex',
      ])
        assert.deepEqual(await found(order), [], order)
    } finally {
      await sql.end()
      await knex.destroy()
    }
  })
})
