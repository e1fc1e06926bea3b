// Queries of `pg`, `postgres`, `node:sqlite`, `better-sqlite3` and `mongodb` in the profile, without a line in the application:
// the packages as they are, PostgreSQL and SQLite as real databases, MongoDB with answers that are made up.

import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { after, before, describe, it } from 'node:test'
import { observeMongo, observePg, observeSqlite } from '../../src/capture.ts'
import { captureHooks } from '../../src/integrations/captures/capture-hooks.ts'
import { installLoadHooks } from '../../src/integrations/registration.ts'
import { capture, codeAt } from '../support/captured-queries.ts'
import { startPostgres, type DatabaseServer } from '../support/database-servers.ts'
import { notingObserver } from '../support/integration-observer.ts'
import { pick } from '../support/pick.ts'

const observer = notingObserver()
const { exec } = process.getBuiltinModule('node:sqlite').DatabaseSync.prototype
installLoadHooks(captureHooks, [], observer)
const require = createRequire(import.meta.url)
const { default: pg } = await import('pg')
const { default: postgres } = await import('postgres')
const { default: Sqlite } = await import('better-sqlite3')
const { DatabaseSync } = await import('node:sqlite')
const { MongoClient } = await import('mongodb')
const { startMongoAnswers } = await import('../support/mongo-answers.ts')
const { default: mongoose } = await import('mongoose')
const { drizzle } = await import('drizzle-orm/better-sqlite3')
const { sql: drizzleSql } = await import('drizzle-orm')
const { default: knexBuilder } = await import('knex')

after(() => assert.deepEqual(observer.notes, []))

describe('captures without a line in the application: PostgreSQL', () => {
  let server: DatabaseServer
  before(async () => (server = await startPostgres()))
  after(async () => server.stop())
  const settings = (): object => ({ host: server.socket, user: 'test', database: 'postgres', max: 2 })

  it('keeps the queries of a pool, of the clients it lends, and of a client alone, once each', async () => {
    await using pool = ending(new pg.Pool(settings()))
    const client = new pg.Client(settings())
    await client.connect()
    const kept = await pool.connect()
    const { captured, findings } = await capture(async () => {
      for (const id of [1, 2, 3]) await pool.query('SELECT $1::int AS one', [id])
      const lent = await pool.connect()
      await lent.query("SELECT 'lent'")
      lent.release()
      await kept.query("SELECT 'kept'")
      await client.query("SELECT 'alone'")
      await new Promise((resolve) => client.query('SELECT 4 AS called', resolve))
      await assert.rejects(client.query('SELECT * FROM nothing'), /nothing/)
    })
    kept.release()
    await client.end()
    assert.deepEqual(pick(captured, 'library', 'text', 'rows'), [
      ...[1, 2, 3].map(() => ['pg', 'SELECT $1::int AS one', 1]),
      ['pg', 'SELECT ?', 1],
      ['pg', 'SELECT ?', 1],
      ['pg', 'SELECT ?', 1],
      ['pg', 'SELECT ? AS called', 1],
      ['pg', 'SELECT * FROM nothing', null],
    ])
    assert.match(captured[7]?.error ?? '', /"nothing" does not exist/)
    assert.match(codeAt(captured[0]?.callSite ?? null), /await pool\.query/)
    assert.match(codeAt(captured[5]?.callSite ?? null), /await client\.query/)
    assert.deepEqual(
      findings.filter(({ kind }) => kind === 'n+1').map(({ count }) => count),
      [3],
    )
  })

  it('keeps them once where the application hands the pool over as well', async () => {
    await using pool = ending(observePg(new pg.Pool(settings())))
    const { captured } = await capture(async () => pool.query('SELECT 1'))
    assert.deepEqual(pick(captured, 'text'), ['SELECT ?'])
  })

  it('keeps those of knex, which uses pg', async () => {
    await using knex = ending(knexBuilder({ client: 'pg', connection: settings() }), 'destroy')
    // Asks for the version of the server.
    await knex.raw('SELECT 1')
    const { captured } = await capture(async () => knex.raw('SELECT 5 AS five'))
    assert.deepEqual(pick(captured, 'text'), ['SELECT ? AS five'])
  })

  it('keeps those of postgres: templates with pieces, unsafe texts, transactions, failures', async () => {
    await using sql = ending(
      postgres({ path: `${server.socket}/.s.PGSQL.5432`, user: 'test', database: 'postgres', max: 2 }),
    )
    // Asks for the types of the server.
    await sql`SELECT 1`
    const inner = sql`AND ${sql('relname')} <> ${'s3cret'}`
    const { captured, profile } = await capture(async () => {
      await sql`SELECT relname FROM pg_class WHERE relkind = ${'r'} ${inner} LIMIT 3`
      await sql.unsafe('SELECT 6')
      await sql.begin(async (transaction) => transaction`SELECT 7`)
      await assert.rejects(sql`SELECT * FROM nothing`.execute(), /nothing/)
    })
    assert.deepEqual(pick(captured, 'library', 'text', 'rows'), [
      ['postgres', 'SELECT relname FROM pg_class WHERE relkind = ? AND "relname" <> ? LIMIT ?', 3],
      ['postgres', 'SELECT ?', 1],
      ['postgres', 'begin', 0],
      ['postgres', 'SELECT ?', 1],
      ['postgres', 'commit', 0],
      ['postgres', 'SELECT * FROM nothing', null],
    ])
    assert.match(codeAt(captured[0]?.callSite ?? null), /SELECT relname/)
    assert.match(captured[5]?.error ?? '', /"nothing" does not exist/)
    assert.doesNotMatch(JSON.stringify(profile), /s3cret/)
  })

  it('leaves a failure that nobody handles unhandled', async () => {
    await using sql = ending(postgres({ path: `${server.socket}/.s.PGSQL.5432`, user: 'test', database: 'postgres' }))
    await using pool = ending(new pg.Pool(settings()))
    for (const send of [
      () => void sql`SELECT * FROM nothing`.execute(),
      () => void pool.query('SELECT * FROM nothing'),
    ]) {
      const lost = Promise.withResolvers<unknown>()
      const usual = process.rawListeners('unhandledRejection')
      // It stays until the end: the application raises what it alone hears of, as Node would.
      process.removeAllListeners('unhandledRejection').on('unhandledRejection', lost.resolve)
      try {
        await capture(send)
        assert.match(String(await lost.promise), /"nothing" does not exist/)
      } finally {
        process.removeAllListeners('unhandledRejection')
        for (const listener of usual) process.on('unhandledRejection', listener as (reason: unknown) => void)
      }
    }
  })
})

describe('captures without a line in the application: SQLite', () => {
  for (const [library, open] of [
    ['node:sqlite', () => new DatabaseSync(':memory:')],
    ['better-sqlite3', () => new Sqlite(':memory:')],
  ] as const) {
    it(`keeps the queries of a database of ${library}, with rows, line and failure`, async () => {
      const database = open()
      database.exec('CREATE TABLE users (name TEXT)')
      const { captured, profile } = await capture(() => {
        database.prepare('INSERT INTO users VALUES (?)').run('s3cret')
        for (const name of ['a', 'b', 's3cret']) database.prepare('SELECT * FROM users WHERE name = ?').all(name)
        assert.throws(() => database.exec('SELECT * FROM nothing'), /nothing/)
      })
      database.close()
      assert.deepEqual(
        captured.map((query) => [query.library, query.text, query.rows]),
        [
          [library, 'INSERT INTO users VALUES (?)', 1],
          [library, 'SELECT * FROM users WHERE name = ?', 0],
          [library, 'SELECT * FROM users WHERE name = ?', 0],
          [library, 'SELECT * FROM users WHERE name = ?', 1],
          [library, 'SELECT * FROM nothing', null],
        ],
      )
      assert.match(codeAt(captured[1]?.callSite ?? null), /SELECT \* FROM users/)
      assert.doesNotMatch(JSON.stringify(profile), /s3cret/)
    })

    it(`keeps those of ${library} once where the application hands the database over as well`, async () => {
      const database = observeSqlite(open())
      const { captured } = await capture(() => {
        database.prepare('SELECT 1 AS one').all()
      })
      database.close()
      assert.deepEqual(pick(captured, 'text'), ['SELECT ? AS one'])
    })
  }

  it('leaves class and methods what they were', () => {
    const database = new DatabaseSync(':memory:')
    assert.equal(database.constructor, DatabaseSync)
    assert.equal(DatabaseSync.prototype.prepare.name, 'prepare')
    assert.notEqual(DatabaseSync.prototype.exec, exec)
    assert.equal(DatabaseSync.prototype.exec.length, exec.length)
    assert.throws(() => Reflect.apply(DatabaseSync.prototype.prepare, {}, ['SELECT 1']), TypeError)
    database.close()
    assert.equal(require('node:sqlite').DatabaseSync, DatabaseSync)
  })

  it('keeps those of Drizzle, which uses better-sqlite3', async () => {
    const database = new Sqlite(':memory:')
    const { captured } = await capture(() => {
      drizzle(database).all(drizzleSql`SELECT ${'s3cret'} AS word`)
    })
    database.close()
    assert.deepEqual(pick(captured, 'text', 'rows'), [['SELECT ? AS word', 1]])
  })
})

describe('captures without a line in the application: MongoDB', () => {
  it('keeps the commands of a client, of one that is handed over too, and those of mongoose, once each', async () => {
    await using service = await startMongoAnswers((command) =>
      'find' in command ? { cursor: { id: 0n, ns: 'shop.users', firstBatch: [{ name: 's3cret' }] } } : { n: 1 },
    )
    const client = new MongoClient(service.url)
    const handedOver = observeMongo(new MongoClient(service.url, { monitorCommands: true }))
    const connection = await mongoose.createConnection(service.url).asPromise()
    const User = connection.model('User', new mongoose.Schema({ name: String }))
    const { captured, profile } = await capture(async () => {
      await client.db().collection('users').find({ name: 's3cret' }).toArray()
      await handedOver.db().collection('users').find({ age: 3 }).toArray()
      await User.find({ name: 's3cret' }).exec()
    })
    await Promise.all([client.close(), handedOver.close(), connection.close()])
    assert.deepEqual(pick(captured, 'library', 'text', 'rows'), [
      ['mongodb', 'users.find({ name: ? })', 1],
      ['mongodb', 'users.find({ age: ? })', 1],
      ['mongoose', 'users.find({ name: ? })', 1],
    ])
    assert.match(codeAt(captured[0]?.callSite ?? null), /await client/)
    assert.doesNotMatch(JSON.stringify(profile), /s3cret/)
    assert.equal(MongoClient.name, 'MongoClient')
    assert.ok(client instanceof MongoClient)
  })

  it('leaves a client alone whose application does not want its commands reported', () => {
    const client = new MongoClient('mongodb://127.0.0.1:1', { monitorCommands: false })
    assert.equal(client.options.monitorCommands, false)
    assert.equal(client.listenerCount('commandStarted'), 0)
  })
})

function ending<Client extends object>(client: Client, method = 'end'): Client & AsyncDisposable {
  return Object.assign(client, {
    [Symbol.asyncDispose]: async () => {
      await Reflect.apply(Reflect.get(client, method) as () => unknown, client, [])
    },
  })
}
