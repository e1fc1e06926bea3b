// Statements of `node:sqlite`, on a real database.

import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { observeSqlite } from '../../../src/libraries/sources/sqlite.ts'
import type { DatabaseData } from '../../../src/observe/outgoing/database-data.ts'
import type { Profile } from '../../../src/observe/profile.ts'
import { profileOf, startWorking, withoutCode } from '../../support/captured.ts'
import { pick } from '../../support/pick.ts'

describe('observeSqlite', () => {
  it('keeps statement, rows, time and call site, and no value', async () => {
    const database = openPrices()
    const byCode = database.prepare("SELECT * FROM prices WHERE code = ? AND note <> 'secret-literal'")
    await using app = await startWorking(() => {
      byCode.all('secret-value')
      database.prepare('INSERT INTO prices (code, rate) VALUES (?, 1.5)').run('AAA')
    })
    const profile = await profileOf(app)
    const { groups, queries, findings } = dataOf(profile)
    assert.deepEqual(pick(groups, 'system', 'library', 'text', 'count'), [
      ['sqlite', 'node:sqlite', 'SELECT * FROM prices WHERE code = ? AND note <> ?', 1],
      ['sqlite', 'node:sqlite', 'INSERT INTO prices (code, rate) VALUES (?, ?)', 1],
    ])
    assert.deepEqual(pick(queries, 'rows', 'error'), [
      [0, null],
      [1, null],
    ])
    for (const { callSite, durationMs } of queries) {
      assert.match(callSite ?? '', /^test\/profiler\/capture\/sqlite\.test\.ts:\d+$/)
      assert.equal(typeof durationMs, 'number')
    }
    assert.deepEqual(findings, [])
    assert.doesNotMatch(JSON.stringify(withoutCode(profile)), /secret-(literal|value)/)
  })

  it('tells an N+1 from exact duplicates', async () => {
    const database = openPrices()
    const byCode = database.prepare('SELECT rate FROM prices WHERE code = ?')
    const count = database.prepare('SELECT count(*) FROM prices')
    await using app = await startWorking(() => {
      for (const code of ['EUR', 'USD', 'CHF']) byCode.get(code)
      count.get()
      count.get()
    })
    const { findings, groups } = dataOf(await profileOf(app))
    assert.deepEqual(
      findings.map(({ kind, group, count: times }) => [kind, groups[group]?.text, times]),
      [
        ['n+1', 'SELECT rate FROM prices WHERE code = ?', 3],
        ['duplicate', 'SELECT count(*) FROM prices', 2],
      ],
    )
    assert.match(findings[0]?.callSite ?? '', /^test\/profiler\/capture\/sqlite\.test\.ts:\d+$/)
  })

  it('captures few frames where they lead to what calls the handler, else as many as can hold own code', async (test) => {
    const byCode = openPrices().prepare('SELECT rate FROM prices WHERE code = ?')
    const deep = (calls: number): unknown => (calls === 0 ? byCode.get('EUR') : [deep(calls - 1)])
    await using app = await startWorking(() => {
      for (const calls of [0, 1, 20, 0]) deep(calls)
    })
    const { set } = Reflect
    const limits: unknown[] = []
    test.mock.method(Reflect, 'set', (...given: Parameters<typeof set>) => {
      if (given[1] === 'stackTraceLimit') limits.push(given[2])
      return set(...given)
    })
    const { queries } = dataOf(await profileOf(app))
    // Each is followed by the usual one.
    assert.deepEqual(
      limits.filter((_, index) => index % 2 === 0),
      [14, 14, 14, 30, 30],
    )
    assert.equal(new Set(queries.map(({ callSite }) => callSite)).size, 1)
  })

  it('hands results and errors on as they are, and keeps the error', async () => {
    const database = openPrices()
    assert.equal(observeSqlite(database), database)
    let thrown: unknown
    await using app = await startWorking(() => {
      assert.deepEqual({ ...database.prepare('SELECT 1 AS one').get() }, { one: 1 })
      assert.equal([...database.prepare('SELECT 1 UNION SELECT 2').iterate()].length, 2)
      database.exec("UPDATE prices SET rate = 2 WHERE code = 'EUR'")
      try {
        database.exec('SELECT some FROM nowhere')
      } catch (error) {
        thrown = error
      }
    })
    const { queries } = dataOf(await profileOf(app))
    assert.match(String(thrown), /no such table: nowhere/)
    assert.equal(queries.length, 4)
    assert.match(queries[3]?.error ?? '', /no such table: nowhere/)
  })

  it('keeps the statements of requests that run side by side apart', async () => {
    const database = openPrices()
    const slowly = database.prepare('SELECT ?')
    await using app = await startWorking(async ({ request }) => {
      for (let round = 0; round < Number(request.header('x-rounds')); round += 1) {
        slowly.get(round)
        await new Promise((resolve) => setImmediate(resolve))
      }
    })
    const profiles = await Promise.all(['1', '4', '7'].map((rounds) => profileOf(app, { 'x-rounds': rounds })))
    assert.deepEqual(
      profiles.map((profile) => dataOf(profile).queries.length),
      [1, 4, 7],
    )
  })

  it('keeps 500 statements and counts the others', async () => {
    const database = openPrices()
    const one = database.prepare('SELECT 1')
    await using app = await startWorking(() => {
      for (let round = 0; round < 510; round += 1) one.get()
    })
    const { queries, dropped } = dataOf(await profileOf(app))
    assert.deepEqual([queries.length, dropped], [500, 10])
  })

  it('notes nothing outside a recorded request', async () => {
    const database = openPrices()
    await using app = await startWorking(() => undefined)
    database.prepare('SELECT 1').get()
    assert.equal((await profileOf(app)).data['database'], undefined)
  })
})

function openPrices(): DatabaseSync {
  const database = observeSqlite(new DatabaseSync(':memory:'))
  database.exec('CREATE TABLE prices (code TEXT, rate REAL, note TEXT)')
  return database
}

function dataOf(profile: Profile): DatabaseData {
  return profile.data['database'] as DatabaseData
}
