// The page of all queries, of an application with a real database: what is listed in which order, and where it leads.

import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { observeSqlite } from '../../../src/capture.ts'
import { json, RouteCollection } from '../../../src/index.ts'
import { cliFolder } from '../../support/cli-run.ts'
import { makeProfile } from '../../support/profiles.ts'
import { forAll } from '../../support/for-all.ts'
import { pageText, startApp } from '../../support/running-app.ts'

const database = observeSqlite(new DatabaseSync(':memory:'))
database.exec('CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT)')
const routes = new RouteCollection()
routes.get('customers', '/customers', () => {
  for (let id = 0; id < 5; id += 1) database.prepare('SELECT name FROM customers WHERE id = ?').get(id)
  return json({})
})
routes.get('count', '/count', () => json(database.prepare('SELECT count(*) AS n FROM customers').get() ?? {}))
routes.get('wide', '/wide/{index<\\d+>}', ({ request: { params } }) => {
  const names = Array.from({ length: 12 }, (_, index) => `id AS column_${index}_of_${params.index}`)
  return json(database.prepare(`SELECT ${names.join(', ')} FROM customers WHERE name LIKE ?`).all('%'))
})
const app = await forAll(startApp({ routes }))
for (const target of ['/customers', '/count', '/customers']) await app.send({ target })

const page = async (query = ''): Promise<string> => (await app.send({ target: `/_profiler/queries${query}` })).body
const textOf = (markup: string): string => pageText(markup).replaceAll(/\s+/g, ' ').trim()
const rows = (body: string): readonly string[] =>
  [...body.matchAll(/<th scope="row"[^]*?<\/tr>/g)].map(([row]) => textOf(row))

describe('the page of queries', () => {
  it('lists each query with its count, N+1, place and route', async () => {
    const body = await page('?sort=count')
    const [first = '', second = '', ...others] = rows(body)
    assert.match(
      first,
      /^SELECT name FROM customers WHERE id = \? Explain [\d.]+ ms 10 [\d.]+ ms [\d.]+ ms 2 of 2 test\/profiler\/questions\/queries\.test\.ts:\d+ customers$/,
    )
    assert.match(second, /^SELECT count\(\*\) AS n FROM customers Explain [\d.]+ ms 1 .*count$/)
    assert.deepEqual(others, [])
    assert.match(textOf(body), /11 queries, [\d.]+ ms, in 3 profiles with queries\. ?Slowest: [\d.]+ ms SELECT/)
  })

  it('is sorted by each column, and narrowed by time, route and words', async () => {
    for (const sort of ['total', 'count', 'slowest', 'p95', 'repeated'])
      assert.match(await page(), new RegExp(`href="/_profiler/queries\\?sort=${sort}"`))
    assert.match(rows(await page('?sort=repeated'))[0] ?? '', /^SELECT name/)
    for (const [query, count] of [
      ['?since=1h', 2],
      ['?since=10m&route=count', 1],
      ['?search=WHERE+id', 1],
      ['?search=queries.test.ts', 2],
      ['?search=nowhere', 0],
      ['?until=1h', 0],
      ['?status=404', 0],
    ] as const)
      assert.equal(rows(await page(query)).length, count, query)
    const narrowed = await page('?since=1m&search=name')
    assert.match(narrowed, /href="\/_profiler\/queries\?search=name&amp;since=10m"/)
    assert.match(narrowed, /aria-current="page">Last minute</)
    assert.match(narrowed, /placeholder="Text, file or route"/)
    assert.match(textOf(await page('?status=404')), /No query matches\./)
  })

  it('leads to the slowest profile at the query, and to its plan', async () => {
    const body = await page('?sort=count')
    const [, address = '', anchor = ''] = /href="(\/_profiler\/\w+\?panel=database[^"#]*)#(query-1)"/.exec(body) ?? []
    const panel = await app.send({ target: address.replaceAll('&amp;', '&') })
    assert.ok(panel.body.includes(`id="${anchor}"`))
    const [, action = ''] = /action="([^"]+\/explain\/0)"/.exec(body) ?? []
    const plan = await app.send({
      method: 'POST',
      target: action,
      headers: ['Origin: null', 'Sec-Fetch-Site: same-origin', 'Content-Type: application/x-www-form-urlencoded'],
    })
    assert.match(plan.body, /SEARCH customers USING INTEGER PRIMARY KEY/)
  })

  it('is short however many queries there are', async () => {
    for (let index = 0; index < 40; index += 1) await app.send({ target: `/wide/${index}` })
    const body = await page()
    assert.match(textOf(body), /The first 15 of 42 are shown\. Show more/)
    assert.ok(Buffer.byteLength(body) <= 60_000, `${Buffer.byteLength(body)} bytes`)
    assert.equal(rows(await page('?limit=200')).length, 42)
  })
})

it('tells an empty store from one without the queries that were asked for', async () => {
  await using empty = await startApp()
  const { body } = await empty.send({ target: '/_profiler/queries' })
  assert.match(textOf(body), /No database or cache queries were captured\./)
})

it('is the command profiles queries, with the token of the slowest run', async () => {
  await using folder = await cliFolder()
  const queries = [{ group: 0, startMs: 0, durationMs: 7, error: null, callSite: 'src/a.ts:1' }]
  const groups = [{ system: 'pg', library: 'pg', namespace: null, text: 'SELECT 1', count: 1, totalMs: 7 }]
  const database = { queries, groups, findings: [], dropped: 0, durationMs: 7 }
  await (
    await folder.engine()
  ).profiles.write([makeProfile({ token: 'slowest00000', queryCount: 1, data: { database } })])
  const { stdout } = await folder.run(['profiles', 'queries', '--since', '1h'])
  assert.match(stdout, /1 query, 7\.00 ms, in 1 profile with queries\./)
  assert.match(stdout, /SELECT 1 .* 7\.00 ms +1 +7\.00 ms slowest00000 +7\.00 ms .* src\/a\.ts:1/)
})
