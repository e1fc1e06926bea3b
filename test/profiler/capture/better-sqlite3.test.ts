// Statements of `better-sqlite3`, of the library itself on a real database; alone, and below Kysely and Drizzle.

import assert from 'node:assert/strict'
import Database from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { eq } from 'drizzle-orm'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { Kysely, SqliteDialect } from 'kysely'
import { describe, it } from 'node:test'
import { observeSqlite } from '../../../src/capture.ts'
import { capture, codeAt, findingsOf } from '../../support/captured-queries.ts'

const users = sqliteTable('users', { id: integer('id').primaryKey(), name: text('name') })

describe('observeSqlite', () => {
  it('keeps statement, rows, time and the line of the call, and no value', async () => {
    const database = openUsers()
    const { captured, profile } = await capture(() => {
      database.prepare("SELECT * FROM users WHERE name = ? AND name <> 's3cret'").all('hunter2')
      database.prepare('INSERT INTO users (name) VALUES (@name)').run({ name: 'hunter2' })
      database.prepare('SELECT name FROM users WHERE id = ?').pluck().get(1)
      database.exec('UPDATE users SET name = NULL')
    })
    assert.deepEqual(
      captured.map(({ system, library, text: shown, rows, error }) => [system, library, shown, rows, error]),
      [
        ['sqlite', 'better-sqlite3', 'SELECT * FROM users WHERE name = ? AND name <> ?', 0, null],
        ['sqlite', 'better-sqlite3', 'INSERT INTO users (name) VALUES (@name)', 1, null],
        ['sqlite', 'better-sqlite3', 'SELECT name FROM users WHERE id = ?', 1, null],
        ['sqlite', 'better-sqlite3', 'UPDATE users SET name = NULL', null, null],
      ],
    )
    for (const { durationMs, callSite } of captured) {
      assert.ok(durationMs !== null && durationMs > 0)
      assert.match(codeAt(callSite), /^database\./)
    }
    assert.doesNotMatch(JSON.stringify(profile), /s3cret|hunter2/)
  })

  it('hands results, errors and the library itself on as they are', async () => {
    const database = openUsers()
    assert.equal(observeSqlite(database), database)
    const seen: unknown[] = []
    const { captured } = await capture(() => {
      const select = database.prepare('SELECT id, name FROM users ORDER BY id')
      seen.push(
        select.raw().all(),
        select.columns().map(({ name }) => name),
        select.reader,
        [...select.iterate()].length,
      )
      seen.push(database.pragma('user_version', { simple: true }), database.prepare('SELECT ? AS one').bind(7).get())
      assert.throws(() => database.prepare('SELECT some FROM nowhere'), /no such table: nowhere/)
      assert.throws(() => database.prepare('INSERT INTO users (id) VALUES (?)').run(1), {
        code: 'SQLITE_CONSTRAINT_PRIMARYKEY',
      })
    })
    assert.deepEqual(seen, [
      [
        [1, 'Ada'],
        [2, 'Bob'],
      ],
      ['id', 'name'],
      true,
      2,
      0,
      { one: 7 },
    ])
    assert.match(captured.at(-1)?.error ?? '', /SqliteError: UNIQUE constraint failed/)
  })

  it('keeps the statements of a transaction, and tells an N+1 from exact duplicates', async () => {
    const database = openUsers()
    const insert = database.prepare('INSERT INTO users (name) VALUES (?)')
    const count = database.prepare('SELECT count(*) FROM users')
    const addAll = database.transaction((names: readonly string[]) => {
      for (const name of names) insert.run(name)
    })
    const data = await capture(() => {
      addAll(['Cid', 'Dan', 'Eve'])
      count.get()
      count.get()
    })
    assert.deepEqual(findingsOf(data), ['n+1 3', 'duplicate 2'])
    assert.deepEqual(
      data.captured.map(({ text: shown }) => shown.split(' ')[0]),
      ['INSERT', 'INSERT', 'INSERT', 'SELECT', 'SELECT'],
    )
  })

  it('shows what Kysely and Drizzle send below, with the line of the call', async () => {
    const database = openUsers()
    await using kysely = new Kysely<{ users: { id: number; name: string } }>({
      dialect: new SqliteDialect({ database }),
    })
    const orm = drizzle(database)
    const { captured } = await capture(async () => {
      await kysely.selectFrom('users').select('name').where('id', '=', 1).execute()
      orm.select().from(users).where(eq(users.name, 'Ada')).all()
    })
    assert.deepEqual(
      captured.map(({ text: shown, rows }) => [shown, rows]),
      [
        ['select "name" from "users" where "id" = ?', 1],
        ['select "id", "name" from "users" where "users"."name" = ?', 1],
      ],
    )
  })
})

function openUsers(): Database.Database {
  const database = new Database(':memory:')
  database.exec(
    "CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO users (name) VALUES ('Ada'), ('Bob')",
  )
  return observeSqlite(database)
}
