// Kysely and Drizzle on a real SQLite: the observed `better-sqlite3` below them tells of their statements.

import assert from 'node:assert/strict'
import { it } from 'node:test'
import Database from 'better-sqlite3'
import { eq } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { Kysely, SqliteDialect } from 'kysely'
import { observeSqlite } from '../../../src/capture.ts'
import { capture, codeAt, findingsOf } from '../../support/captured-queries.ts'

const users = sqliteTable('users', { id: integer('id').primaryKey(), name: text('name') })

it('Kysely and a real SQLite: keeps text without values, time, failures and the line of the call; tells repeats apart', async () => {
  const dialect = new SqliteDialect({ database: observeSqlite(openUsers()) })
  await using kysely = new Kysely<{ users: { id: number; name: string } }>({ dialect })
  const { captured, profile, ...data } = await capture(async () => {
    for (const id of [1, 2, 3]) await kysely.selectFrom('users').select('name').where('id', '=', id).execute()
    await assert.rejects(kysely.insertInto('users').values({ id: 1, name: 's3cret' }).execute())
  })
  assert.deepEqual(
    captured.slice(2).map(({ system, library, text: shown, error }) => [system, library, shown, error]),
    [
      ['sqlite', 'better-sqlite3', 'select "name" from "users" where "id" = ?', null],
      [
        'sqlite',
        'better-sqlite3',
        'insert into "users" ("id", "name") values (?, ?)',
        'SqliteError: UNIQUE constraint failed: users.id',
      ],
    ],
  )
  for (const { durationMs } of captured) assert.ok(Number(durationMs) > 0)
  assert.match(codeAt(captured[0]?.callSite ?? null), /await kysely\.selectFrom/)
  assert.deepEqual(findingsOf(data), ['n+1 3'])
  assert.doesNotMatch(JSON.stringify(profile), /s3cret/)
})

it('Drizzle and a real SQLite: keeps text without values, time, rows and the line of the call', async () => {
  const database = drizzle(observeSqlite(openUsers()))
  const { captured, profile } = await capture(async () => {
    await database.select().from(users).where(eq(users.name, 's3cret')).execute()
  })
  const shown = 'select "id", "name" from "users" where "users"."name" = ?'
  assert.deepEqual(
    captured.map(({ library, text: own, rows, durationMs }) => [library, own, rows, durationMs !== null]),
    [['better-sqlite3', shown, 0, true]],
  )
  assert.match(codeAt(captured[0]?.callSite ?? null), /await database\.select/)
  assert.doesNotMatch(JSON.stringify(profile), /s3cret/)
})

function openUsers(): Database.Database {
  const database = new Database(':memory:')
  database.exec(
    "CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO users VALUES (1, 'Ann'), (2, 'Bob')",
  )
  return database
}
