// Kysely and Drizzle on a real SQLite, the one that comes with Node.

import assert from 'node:assert/strict'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { it } from 'node:test'
import { eq } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/sqlite-proxy'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { Kysely, SqliteDialect, type SqliteDatabase } from 'kysely'
import { drizzleLogger, kyselyLog, observeSqlite } from '../../../src/capture.ts'
import { capture, codeAt, findingsOf } from '../../support/captured-queries.ts'

const users = sqliteTable('users', { id: integer('id').primaryKey(), name: text('name') })

it('kyselyLog, with Kysely and a real SQLite: keeps text without values, time, failures and the line of the call; tells repeats apart', async () => {
  const dialect = new SqliteDialect({ database: forKysely(openUsers()) })
  await using kysely = new Kysely<{ users: { id: number; name: string } }>({ dialect, log: kyselyLog('sqlite') })
  const { captured, profile, ...data } = await capture(async () => {
    for (const id of [1, 2, 3]) await kysely.selectFrom('users').select('name').where('id', '=', id).execute()
    await assert.rejects(kysely.insertInto('users').values({ id: 1, name: 's3cret' }).execute())
  })
  assert.deepEqual(
    captured.slice(2).map(({ system, library, text: shown, error }) => [system, library, shown, error]),
    [
      ['sqlite', 'kysely', 'select "name" from "users" where "id" = ?', null],
      [
        'sqlite',
        'kysely',
        'insert into "users" ("id", "name") values (?, ?)',
        'Error: UNIQUE constraint failed: users.id',
      ],
    ],
  )
  for (const { durationMs } of captured) assert.ok(Number(durationMs) > 0)
  assert.match(codeAt(captured[0]?.callSite ?? null), /await kysely\.selectFrom/)
  assert.deepEqual(findingsOf(data), ['n+1 3'])
  assert.doesNotMatch(JSON.stringify(profile), /s3cret/)
})

it('drizzleLogger, with Drizzle and a real SQLite: keeps text without values and the line of the call; time and rows come from the observed database', async () => {
  const sqlite = observeSqlite(openUsers())
  const database = drizzle(
    async (sql, values, method) => {
      const statement = sqlite.prepare(sql)
      statement.setReturnArrays(true)
      const rows = method === 'run' ? [] : statement.all(...(values as SQLInputValue[]))
      return { rows }
    },
    { logger: drizzleLogger('sqlite') },
  )
  const { captured, profile } = await capture(async () => {
    await database.select().from(users).where(eq(users.name, 's3cret')).execute()
  })
  const shown = 'select "id", "name" from "users" where "users"."name" = ?'
  assert.deepEqual(
    captured.map(({ library, text: own, rows, durationMs }) => [library, own, rows, durationMs !== null]),
    [
      ['drizzle', shown, null, false],
      ['node:sqlite', shown, 0, true],
    ],
  )
  assert.match(codeAt(captured[0]?.callSite ?? null), /await database\.select/)
  assert.doesNotMatch(JSON.stringify(profile), /s3cret/)
})

function openUsers(): DatabaseSync {
  const database = new DatabaseSync(':memory:')
  database.exec(
    "CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO users VALUES (1, 'Ann'), (2, 'Bob')",
  )
  return database
}

/** Kysely expects `better-sqlite3`, which hands its values over as a list. */
function forKysely(database: DatabaseSync): SqliteDatabase {
  return {
    close: () => database.close(),
    prepare: (sql) => {
      const statement = database.prepare(sql)
      const own = (values: readonly unknown[]): SQLInputValue[] => values as SQLInputValue[]
      return {
        reader: statement.columns().length > 0,
        all: (values) => statement.all(...own(values)),
        run: (values) => statement.run(...own(values)),
        iterate: (values) => statement.iterate(...own(values)),
      }
    },
  }
}
