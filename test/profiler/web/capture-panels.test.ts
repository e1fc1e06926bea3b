// The panels of outgoing calls and queries: with real data, empty, cut, and with hostile text.

import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import type { HttpClientData, OutgoingRequest } from '../../../src/observe/outgoing/http-client-data.ts'
import { httpClientCollector, httpClientPart } from '../../../src/observe/outgoing/http-client-data.ts'
import { observeSqlite } from '../../../src/libraries/sources/sqlite.ts'
import { type DatabaseData, databaseCollector } from '../../../src/observe/outgoing/database-data.ts'
import { Redactor } from '../../../src/base/redact/redactor.ts'
import type { PanelView } from '../../../src/pages/panel.ts'
import { databasePanel } from '../../../src/pages/panels/database.ts'
import { describedPanel } from '../../../src/analysis/pages/panels.ts'
import { profileOf, startWorking } from '../../support/captured.ts'
import { startEchoService } from '../../support/echo-service.ts'
import { freePort } from '../../support/free-port.ts'
import { hostileText } from '../../support/hostile-profile.ts'
import { makeProfile } from '../../support/profiles.ts'
import { pageText } from '../../support/running-app.ts'

const view: PanelView = { profile: makeProfile({}), linkTo: (token) => `/_profiler/${token}` }

const httpClientPanel = describedPanel(httpClientPart)

describe('httpClientPanel', () => {
  it('shows each call with its answer, its place in the code and the profile of the other side', async () => {
    const port = await freePort()
    await using service = await startEchoService()
    await using app = await startWorking(async () => {
      await (await fetch(`${service.url}/profiled?page=2`)).text()
      await (await fetch(`${service.url}/status/503`)).text()
      await fetch(`http://127.0.0.1:${port}/`)
    })
    const { token } = await profileOf(app)
    const { body } = await app.send({ target: `/_profiler/${token}?panel=http-client` })
    const text = pageText(body).replace(/\s+/g, ' ')
    assert.match(text, /200 GET http:\/\/127\.0\.0\.1:\d+\/profiled\?page=2/)
    assert.match(text, /503 GET/)
    assert.match(text, /failed GET .* ECONNREFUSED/)
    assert.match(text, /· test\/profiler\/web\/capture-panels\.test\.ts:\d+/)
    assert.ok(body.includes(`href="${service.url}/_profiler/abc123def4"`))
  })

  it('counts calls, or those that went wrong', () => {
    const badge = (...calls: readonly OutgoingRequest[]): unknown => httpClientPanel.badge?.(dataOf(calls))
    assert.deepEqual(badge(call({}), call({})), { count: 2, tone: 'neutral', hint: '2 outgoing requests' })
    assert.deepEqual(badge(call({}), call({ status: 404 })), {
      count: 1,
      tone: 'warning',
      hint: '1 of 2 outgoing requests with an error',
    })
    assert.deepEqual(badge(call({ status: 404 }), call({ status: null, error: 'gone' })), {
      count: 2,
      tone: 'error',
      hint: '2 of 2 outgoing requests with an error',
    })
  })

  it('marks what was cut, and keeps the calls that went wrong', () => {
    const calls = Array.from({ length: 200 }, (_, index) =>
      call({ status: index === 150 ? 500 : 200, requestHeaders: [['accept', 'x'.repeat(2000)]] }),
    )
    const data = httpClientCollector(new Redactor()).cut?.(dataOf(calls), 20_000)
    assert.ok(data !== undefined && data.calls.length < 100)
    assert.ok(data.calls.some(({ status }) => status === 500))
    assert.match(
      String(httpClientPanel.render(data, view)),
      new RegExp(`${data.calls.length} of 200 outgoing requests recorded`),
    )
  })

  it('lists many in lines that lead to them', () => {
    const calls = Array.from({ length: 60 }, (_, index) =>
      call({
        url: `http://h/${index}`,
        requestHeaders: [
          ['accept', '*/*'],
          ['x-part', `${index} `.repeat(100)],
        ],
      }),
    )
    const shown = (from: string): string =>
      String(httpClientPanel.render(dataOf(calls), { ...view, values: new Map([['from', from]]) }))
    const first = shown('')
    assert.ok(first.length < 30_000, String(first.length))
    assert.match(first, /<a href="\?[^"]*from=59"><code>http:\/\/h\/59</)
    for (const [from, begins] of [
      ['59', 59],
      ['99', 59],
      ['x', 0],
    ] as const)
      assert.match(shown(from), new RegExp(`^[^]*?<article(?:(?!</h3>)[^])*http://h/${begins}<`))
    // A file has no address that could ask for the others.
    assert.equal(String(httpClientPanel.render(dataOf(calls), view)).match(/<article/g)?.length, 60)
  })

  it('lets no text leave its place, and stays below a megabyte', () => {
    const hostile = call({
      method: hostileText,
      url: hostileText,
      error: hostileText,
      callSite: hostileText,
      requestHeaders: [[hostileText, hostileText]],
      profile: { token: hostileText, link: hostileText },
    })
    const markup = String(httpClientPanel.render(dataOf(Array(200).fill(hostile)), view))
    assert.doesNotMatch(markup, /<img|<svg onload|href="javascript/)
    assert.ok(markup.length < 1_000_000)
  })
})

describe('databasePanel', () => {
  it('names N+1 and duplicates first, then each statement with its runs', async () => {
    const database = observeSqlite(new DatabaseSync(':memory:'))
    const one = database.prepare('SELECT ? AS one')
    await using app = await startWorking(() => {
      for (const value of ['a', 'b', 'c', 'c']) one.get(value)
      database.exec('SELECT some FROM nowhere')
    })
    const { token } = await profileOf(app)
    const { body } = await app.send({ target: `/_profiler/${token}?panel=database` })
    const text = pageText(body).replace(/\s+/g, ' ')
    assert.match(text, /N\+1: SELECT \? AS one ran 4 times from test\/profiler\/web\/capture-panels\.test\.ts:\d+/)
    assert.match(text, /Duplicates: it ran 2 times with the same values, from test\/profiler\/web\/capture-panels/)
    assert.match(text, /1 failed .*SELECT some FROM nowhere/)
    assert.match(text, /Queries by total time, sqlite · node:sqlite/)
  })

  it('has one note for each statement, with all of its repeats and the places they come from', () => {
    const repeat = { group: 0, totalMs: 2, callSite: 'src/a.ts:1' }
    const data = {
      ...statements(4, 'SELECT 1'),
      findings: [
        { ...repeat, kind: 'n+1' as const, count: 40 },
        { ...repeat, kind: 'n+1' as const, count: 4, callSite: 'src/b.ts:2' },
        ...Array.from({ length: 20 }, () => ({ ...repeat, kind: 'duplicate' as const, count: 2 })),
      ],
    }
    const text = pageText(String(databasePanel.render(data, view))).replace(/\s+/g, ' ')
    assert.equal(text.match(/N\+1:/g)?.length, 1)
    assert.match(text, /ran 44 times from src\/a\.ts:1 \(40 ×\), src\/b\.ts:2 \(4 ×\) with different values/)
    assert.equal(text.match(/Duplicates?:/g)?.length, 1)
    assert.match(text, /it ran 40 times with only 20 different sets of values, from src\/a\.ts:1 .* 20 exact repeats/)
  })

  it('folds the notes beyond the first five', () => {
    const { groups, ...rest } = statements(4, 'SELECT 1')
    const many = Array.from({ length: 9 }, (_, group) => ({
      kind: 'duplicate' as const,
      group,
      count: 2,
      totalMs: 1,
      callSite: null,
    }))
    const data = { ...rest, groups: many.map(() => groups[0]!), findings: many }
    assert.match(String(databasePanel.render(data, view)), /<summary>4 more queries repeated too often<\/summary>/)
  })

  it('shows the most expensive first, or the queries as they ran with equal ones in one line', () => {
    const base = statements(6, 'SELECT 1')
    const [first, second] = [base.groups[0]!, { ...base.groups[0]!, text: 'SELECT 2', totalMs: 9 }]
    const data = {
      ...base,
      groups: [first, second],
      queries: [
        ...base.queries.slice(0, 4),
        ...base.queries.slice(4).map((query) => Object.assign({}, query, { group: 1 })),
      ],
      findings: [],
    }
    assert.match(pageText(String(databasePanel.render(data, view))), /SELECT 2.*SELECT 1/s)
    const inSequence = { ...view, values: new Map([['order', 'sequence']]) }
    const text = pageText(String(databasePanel.render(data, inSequence))).replace(/\s+/g, ' ')
    assert.match(text, /1–4 0\.00 ms 4\.00 ms 4 4 × SELECT 1 .* 5–6 4\.00 ms 2\.00 ms 2 2 × SELECT 2/)
  })

  it('keeps 500 queries below 200 KB in either order', () => {
    const queries = statements(500, 'SELECT name FROM products WHERE id = ?')
    for (const order of ['', 'sequence']) {
      const markup = String(databasePanel.render(queries, { ...view, values: new Map([['order', order]]) }))
      assert.ok(markup.length < 160_000, String(markup.length))
    }
  })

  it('marks what was cut, and keeps findings and failures', () => {
    const data = databaseCollector(new Redactor()).cut?.(statements(500, 'x'.repeat(100)), 30_000)
    assert.ok(data !== undefined && data.queries.length < 400)
    assert.equal(data.findings.length, 1)
    assert.ok(data.queries.some(({ error }) => error !== null))
    assert.match(String(databasePanel.render(data, view)), new RegExp(`${data.queries.length} of 500 queries recorded`))
  })

  it('lets no text leave its place, and stays below a megabyte', () => {
    const markup = String(databasePanel.render(statements(500, hostileText), view))
    assert.doesNotMatch(markup, /<img|<svg onload/)
    assert.ok(markup.length < 1_000_000)
  })
})

function call(parts: Partial<OutgoingRequest>): OutgoingRequest {
  return {
    client: 'fetch',
    method: 'GET',
    url: 'http://prices.example/',
    status: 200,
    error: null,
    startMs: 1,
    waitMs: 1,
    firstByteMs: 2,
    durationMs: 3,
    requestBytes: null,
    responseBytes: 5,
    requestHeaders: [],
    responseHeaders: [],
    profile: null,
    callSite: null,
    spanId: null,
    ...parts,
  }
}

function dataOf(calls: readonly OutgoingRequest[]): HttpClientData {
  return { calls, dropped: 0, traceId: 'a'.repeat(32), parentSpanId: null, durationMs: 10 }
}

function statements(count: number, text: string): DatabaseData {
  const group = { system: text, library: text, namespace: text, text, count, totalMs: 1 }
  return {
    queries: Array.from({ length: count }, (_, index) => ({
      group: 0,
      startMs: index,
      durationMs: 1,
      rows: 1,
      error: index === 400 ? text : null,
      callSite: text,
    })),
    groups: [group],
    findings: [{ kind: 'n+1', group: 0, count, totalMs: 1, callSite: text }],
    dropped: 0,
    durationMs: count,
  }
}
