// The package `mysql2` against a real MariaDB.

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import callbackApi from 'mysql2'
import mysql from 'mysql2/promise'
import { profileOf, startWorking } from '../../../../support/captured.ts'
import {
  capture,
  captureSideBySide,
  findingsOf,
  expectCaptured,
  itKeepsApart,
  itTellsRepeats,
} from '../../../../support/captured-queries.ts'
import { startMariadb, type DatabaseServer } from '../../../../support/database-servers.ts'
import { pageText } from '../../../../support/running-app.ts'
import { pick } from '../../../../support/pick.ts'

describe('mysql2Source, with the package mysql2 and a real MariaDB', () => {
  let server: DatabaseServer
  let pool: mysql.Pool

  const settings = () => ({ socketPath: server.socket, user: 'root', database: 'test' })

  before(async () => {
    server = await startMariadb()
    pool = mysql.createPool({ ...settings(), connectionLimit: 2 })
    await pool.query('CREATE TABLE users (id int PRIMARY KEY, name text)')
    await pool.query("INSERT INTO users VALUES (1, 'Ann'), (2, 'Bob'), (3, 'Cid')")
  })
  after(async () => {
    await pool.end()
    await server.stop()
  })

  it('keeps text without values, rows, time and the line of the call', async () => {
    const work = async (): Promise<void> => {
      const [rows] = await pool.query('SELECT * FROM users WHERE id < ? AND name <> ?', [3, 's3cret'])
      assert.equal(Array.isArray(rows) && rows.length, 2)
      await pool.query('UPDATE users SET name = "s3cret" WHERE id IN (?)', [[2, 3]])
      await pool.query("SELECT 's3cret' AS `quoted` # s3cret")
    }
    await expectCaptured(work, { system: 'mysql', library: 'mysql2', namespace: 'test' }, [
      ['SELECT * FROM users WHERE id < ? AND name <> ?', 2, /await pool\.query\('SELECT/],
      ['UPDATE users SET name = ? WHERE id IN (?, ?)', 2, /await pool\.query\('UPDATE/],
      ['SELECT ? AS `quoted`', 1],
    ])
  })

  it('explains what was read through a pool, runs nothing and leaves nothing behind', async () => {
    await pool.query('CREATE TABLE added (id int)')
    await pool.query('CREATE FUNCTION add_one() RETURNS int BEGIN INSERT INTO added VALUES (1); RETURN 1; END')
    const narrow = mysql.createPool({ ...settings(), connectionLimit: 1 })
    const single = await mysql.createConnection({ ...settings(), database: 'mysql' })
    const plans = [
      [
        'SELECT name FROM users WHERE id = 2',
        /in place of each value:\s+id 1 · select_type SIMPLE · table users · type const/,
      ],
      [
        'SELECT name AS `what?` FROM users ORDER BY name',
        /Plan\s+id 1 .* table users · type ALL · rows 3 · Extra Using filesort/,
      ],
      ['SELECT (SELECT add_one())', /gave no plan: Cannot execute statement in a READ ONLY transaction/],
      ['UPDATE users SET name = name', /Run the query once in this process/],
    ] as const
    await using app = await startWorking(async () => {
      for (const [sql] of plans) await narrow.query(sql)
      await single.query('SELECT user FROM user')
    })
    const token = (await profileOf(app)).token
    const planOf = async (query: number): Promise<string> => {
      const headers = [`Host: ${new URL(app.url).host}`, 'Origin: null', 'Sec-Fetch-Site: same-origin']
      const asked = { method: 'POST', target: `/_profiler/${token}/explain/${query}`, headers }
      return pageText((await app.send(asked)).body)
    }
    for (const [index, [, plan]] of plans.entries()) assert.match(await planOf(index), plan)
    assert.match(await planOf(plans.length), /Run the query once/, 'a connection of no pool')
    const [added] = await narrow.query('SELECT COUNT(*) AS count FROM added')
    assert.deepEqual(added, [{ count: 1 }])
    await narrow.query('START TRANSACTION')
    await narrow.query('INSERT INTO added VALUES (2)')
    assert.match(await planOf(0), /gave no plan: the application has left a transaction open on it/)
    await narrow.query('COMMIT')
    const [kept] = await narrow.query('SELECT COUNT(*) AS count FROM added')
    assert.deepEqual(kept, [{ count: 2 }])
    await Promise.all([narrow.end(), single.end()])
  })

  it('keeps prepared statements, and tells their values apart without showing them', async () => {
    const work = async (): Promise<void> => {
      for (const name of ['s3cret1', 's3cret2', 's3cret3', 's3cret3']) {
        await pool.execute('SELECT id FROM users WHERE name = ?', [name])
      }
    }
    const statement = ['SELECT id FROM users WHERE name = ?', 0, /await pool\.execute\(/] as const
    const data = await expectCaptured(work, {}, [statement, statement, statement, statement])
    assert.deepEqual(findingsOf(data), ['n+1 4', 'duplicate 2'])
  })

  it('keeps why a statement failed, without the values that the server repeats', async () => {
    const { captured, profile } = await capture(async () => {
      await assert.rejects(pool.query('SELECT * FROM nothing'))
      await assert.rejects(pool.execute('INSERT INTO users VALUES (?, ?)', [1, 's3cret']))
      await assert.rejects(pool.query("INSERT INTO users VALUES ('s3cret', 1)"))
    })
    assert.deepEqual(pick(captured, 'rows'), [null, null, null])
    assert.match(captured[0]?.error ?? '', /Table 'test\.nothing' doesn't exist/)
    assert.match(captured[1]?.error ?? '', /Duplicate entry/)
    assert.match(captured[2]?.error ?? '', /Incorrect integer value/)
    assert.doesNotMatch(JSON.stringify(profile), /s3cret/)
  })

  it('keeps a transaction of a lent connection', async () => {
    const { captured, ...data } = await capture(async () => {
      const connection = await pool.getConnection()
      await connection.beginTransaction()
      await connection.query('UPDATE users SET name = ? WHERE id = ?', ['Eve', 2])
      await connection.rollback()
      connection.release()
    })
    assert.deepEqual(pick(captured, 'text', 'rows'), [
      ['START TRANSACTION', 0],
      ['UPDATE users SET name = ? WHERE id = ?', 1],
      ['ROLLBACK', 0],
    ])
    assert.deepEqual(findingsOf(data), [])
  })

  it('keeps calls with a callback, and rows that are streamed', async () => {
    const connection = callbackApi.createConnection(settings())
    const { captured } = await capture(async () => {
      await new Promise((resolve) => connection.query('SELECT id FROM users', resolve))
      const stream = connection.query('SELECT id FROM users WHERE id > 1').stream()
      assert.equal((await stream.toArray()).length, 2)
    })
    await new Promise((resolve) => connection.end(resolve))
    assert.deepEqual(
      captured.map(({ text, rows, error, durationMs }) => [text, rows, error, Number(durationMs) > 0]),
      [
        ['SELECT id FROM users', 3, null, true],
        ['SELECT id FROM users WHERE id > ?', null, null, true],
      ],
    )
  })

  itTellsRepeats((id) => pool.query('SELECT name FROM users WHERE id = ?', [id]))

  itKeepsApart(
    'while they wait for two connections',
    async (who) => {
      await Promise.all(['a', 'b', 'c'].map((round) => pool.query(`SELECT SLEEP(0.005) AS ${who}_${round}`)))
      const connection = await pool.getConnection()
      await connection.execute(`SELECT 1 AS ${who}_lent`)
      connection.release()
    },
    (who) => [`SELECT ? AS ${who}_lent`, ...['a', 'b', 'c'].map((round) => `SELECT SLEEP(?) AS ${who}_${round}`)],
  )

  it('keeps statements of two applications in one process apart, while they wait for one connection', async () => {
    const narrow = mysql.createPool({ ...settings(), connectionLimit: 1 })
    const work = async ({ request }: { request: { header(name: string): string | undefined } }): Promise<void> => {
      for (const round of ['a', 'b']) await narrow.query(`SELECT 1 AS ${request.header('x-who')}_${round}`)
    }
    await using shop = await startWorking(work)
    await using office = await startWorking(work)
    const texts = await Promise.all([
      captureSideBySide(shop, ['ann', 'bob']),
      captureSideBySide(office, ['cid', 'dan']),
    ])
    await narrow.end()
    assert.deepEqual(
      texts.flat(),
      ['ann', 'bob', 'cid', 'dan'].map((who) => ['a', 'b'].map((round) => `SELECT ? AS ${who}_${round}`)),
    )
  })
})
