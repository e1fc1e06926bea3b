// Plans of queries on request, with real databases in SQLite: what is asked, what is never run, and who may ask.

import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import BetterSqlite from 'better-sqlite3'
import { observeSqlite } from '../../../src/capture.ts'
import { json, RouteCollection } from '../../../src/index.ts'
import type { RawResponse } from '../../support/raw-client.ts'
import { forAll } from '../../support/for-all.ts'
import { pageText, startApp } from '../../support/running-app.ts'

const node = observeSqlite(new DatabaseSync(':memory:'))
const better = observeSqlite(new BetterSqlite(':memory:'))
for (const database of [node, better]) {
  database.exec('CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT); CREATE INDEX by_name ON users (name)')
}
const routes = new RouteCollection()
routes.get('queries', '/queries', () => {
  node.prepare("SELECT id FROM users WHERE name = ? AND id > 5 OR name = 'canary'").all('x')
  better.prepare('SELECT id FROM users WHERE id = :id OR id = :other').all({ id: 1, other: 2 })
  node.prepare('DELETE FROM users WHERE id = ?').run(7)
  node.exec('PRAGMA user_version')
  return json({})
})
const app = await forAll(startApp({ routes }))
const token = (await app.send({ target: '/queries' })).header('x-debug-token') ?? ''

// Pages of the profiler send no referrer, so a browser sends no origin for their forms.
const fromHere = (): Record<string, string> => ({ Origin: 'null', 'Sec-Fetch-Site': 'same-origin' })

const linesOf = (fields: Readonly<Record<string, string | undefined>>): readonly string[] =>
  Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]))

async function explain(query: number | string, headers = fromHere(), of = token): Promise<RawResponse> {
  const fields = { Host: new URL(app.url).host, 'Content-Type': 'application/x-www-form-urlencoded', ...headers }
  return app.send({ method: 'POST', target: `/_profiler/${of}/explain/${query}`, headers: linesOf(fields) })
}

describe('the plan of a query', () => {
  it('comes from the database that sent it, with the libraries of SQLite', async () => {
    const { body, status } = await explain(0)
    assert.equal(status, 200)
    assert.match(pageText(body), /Plan[\s\S]*(?:SEARCH|SCAN|MULTI-INDEX)[\s\S]*users/)
    assert.doesNotMatch(body, /canary/)
    assert.match(pageText((await explain(1)).body), /(?:SEARCH|SCAN|MULTI-INDEX)[\s\S]*INTEGER PRIMARY KEY/)
  })

  it('runs nothing', async () => {
    node.prepare("INSERT INTO users VALUES (7, 'kept')").run()
    assert.match(pageText((await explain(2)).body), /SEARCH users USING INTEGER PRIMARY KEY/)
    assert.equal(node.prepare('SELECT name FROM users WHERE id = 7').get()?.['name'], 'kept')
  })

  it('is asked for at the same address by a reader who comes from a list', async () => {
    const { body } = await app.send({ target: `/_profiler/${token}?panel=database&list=status%3D200` })
    assert.match(body, /list=status%3D200/)
    assert.match(body, new RegExp(`action="/_profiler/${token}/explain/0"`))
  })

  it('is explained by a sentence where there is none', async () => {
    const page = (await app.send({ target: `/_profiler/${token}?panel=database` })).body
    // The last one has no connection to ask, so it has no button.
    assert.equal(page.match(/\/explain\/\d+"/g)?.length, 3)
    assert.match(pageText((await explain(3)).body), /Run the query once in this process/)
    assert.equal((await explain(4)).status, 404)
    assert.equal((await explain(0, fromHere(), 'abcdefghij')).status, 404)
  })

  it('T165: is asked for by this machine and by a page of ours only', async () => {
    const host = new URL(app.url).host
    for (const [why, headers] of [
      ['no origin', { Origin: undefined, 'Sec-Fetch-Site': 'same-origin' }],
      ['another origin', { Origin: 'http://evil.example', 'Sec-Fetch-Site': 'cross-site' }],
      ['a page that says nothing of itself', { Origin: app.url, 'Sec-Fetch-Site': undefined }],
      ['a form without an origin elsewhere', { Origin: 'null', 'Sec-Fetch-Site': 'cross-site' }],
      ['a form of an old browser', { Origin: 'null', 'Sec-Fetch-Site': undefined }],
      ['another site', { Origin: app.url, 'Sec-Fetch-Site': 'same-site' }],
      ['a proxy', { ...fromHere(), 'X-Forwarded-For': '203.0.113.9' }],
      ['another host', { ...fromHere(), Host: 'evil.example' }],
    ] as const) {
      const sent = linesOf({ Host: host, ...headers })
      const { status, body } = await app.send({
        method: 'POST',
        target: `/_profiler/${token}/explain/0`,
        headers: sent,
      })
      assert.equal(status, 403, why)
      assert.doesNotMatch(body, /SEARCH|SCAN/)
    }
    const got = await app.send({ target: `/_profiler/${token}/explain/0` })
    assert.ok(got.status === 404 || got.status === 405, String(got.status))
  })
})
