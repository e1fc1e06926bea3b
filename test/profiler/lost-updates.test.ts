// What overlapping requests wrote over each other: rows of SQLite, and sessions.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import session, { MemoryStore } from 'express-session'
import { observeSqlite } from '../../src/capture.ts'
import { kindsIn, startTurns, type Ended, type Step, type Turns } from '../support/taking-turns.ts'

const own = 'test/profiler/lost-updates.test.ts'
const source = readFileSync(own, 'utf8').split('\n')
/** The line of this file that ends in a comment. */
const at = (mark: string): string => `${own}:${source.findIndex((line) => line.endsWith(`// ${mark}`)) + 1}`

describe('lost updates', () => {
  const database = observeSqlite(new DatabaseSync(':memory:'))
  database.exec('CREATE TABLE items (id INTEGER PRIMARY KEY, stock INTEGER, name TEXT, seen TEXT)')
  database.exec("INSERT INTO items VALUES (1, 10, 'lion', ''), (2, 10, 'seal', '')")
  const query =
    (sql: string, ...values: readonly (string | number)[]): Step =>
    () => {
      const statement = database.prepare(sql)
      return /^SELECT/i.test(sql) ? statement.get(...values) : statement.run(...values)
    }
  const update = 'UPDATE items SET stock = ? WHERE id = ?'
  const steps: Readonly<Record<string, Step>> = {
    read: () => database.prepare('SELECT stock FROM items WHERE id = ?').get('1'), // read
    write: () => database.prepare(update).run(9, 1), // wrote
    other: query(update, 8, 2),
    all: query('select * from "items" where "items"."id" = :id limit 1', ...([{ id: 1 }] as never[])),
    written: query('update `items` set `stock` = ? where `items`.`id` = ? returning *', 7, 1),
    name: query('UPDATE items SET name = ? WHERE id = ?', 'bear', 1),
    counted: query('UPDATE items SET stock = stock - ? WHERE id = ?', 1, 1),
    literal: query('UPDATE items SET stock = 5 WHERE id = 1'),
    commented: query('UPDATE items SET stock = 5 -- WHERE id = 1'),
    quoted: query("UPDATE items SET name = 'a WHERE id = ''1''' WHERE id > 0"),
    mixed: query("UPDATE items SET stock = ?, name = '?' WHERE id = ?", 5, 1),
    guarded: query('UPDATE items SET stock = ? WHERE id = ? AND stock = ?', 6, 1, 9),
    none: query(update, 6, 3),
    seen: query('UPDATE items SET seen = ? WHERE id = ?', '2026-01-02T03:04:05Z', 1),
    zero: query(update, 0, 1),
    begin: query('BEGIN'),
    commit: query('COMMIT'),
    rollback: query('ROLLBACK'),
    fail: () => assert.throws(() => database.exec('SELECT nothing')),
  }
  let turns: Turns
  before(async () => (turns = await startTurns()))
  after(() => turns.close())

  const run = (order: string): Promise<Readonly<Record<string, Ended>>> => turns.run(order.split(', '), steps)

  it('are told with both requests, their places and the other profile', async () => {
    const { a, b } = await run('a read, b read, b write, a write')
    const text =
      'It and GET /b wrote "stock" of one row of "items", and the one that wrote later had not read what the other wrote.'
    const part = (who: string, what: string, token: string | null): object => ({
      text: `${who} ${what} it`,
      place: at(what),
      token,
    })
    const parts = [
      part('This request', 'read', null),
      part('GET /b', 'read', b?.token ?? ''),
      part('GET /b', 'wrote', b?.token ?? ''),
      part('This request', 'wrote', null),
    ]
    assert.deepEqual([b?.found, a?.found], [[], [{ kind: 'lost_update', text, parts }]])
  })

  const found: Readonly<Record<string, string>> = {
    'a row that one read and another wrote': 'a read, b write, a write',
    'the request that ended last may have written first': 'a read, b read, a write, b write, a other',
    'all columns, names in quotes, parameters with names': 'a all, b all, b written, a write',
    'values in the text': 'a read, b literal, a write',
    'in transactions that were committed': 'a begin, a read, a commit, b begin, b write, b commit, a write',
  }
  for (const [what, order] of Object.entries(found))
    it(`are found: ${what}`, async () => assert.deepEqual(kindsIn(await run(order)), ['a lost_update']))

  const quiet: Readonly<Record<string, string>> = {
    'one after the other': 'a read, a write, b read, b write',
    'only one writes': 'a read, b read, a write',
    'it read again': 'a read, b write, a read, a write',
    'it read nothing before': 'a write, b write, a write',
    'other rows': 'a read, b read, b other, a write',
    'other columns': 'a all, b all, b name, a write',
    'a column that was not read': 'a read, b read, b name, a name',
    'the database counts': 'a read, b read, b counted, a counted',
    'a comment': 'a read, b read, b commented, a write',
    'a value that looks like a query': 'a all, b all, b quoted, a name',
    'a question mark in a value': 'a read, b read, b mixed, a write',
    'a condition on what was read': 'a read, b read, b write, a guarded',
    'no such row': 'a read, b read, b none, a none',
    'the time of the last visit': 'a all, b all, b seen, a seen',
    'both set the same': 'a read, b read, b zero, a zero',
    'it was undone': 'a read, b begin, b write, b rollback, a write',
    'something of it failed': 'a read, b write, b fail, a write',
  }
  for (const [what, order] of Object.entries(quiet))
    it(`are none: ${what}`, async () => assert.deepEqual(kindsIn(await run(order)), []))
})

describe('lost updates of sessions', () => {
  for (const resave of [false, true]) {
    it(`are told with the entries, with resave ${resave}`, async (test) => {
      const store = new MemoryStore()
      const turns = await startTurns((app) => {
        app.use(session({ secret: 'of a test', resave, saveUninitialized: true, store }))
      })
      test.after(() => turns.close())
      const set =
        (name: string, value: unknown): Step =>
        (request) =>
          void Reflect.set(request.session, name, value)
      const steps = {
        see: () => undefined,
        cart: set('cart', ['lion']),
        theme: set('theme', 'dark'),
        remove: set('cart', undefined),
        visits: (request: Parameters<Step>[0]) =>
          set('visits', Number(Reflect.get(request.session, 'visits') ?? 1) + 1)(request),
        login: (request: Parameters<Step>[0]) => new Promise((resolve) => request.session.regenerate(resolve)),
      }
      const run = (order: string): Promise<Readonly<Record<string, Ended>>> => turns.run(order.split(', '), steps)
      await run('first see')
      const [id = ''] = Object.keys(Reflect.get(store, 'sessions') as object)
      const { sign } = await import('cookie-signature')
      turns.headers = { cookie: `connect.sid=s%3A${encodeURIComponent(sign(id, 'of a test'))}` }
      const { a, b } = await run('a see, b see, b cart, a theme')
      assert.deepEqual(b?.found, [])
      const text =
        'It and GET /b wrote "cart" of one session, and the one that wrote later had not read what the other wrote.'
      assert.deepEqual(
        a?.found.map((one) => one.text),
        [text],
      )
      assert.doesNotMatch(JSON.stringify(a), new RegExp(id))
      assert.deepEqual(kindsIn(await run('a see, b see, b visits, a visits')), ['a lost_update'])
      // Only what saves a session that it did not change writes over the other.
      await run('c cart')
      assert.deepEqual(kindsIn(await run('a see, b see, b remove, a see')), resave ? ['a lost_update'] : [])
      for (const order of ['a see, a cart, b see, b theme', 'a see, b see, b see, a theme', 'a see, b see, a see'])
        assert.deepEqual(kindsIn(await run(order)), [], order)
      assert.deepEqual(kindsIn(await run('a see, b see, b login, a theme')), [])
    })
  }
})
