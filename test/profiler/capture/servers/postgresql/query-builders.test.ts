// Kysely, Drizzle and Knex on a real PostgreSQL, through the observed pool or connections below them.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { eq } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { integer, pgTable, text } from 'drizzle-orm/pg-core'
import knexBuilder, { type Knex } from 'knex'
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { observePg } from '../../../../../src/capture.ts'
import { capture, codeAt, findingsOf, expectCaptured, itKeepsApart } from '../../../../support/captured-queries.ts'
import { startPostgres, type DatabaseServer } from '../../../../support/database-servers.ts'

interface Tables {
  users: { id: number; name: string }
}

const users = pgTable('users', { id: integer('id').primaryKey(), name: text('name') })

let server: DatabaseServer
const settings = (): pg.PoolConfig => ({ host: server.socket, user: 'test', database: 'postgres', max: 2 })

before(async () => {
  server = await startPostgres()
  const client = new pg.Client(settings())
  await client.connect()
  await client.query(
    "CREATE TABLE users (id int PRIMARY KEY, name text); INSERT INTO users VALUES (1, 'Ann'), (2, 'Bob')",
  )
  await client.end()
})
after(async () => server.stop())

describe('Kysely and a real PostgreSQL', () => {
  let kysely: Kysely<Tables>

  before(() => {
    kysely = new Kysely({ dialect: new PostgresDialect({ pool: observePg(new pg.Pool(settings())) }) })
  })
  after(async () => kysely.destroy())

  it('keeps text without values, time, failures and the line of the call', async () => {
    const { captured, profile } = await capture(async () => {
      await kysely.selectFrom('users').select('name').where('name', '=', 's3cret').execute()
      await assert.rejects(sql`SELECT * FROM nothing WHERE a = 's3cret'`.execute(kysely))
    })
    assert.deepEqual(
      captured.map(({ system, library, text: shown, error }) => [system, library, shown, error]),
      [
        ['postgresql', 'pg', 'select "name" from "users" where "name" = $1', null],
        ['postgresql', 'pg', 'SELECT * FROM nothing WHERE a = ?', 'error: relation "nothing" does not exist'],
      ],
    )
    for (const { durationMs } of captured) assert.ok(Number(durationMs) > 0)
    assert.match(codeAt(captured[0]?.callSite ?? null), /await kysely\.selectFrom\('users'\)/)
    assert.doesNotMatch(JSON.stringify(profile), /s3cret/)
  })

  it('keeps a transaction, and tells an N+1 from the very same statement', async () => {
    const data = await capture(async () => {
      await kysely.transaction().execute(async (transaction) => {
        for (const id of [1, 2, 3]) await transaction.selectFrom('users').selectAll().where('id', '=', id).execute()
      })
      for (const id of [4, 4]) await kysely.deleteFrom('users').where('id', '=', id).execute()
    })
    assert.deepEqual(
      data.captured.map(({ text: shown }) => shown.split(' ')[0]),
      ['begin', 'select', 'select', 'select', 'commit', 'delete', 'delete'],
    )
    assert.deepEqual(findingsOf(data), ['n+1 3', 'duplicate 2'])
  })

  itKeepsApart(
    'one after another',
    async (who) => {
      for (let round = 0; round < 3; round += 1) await sql`SELECT 1 AS ${sql.id(who)}`.execute(kysely)
    },
    (who) => Array<string>(3).fill(`SELECT ? AS "${who}"`),
  )

  it('has rows, too', async () => {
    const work = async (): Promise<unknown> => await kysely.selectFrom('users').selectAll().execute()
    await expectCaptured(work, { library: 'pg' }, [['select * from "users"', 2, /await kysely\.selectFrom/]])
  })
})

describe('Drizzle and a real PostgreSQL', () => {
  it('keeps text without values, time, rows, failures and the line of the call, a transaction too', async () => {
    const observed = observePg(new pg.Pool(settings()))
    const database = drizzle(observed)
    const { captured } = await capture(async () => {
      await database.transaction(async (transaction) => {
        await transaction.update(users).set({ name: 's3cret?' }).where(eq(users.id, 1)).execute()
      })
      await assert.rejects(database.insert(users).values({ id: 1, name: 's3cret' }))
    })
    await observed.end()
    assert.deepEqual(
      captured.map(({ text: shown, rows, durationMs, error }) => [shown, rows, Number(durationMs) > 0, error === null]),
      [
        ['begin', null, true, true],
        ['update "users" set "name" = $1 where "users"."id" = $2', 1, true, true],
        ['commit', null, true, true],
        ['insert into "users" ("id", "name") values ($1, $2)', null, true, false],
      ],
    )
    assert.match(codeAt(captured[1]?.callSite ?? null), /await transaction\.update/)
  })
})

/** As the documentation has it. */
const afterCreate = (client: pg.Client, done: (error: null, client: pg.Client) => void): void =>
  done(null, observePg(client))

describe('Knex and a real PostgreSQL', () => {
  let knex: Knex

  before(() => {
    const { host, user, database } = settings()
    const connection = { host, user, database } as Knex.PgConnectionConfig
    knex = knexBuilder({ client: 'pg', connection, pool: { min: 0, max: 2, afterCreate } })
  })
  after(async () => knex.destroy())

  it('keeps text without values, rows, time, failures and the line of the call', async () => {
    const work = async (): Promise<void> => {
      await knex('users').select('id').whereIn('id', [1, 2]).andWhereNot('name', 's3cret!')
      await knex('users').where({ id: 2 }).update({ name: 's3cret' })
      await assert.rejects(knex.raw("SELECT 's3cret'::int"))
    }
    const { captured } = await expectCaptured(work, { library: 'pg' }, [
      ['select "id" from "users" where "id" in ($1, $2) and not "name" = $3', 2, /await knex\('users'\)\.select/],
      ['update "users" set "name" = $1 where "id" = $2', 1],
      ['SELECT ?::int', null],
    ])
    assert.match(captured[2]?.error ?? '', /invalid input syntax for type integer: \?/)
  })

  it('keeps a transaction, and tells an N+1 from the very same statement', async () => {
    const data = await capture(async () => {
      await knex.transaction(async (transaction) => {
        for (const id of [1, 2, 3]) await transaction('users').where({ id })
      })
      for (const id of [4, 4]) await knex('users').where({ id }).delete()
    })
    assert.deepEqual(
      data.captured.map(({ text: shown }) => shown.split(' ')[0]),
      ['BEGIN;', 'select', 'select', 'select', 'COMMIT;', 'delete', 'delete'],
    )
    assert.deepEqual(findingsOf(data), ['n+1 3', 'duplicate 2'])
  })

  itKeepsApart(
    'while they wait for two connections',
    async (who) => Promise.all([1, 2, 3].map(() => knex.raw('SELECT 1 AS ??', [who]))),
    (who) => Array<string>(3).fill(`SELECT ? AS "${who}"`),
  )
})
