// Everyday errors of pg, mysql2, better-sqlite3, Drizzle, fetch, Zod and the language, for real: what the first line says is true.
// Each case says that sentence in a comment at the end of the line that it is about.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import Sqlite from 'better-sqlite3'
import { eq } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import mysql from 'mysql2/promise'
import pg from 'pg'
import { z } from 'zod'
import { observePg, observeSqlite } from '../../src/capture.ts'
import { loadRuntimeContext } from '../../src/http/config/runtime-context.ts'
import { createApp, json, RouteCollection, type Reply } from '../../src/index.ts'
import { startMariadb, startPostgres, type DatabaseServer } from '../support/database-servers.ts'
import { LineList } from '../support/exchange.ts'
import { unchecked } from './case.ts'
import { searchWithoutClock } from '../support/search-without-clock.ts'

interface Issue {
  readonly id: number
  readonly title: string
  readonly titel: string
}

class IssueStore {
  readonly #pool: pg.Pool

  constructor(pool: pg.Pool) {
    this.#pool = pool
  }

  async find(id: number): Promise<Issue> {
    const { rows } = await this.#pool.query('SELECT id, title FROM issue WHERE id = $1', [id]) // first: got 0 rows in this request [store]
    return rows[0] as Issue
  }
}

const loadIssue = async (id: number): Promise<Issue> => {
  const { rows } = await pool.query('SELECT id, title FROM issue WHERE id = $1', [id]) // first: selects `title`, but `titel` is read [column]
  return rows[0] as Issue
}
const all = async (sql: string, ...values: unknown[]): Promise<unknown[]> => {
  const { rows } = await pool.query(sql, values) // first: got error: relation "issues" does not exist [table]
  return rows
}
const titleOf = (issues: IssueStore, id: number): string => {
  const { title } = unchecked(issues.find(id)) as Issue // first: calls `find()` without await: the value is a promise [await]
  return title.trim()
}

interface Asked {
  readonly body: { readonly title: string }
}

/** A request without a body, of which no line says what it has. */
const asked = JSON.parse('{}') as Asked
const endpoint = {
  handle: (request: Asked) => request.body.title.trim(), // first: is the line that failed [elsewhere]
}
export const preview = (): string => endpoint.handle(unchecked({ query: {} }))
const define = (options: { show: (this: unknown, request: Asked) => string }) => () =>
  options.show.call({ options }, asked)
const shown = define({
  show(request) {
    return request.body.title.trim() // first: is the line that failed [borrowed]
  },
})
const titleIn = (request: Asked = {} as unknown as Asked): string => request.body.title.trim() // first: is the line that failed [default]
const titleOr = (request: Asked | null): string => (request ?? ({ query: 1 } as unknown as Asked)).body.title.trim() // first: is the line that failed [instead]
const loadTitle = async (request: Asked): Promise<string> => Promise.resolve(request.body.title) // first: is the line that failed [several]
class Note {
  readonly [name: string]: string

  constructor(values: object) {
    Object.assign(this, values)
  }
}

const pagePath = '/page' // first: is part of an address that does not send JSON [page]
const laterTitle = async (id: number): Promise<object> => Promise.resolve({ title: String(id) })
const byId = new Map([[1, { title: 'First' }]])
const isKnown = async (id: number): Promise<boolean> => Promise.resolve(byId.has(id))
const fixed = Object.freeze(['a', 'b']) as string[] // first: allows no change: freeze() [frozen]
class Cart {
  readonly lines = [1]

  total(): number {
    return this.lines.length
  }
}
class Shelf {
  readonly #lines: readonly string[]

  constructor(
    first: string,
    lines: readonly string[], // first: takes `lines`, which nothing was given for [made]
  ) {
    this.#lines = lines
    if (first === '') throw new Error('The first line is empty')
  }

  count(): number {
    return this.#lines.length
  }
}
// oxlint-disable-next-line typescript/unbound-method
const { total } = new Cart() // first: takes `total` out of its object: `this` is lost [taken]
const sizeOf = ({ page: { size } }: { page: { size: number } }): string => size.toFixed()

let postgres: DatabaseServer
let mariadb: DatabaseServer
let upstream: Server
let pool: pg.Pool
let leaky: pg.Pool
let client: pg.Client
let hasBegun = false
let connection: mysql.Pool
let url: string
const database = observeSqlite(new Sqlite(':memory:'))
database.exec("CREATE TABLE notes (id INTEGER PRIMARY KEY, body TEXT NOT NULL); INSERT INTO notes VALUES (1, 'one')")
const notes = sqliteTable('notes', { id: integer('id').primaryKey(), body: text('body').notNull() })
const pages = sqliteTable('notes', { body: text('contents').notNull() }) // first: contains the `contents` from the message [renamed]
const orm = drizzle(database)
const settings = (source: Readonly<Record<string, string | undefined>>) => ({
  currency: source['EVERYDAY_CURRENCY'], // first: reads EVERYDAY_CURRENCY, which has blanks at its end [blank]
  host: source['EVERYDAY_HOST'] as string, // first: reads EVERYDAY_HOST, which is not set [unset]
})

const handlers: Readonly<Record<string, () => unknown>> = {
  row: async () => {
    const { rows } = await pool.query('SELECT id, title FROM issue WHERE id = $1', [99]) // first: got 0 rows in this request [row]
    const issue = rows[0] as Issue
    return issue.title.trim()
  },
  pattern: async () => {
    const {
      rows: [issue],
    } = await pool.query('SELECT id, title FROM issue WHERE id = $1', [99]) // first: got 0 rows in this request [pattern]
    return (issue as Issue).title.trim()
  },
  store: async () => (await new IssueStore(pool).find(99)).title,
  column: async () => (await loadIssue(1)).titel.trim(),
  table: async () => Promise.all([all('SELECT * FROM issues'), all('SELECT 1')]),
  await: () => titleOf(new IssueStore(pool), 1),
  mysql: async () => {
    const [rows] = await connection.query('SELECT id, title FROM issue WHERE id = ?', [99]) // first: got 0 rows in this request [mysql]
    return (rows as Issue[])[0]?.title.trim() ?? (rows as Issue[])[0]!.title
  },
  sqlite: () => {
    const note = database.prepare('SELECT id, body FROM notes WHERE id = ?').get(7) // first: got 0 rows in this request [sqlite]
    return (note as { body: string }).body
  },
  joined: () => {
    const ids = [1, 2]
    const [note] = database.prepare('SELECT body FROM notes WHERE id IN (?)').all(ids.join()) // first: got 0 rows in this request: IN was given one text of join() [joined]
    return (note as { body: string }).body
  },
  drizzle: () => {
    const note = orm.select().from(notes).where(eq(notes.id, 9)).get() // first: got 0 rows in this request [drizzle]
    return (note as { body: string }).body
  },
  promise: async () => {
    const response = await fetch(`${url}/user`)
    const body = unchecked(response.json()) as { data: Issue } // first: calls `json()` without await: the value is a promise [promise]
    return body.data.title
  },
  status: async () => {
    const user = (await fetch(`${url}/missing`).then(async (response) => response.json())) as { address: Issue } // first: got 404 Not Found [status]
    return user.address.title
  },
  // Asked twice: the first request fails after it began.
  transaction: async () => {
    if (!hasBegun) await client.query('BEGIN') // first: began this transaction in another request, GET /, and it is still open [transaction]
    hasBegun = true
    return client.query('SELECT nothing')
  },
  // A client goes back to its pool with a transaction, and the next query of the pool gets it.
  pooled: async () => {
    const lent = leaky.totalCount === 0 ? await leaky.connect() : undefined
    await lent?.query('BEGIN') // first: began this transaction in another request, GET /, and it is still open [pooled]
    await lent?.query('SELECT nothing').finally(() => lent.release())
    return leaky.query('SELECT 1')
  },
  zod: () => z.object({ title: z.string() }).parse({ title: 3 }), // first: contains the `title` from the message [zod]
  json: () => JSON.parse('{"a": 1,}') as unknown, // first: is text that is not valid JSON at its character 9 [json]
  find: () => {
    const people = [{ id: 1, name: 'Ann' }]
    return people.find(({ id }) => id === 2)!.name // first: find() gives undefined where nothing matches [find]
  },
  elsewhere: () => Reflect.apply(endpoint.handle, undefined, [asked]) as string,
  borrowed: () => shown(),
  default: () => titleIn(asked),
  instead: () => titleOr(asked),
  several: async () => (await Promise.all([loadTitle(asked), loadTitle({ query: 1 } as unknown as Asked)])).length,
  assigned: () => new Note(asked)['title']!.trim(), // first: is the line that failed [assigned]
  folded: () => {
    const table = [asked].reduce((all, one) => Object.assign(one, all), {}) as Record<string, Issue> // first: is what the callback of reduce() returns [folded]
    return table['title']!.title
  },
  nested: async () => {
    const response = await fetch(`${url}/missing`) // first: got 404 Not Found [nested]
    const {
      user: { title },
    } = (await response.json()) as { user: Issue }
    return title
  },
  page: async () => await fetch(url + pagePath).then(async (response) => response.json()),
  read: async () => {
    const response = await fetch(`${url}/user`)
    const { length } = await response.text() // first: reads the body first, and it can be read once [read]
    return [length, await response.json()]
  },
  response: async () => {
    const body = (await fetch(`${url}/user`)) as unknown as { data: Issue }
    return body.data.title // first: reads `data` of the response itself, not of its body [response]
  },
  reduced: () => {
    const scores: number[] = [] // first: is empty [reduced]
    return scores.reduce((all, one) => Math.max(all, one))
  },
  mapped: () => {
    const found = [1, 2].map(laterTitle) as unknown as Issue[] // first: makes promises that nobody waits for: Promise.all is missing [mapped]
    return found.map((one) => one.title.trim())
  },
  asked: () => {
    // @ts-expect-error: TypeScript knows, too
    // oxlint-disable-next-line typescript/no-misused-promises
    if (isKnown(2)) return byId.get(2)!.title.trim() // first: asks a promise, which always counts as true: an await is missing [asked]
    return ''
  },
  frozen: () => fixed.push('c'),
  taken: () => total(),
  made: () => (Reflect.construct(Shelf, ['a']) as Shelf).count(),
  second: async () => {
    const [all, none] = await Promise.all([
      pool.query('SELECT title FROM issue'),
      pool.query('SELECT title FROM issue WHERE id = 99'), // first: got 0 rows in this request [second]
    ])
    return [(all.rows[0] as Issue).title.trim(), (none.rows[0] as Issue).title.trim()]
  },
  renamed: async () => await orm.select().from(pages),
  inner: () => sizeOf(unchecked({ order: 'up' })), // first: has no `page` [inner]
  blank: () =>
    new Intl.NumberFormat('en', { style: 'currency', currency: settings(process.env).currency as string }).format(1),
  unset: () => settings(process.env).host.toLowerCase(),
}

before(async () => {
  searchWithoutClock()
  process.env['EVERYDAY_CURRENCY'] = 'EUR '
  const started = await Promise.all([startPostgres(), startMariadb()])
  postgres = started[0]
  mariadb = started[1]
  pool = observePg(new pg.Pool({ host: postgres.socket, user: 'test', database: 'postgres' }))
  await pool.query("CREATE TABLE issue (id int PRIMARY KEY, title text); INSERT INTO issue VALUES (1, 'First')")
  leaky = observePg(new pg.Pool({ host: postgres.socket, user: 'test', database: 'postgres', max: 1 }))
  client = observePg(new pg.Client({ host: postgres.socket, user: 'test', database: 'postgres' }))
  await client.connect()
  connection = mysql.createPool({ socketPath: mariadb.socket, user: 'root', database: 'test' })
  await connection.query('CREATE TABLE issue (id int PRIMARY KEY, title varchar(20))')
  upstream = createServer((request, response) => {
    response.statusCode = request.url === '/missing' ? 404 : 200
    response.setHeader('content-type', 'application/json')
    if (request.url === '/page') response.end('<!doctype html><title>Hello</title>')
    else response.end('{"data":{"title":"First"}}')
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => upstream.once('listening', resolve))
  url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`
})

after(async () => {
  delete process.env['EVERYDAY_CURRENCY']
  upstream.close()
  await Promise.all([pool.end(), leaky.end(), client.end(), connection.end()])
  await Promise.all([postgres.stop(), mariadb.stop()])
})

interface Debug {
  readonly candidates: readonly { readonly file: string; readonly line: number; readonly why: string }[]
  readonly origins: readonly {
    readonly note: string
    readonly source: { readonly file: string; readonly marked: readonly number[] } | null
  }[]
}

describe('the first place to change of everyday errors', () => {
  for (const [name, handler] of Object.entries(handlers)) {
    it(name, async () => {
      const routes = new RouteCollection().get('r', '/', async (): Promise<Reply> => json(await handler()))
      const { context } = loadRuntimeContext({
        cwd: import.meta.dirname,
        env: { APP_ENV: 'dev', APP_STORE: 'memory:' },
      })
      const app = await createApp({ routes, context, log: new LineList() })
      try {
        const request = { url: '/', headers: { accept: 'application/json' } }
        if (name === 'transaction' || name === 'pooled') await app.inject(request)
        const { body } = await app.inject(request)
        const { debug } = JSON.parse(body) as { debug: Debug }
        const [first] = debug.candidates
        assert.equal(`${first?.file}:${first?.line} – ${first?.why}`, expected(name))
        // Nothing is said twice of one line.
        const said = debug.origins.map(({ note, source }) => `${source?.file}:${source?.marked[0]} ${note}`)
        assert.deepEqual(said, [...new Set(said)])
      } finally {
        await app.close()
      }
    })
  }
})

function expected(name: string): string {
  const lines = readFileSync(import.meta.filename, 'utf8').split('\n')
  const index = lines.findIndex((line) => line.endsWith(` [${name}]`))
  const why = / first: (.+) \[\w+\]$/.exec(lines[index] ?? '')?.[1]
  return `test/diagnosis/everyday.test.ts:${index + 1} – ${why}`
}
