// What agents may read of a real PostgreSQL, and what a hostile text cannot do there.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { Redactor } from '../../../../../src/base/redact/redactor.ts'
import { waysOf } from '../../../../../src/libraries/sources/pg.ts'
import { databaseReader, type RowAnswer } from '../../../../../src/observe/outgoing/open-databases.ts'
import { startPostgres, type DatabaseServer } from '../../../../support/database-servers.ts'
import { itRefuses } from '../../../../support/row-attacks.ts'

describe('databaseReader, with the package pg and a real PostgreSQL', () => {
  let server: DatabaseServer
  let admin: pg.Pool
  let pool: pg.Pool
  const open = (user: string, max = 2): pg.Pool => new pg.Pool({ host: server.socket, user, database: 'postgres', max })

  before(async () => {
    server = await startPostgres()
    admin = open('test')
    await admin.query(`CREATE ROLE plain LOGIN; CREATE ROLE reader LOGIN IN ROLE pg_read_server_files;
      CREATE TABLE users (id serial PRIMARY KEY, name text, password text, note text);
      INSERT INTO users (name, password, note) VALUES ('Ann', 'hunter2', 'Authorization: Bearer canary-0123456789'), ('Bob', NULL, repeat('x', 5000));
      CREATE FUNCTION add_user() RETURNS int LANGUAGE sql AS $$ INSERT INTO users (name) VALUES ('Eve') RETURNING id $$;
      GRANT ALL ON users, users_id_seq TO plain, reader`)
    pool = open('plain')
  })
  after(async () => {
    await Promise.all([pool.end(), admin.end()])
    await server.stop()
  })

  const read = async (sql: string, of = pool, limit = 50): Promise<RowAnswer> => {
    const { rows } = waysOf(new WeakRef(of), pg.Pool.prototype.connect)
    return databaseReader(new Map([['postgresql', rows]]), new Redactor())({ sql, limit })
  }
  const state = async (): Promise<unknown> =>
    (await admin.query('SELECT *, (SELECT last_value FROM users_id_seq) FROM users')).rows

  it('gives rows as text, cut and masked by names of columns and by what values look like', async () => {
    assert.deepEqual(await read('SELECT *, id AS id, NULL AS nothing FROM users ORDER BY id; '), {
      database: 'postgresql postgres',
      columns: ['id', 'name', 'password', 'note', 'id', 'nothing'],
      rows: [
        ['1', 'Ann', '******', 'Authorization: Bearer ******', '1', null],
        ['2', 'Bob', null, `${'x'.repeat(1000)}… [200 more characters]`, '2', null],
      ],
      isMore: false,
    })
  })

  it('gives at most so many rows, and says that there are more', async () => {
    const found = await read('SELECT generate_series(1, 10000000)', pool, 200)
    assert.ok('rows' in found && found.isMore)
    assert.deepEqual([found.rows.length, found.rows.at(-1)], [200, ['200']])
  })

  it('reads the catalogue', async () => {
    const found = await read("SELECT column_name FROM information_schema.columns WHERE table_name = 'users' ORDER BY 1")
    assert.deepEqual('rows' in found && found.rows.flat(), ['id', 'name', 'note', 'password'])
  })

  itRefuses('postgresql', async (sql) => read(sql), state, {
    'SELECT password AS p FROM users': /password is masked: leave it out/,
    "SELECT to_jsonb(u) ->> 'password' AS p FROM users u": /password is masked: leave it out/,
    'SELECT 1; DROP TABLE users': /one SELECT/,
    'DROP TABLE users': /one SELECT/,
    'COPY users TO PROGRAM $$true$$': /one SELECT/,
    "COPY users FROM '/etc/hostname'": /one SELECT/,
    'EXPLAIN ANALYZE DELETE FROM users': /one SELECT/,
    'SELECT 1) AS t (c0); DROP TABLE users; SELECT * FROM (SELECT 1': /one SELECT/,
    'SELECT 1) AS t (c0) UNION SELECT (2': /syntax error/,
    "SELECT 1) AS t UNION ALL SELECT repeat('x', 1000000000) FROM (SELECT 1": /syntax error/,
    'SELECT $q$ $q$; DROP TABLE users --$q$': /one SELECT/,
    "WITH x AS (INSERT INTO users (name) VALUES ('Eve') RETURNING *) SELECT * FROM x":
      /WITH must not contain|data-modifying/,
    'SELECT * INTO copied FROM users': /INTO/i,
    'SELECT * FROM users FOR UPDATE': /read-only|FOR UPDATE/,
    'SELECT add_user()': /read-only/,
    "SELECT nextval('users_id_seq')": /read-only/,
    "SELECT setval('users_id_seq', 99)": /read-only/,
    'SELECT pg_sleep(60)::text': /statement timeout/,
    "SELECT set_config('statement_timeout', '0', false), pg_sleep(60)::text": /statement timeout/,
    "SELECT set_config('transaction_read_only', 'off', false), add_user()": /before any query|read-write/,
    'WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r) SELECT max(n) FROM r': /statement timeout/,
    'SELECT count(*) FROM generate_series(1, 10000000) a, generate_series(1, 1000) b': /statement timeout/,
    "SELECT pg_read_file('/etc/hostname')": /permission denied/,
    "SELECT lo_import('/etc/hostname')": /permission denied/,
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity': /pg_terminate_backend may do more/,
    'SELECT U&"pg\\005fterminate\\005fbackend"(1)': /U&" may do more/,
    "SELECT query_to_xml('SELECT 1', true, true, '')": /query_to_xml may do more/,
    "SELECT * FROM dblink('dbname=postgres', 'DROP TABLE users') AS t (a text)": /dblink may do more/,
  })

  it('leaves nothing on a connection of the pool', async () => {
    const one = open('plain', 1)
    await one.query('SELECT 1')
    await read("SELECT pg_advisory_lock(7)::text, set_config('search_path', 'nowhere', false)", one)
    const { rows } = await one.query(
      "SELECT current_setting('search_path') AS path, (SELECT count(*)::int FROM pg_locks WHERE locktype = 'advisory') AS locks",
    )
    assert.deepEqual(rows, [{ path: '"$user", public', locks: 0 }])
    await one.end()
  })

  it('refuses roles that may do more than read', async () => {
    for (const [user, power] of [
      ['test', 'test'],
      ['reader', 'pg_read_server_files'],
    ] as const) {
      const own = open(user)
      const found = await read("SELECT pg_read_file('/etc/hostname')", own)
      assert.ok('problem' in found && found.problem.includes(`${power} may do more than read`), JSON.stringify(found))
      await own.end()
    }
  })

  it('takes no connection in which the application has a transaction open, and waits for none for long', async () => {
    const one = open('plain', 1)
    const client = await one.connect()
    const full = await read('SELECT 1', one)
    assert.ok('problem' in full && full.problem.includes('gave no connection within 10 seconds'), JSON.stringify(full))
    await client.query("BEGIN; UPDATE users SET name = 'Zoe' WHERE id = 1")
    client.release()
    const found = await read('SELECT 1', one)
    assert.ok('problem' in found && found.problem.includes('has left a transaction open'), JSON.stringify(found))
    const { rows } = await one.query('SELECT name FROM users WHERE id = 1')
    assert.deepEqual(rows, [{ name: 'Zoe' }])
    await one.query('ROLLBACK')
    assert.equal(one.waitingCount, 0)
    await one.end()
  })
})
