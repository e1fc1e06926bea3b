// What agents may read of databases in SQLite, and what a hostile text cannot do there.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { after, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import BetterSqlite from 'better-sqlite3'
import { Redactor } from '../../../src/base/redact/redactor.ts'
import { sqliteRows } from '../../../src/libraries/sources/sqlite.ts'
import { databaseReader, readLimits, type RowAnswer } from '../../../src/observe/outgoing/open-databases.ts'
import { itRefuses } from '../../support/row-attacks.ts'
import { makeTemporaryDirectory } from '../../support/temporary-directory.ts'

const canCopy = 'serialize' in DatabaseSync.prototype

describe('databaseReader, with SQLite', { skip: !canCopy && 'this Node copies no database' }, () => {
  const folder = makeTemporaryDirectory({ after })
  const file = join(folder, 'app.db')
  const database = new DatabaseSync(file)
  database.exec(`PRAGMA journal_mode = WAL; CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT, password TEXT, note TEXT, face BLOB);
    INSERT INTO users VALUES (1, 'Ann', 'hunter2', 'Authorization: Bearer canary-0123456789', x'0102'), (2, 'Bob', NULL, '${'x'.repeat(5000)}', NULL)`)

  const read = async (
    sql: string,
    of: DatabaseSync | BetterSqlite.Database = database,
    limit = 50,
  ): Promise<RowAnswer> => {
    const rows = sqliteRows(new WeakRef(of), of.prepare)
    return databaseReader(new Map([['sqlite', rows]]), new Redactor())({ sql, limit })
  }
  const state = (): unknown => [
    database.prepare('SELECT * FROM users').all(),
    database.prepare('PRAGMA database_list').all(),
    ['other.db', 'copy.db'].map((name) => existsSync(join(folder, name))),
  ]

  it('gives rows as text, cut and masked by names and by what values look like', async () => {
    assert.deepEqual(await read('SELECT *, id AS id FROM users ORDER BY id; '), {
      database: 'sqlite app.db',
      columns: ['id', 'name', 'password', 'note', 'face', 'id'],
      rows: [
        ['1', 'Ann', '******', 'Authorization: Bearer ******', '0102', '1'],
        ['2', 'Bob', null, `${'x'.repeat(1000)}… [200 more characters]`, null, '2'],
      ],
      isMore: false,
    })
  })

  it('gives at most so many rows of millions, and lists tables', async () => {
    const found = await read(
      'WITH RECURSIVE r (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r LIMIT 10000000) SELECT n FROM r',
      database,
      200,
    )
    assert.ok('rows' in found && found.isMore, JSON.stringify(found))
    assert.deepEqual([found.rows.length, found.rows.at(-1)], [200, ['200']])
    const tables = await read('SELECT name, sql FROM sqlite_schema')
    assert.match(
      JSON.stringify(tables),
      /"users","CREATE TABLE users \(id INTEGER PRIMARY KEY, name TEXT, password TEXT/,
    )
  })

  it('reads databases in memory, of both libraries', async () => {
    const better = new BetterSqlite(':memory:')
    better.exec('CREATE TABLE t (a); INSERT INTO t VALUES (1)')
    const node = new DatabaseSync(':memory:')
    for (const one of [better, node]) {
      const found = await read(one === better ? 'SELECT a FROM t' : 'VALUES (1)', one)
      assert.ok('rows' in found, JSON.stringify(found))
      assert.deepEqual([found.database, found.rows], ['sqlite in memory', [['1']]])
    }
  })

  it('copies at most 64 MB, however its rows are read', async () => {
    for (const options of [{}, { returnArrays: true, readBigInts: true }]) {
      using large = new DatabaseSync(':memory:', options)
      large.exec('CREATE TABLE t (a); INSERT INTO t VALUES (zeroblob(70000000))')
      assert.match(JSON.stringify(await read('SELECT 1', large)), /it has 70\d{6} bytes; at most 67108864 are copied/)
    }
  })

  it('ends a process that needs too much memory, and needs no file', async () => {
    const program = fileURLToPath(import.meta.resolve('../../../src/libraries/sources/sqlite-reader.ts'))
    const endOf = async (rowCount: number): Promise<readonly unknown[]> => {
      const sql = `WITH RECURSIVE r (n, a) AS (SELECT 1, zeroblob(1000000) UNION ALL SELECT n + 1, a FROM r LIMIT ${rowCount}),
        q AS MATERIALIZED (SELECT * FROM r) SELECT count(*) FROM q`
      const env = { FANLIGHT_READ: JSON.stringify({ sql, ...readLimits }) }
      const child = spawn(process.execPath, ['--permission', '--allow-worker', `--allow-fs-read=${program}`, program], {
        env,
      })
      child.stdin.end(new DatabaseSync(':memory:').serialize())
      const said = text(child.stdout)
      const [, signal] = await once(child, 'close')
      return [signal, await said]
    }
    assert.deepEqual(await endOf(10), [null, '\n{"columns":["count(*)"],"rows":[["10"]]}'])
    assert.deepEqual(await endOf(2000), ['SIGKILL', '\n'])
  })

  it('asks which one, where there are several', async () => {
    const rows = sqliteRows(new WeakRef(database), database.prepare)
    const readOne = databaseReader(
      new Map([
        ['sqlite', rows],
        ['postgresql', rows],
      ]),
      new Redactor(),
    )
    assert.deepEqual(await readOne({ sql: 'SELECT 1' }), { problem: 'Name one database: sqlite, postgresql.' })
    assert.ok('rows' in (await readOne({ sql: 'SELECT 1', database: 'sqlite' })))
    assert.ok('problem' in (await readOne({ sql: 'SELECT 1', database: 'mysql' })))
  })

  it('reads none that is closed, or that has a transaction open', async () => {
    const node = new DatabaseSync(':memory:')
    node.exec('BEGIN')
    assert.deepEqual(await read('SELECT 1', node), {
      problem: 'No rows: the application has a transaction open.',
    })
    node.close()
    assert.match(JSON.stringify(await read('SELECT 1', node)), /No rows: database is not open/)
  })

  itRefuses('sqlite', read, state, {
    'SELECT upper(password) FROM users': /password is masked: leave it out/,
    'SELECT 1; DROP TABLE users': /one SELECT/,
    "INSERT INTO users (name) VALUES ('Eve')": /one SELECT/,
    'SELECT 1) SELECT 1; DROP TABLE users; --': /one SELECT/,
    "WITH x AS (SELECT 1) INSERT INTO users (name) SELECT 'Eve'": /not authorized/,
    'WITH x AS (SELECT 1) DELETE FROM users': /not authorized/,
    [`ATTACH '${join(folder, 'other.db')}' AS other`]: /one SELECT/,
    [`VACUUM INTO '${join(folder, 'copy.db')}'`]: /one SELECT/,
    'PRAGMA writable_schema = 1': /one SELECT/,
    "SELECT * FROM pragma_table_info('users')": /not authorized/,
    "SELECT load_extension('x')": /not authorized/,
    "SELECT readfile('/etc/hostname')": /no such function/,
    'WITH RECURSIVE r (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT max(n) FROM r':
      /canceled: it needs more than 2000 ms or 512 MB/,
    'SELECT hex(zeroblob(400000000))': /canceled: it needs more/,
    'SELECT * FROM nowhere': /no such table: nowhere/,
  })
})
