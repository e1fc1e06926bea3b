// The trace page, over real sockets: two applications, one of which calls the other.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { json, RouteCollection } from '../../../src/index.ts'
import { openEngine } from '../../../src/app/open-engine.ts'
import type { RecentTrace } from '../../../src/otel/traces-question.ts'
import type { TraceSpan } from '../../../src/profiles/trace-span.ts'
import type { Trace } from '../../../src/otel/traces/read-trace.ts'
import { makeProfile } from '../../support/profiles.ts'
import { forAll } from '../../support/for-all.ts'
import { startApp } from '../../support/running-app.ts'
import { makeTemporaryDirectory } from '../../support/temporary-directory.ts'
import { makeSpan, makeSpansProfile, spanId, traceId, type SpanParts } from '../../support/trace-spans.ts'
import { until } from '../../support/until.ts'
import { pick } from '../../support/pick.ts'

const directory = makeTemporaryDirectory({ after })
const store = `sqlite:${join(directory, 'store.db')}`
const ofPrices = new RouteCollection().get('price', '/prices/{id}', () => json({ price: 7 }))
const prices = await forAll(startApp({ routes: ofPrices, env: { APP_STORE: store, APP_SERVICE: 'prices' } }))
const ofShop = new RouteCollection().get('cart', '/cart', async () => {
  const response = await fetch(`${prices.url}/prices/7`)
  return json(await response.json())
})
const shop = await forAll(startApp({ routes: ofShop, env: { APP_STORE: store, APP_SERVICE: 'shop' } }))
const engine = await openEngine(store)
after(() => engine.close())
const token = (await shop.send({ target: '/cart' })).header('x-debug-token') ?? assert.fail()
await until(async () => (await engine.profiles.find({})).items.length === 2)

async function traceOf(id: string): Promise<Trace> {
  const { body, status } = await shop.send({ target: `/_profiler/trace.json?id=${id}` })
  assert.equal(status, 200, body)
  return JSON.parse(body) as Trace
}

describe('tracePage', () => {
  it('nests the request of the called service into the call, whose span was sent to it', async () => {
    const profile = (await engine.profiles.read(token)) ?? assert.fail()
    const trace = await traceOf(profile.traceId ?? assert.fail())
    assert.deepEqual(pick(trace.services, 'name'), ['shop', 'prices'])
    const called = trace.spans.find(({ service }) => service === 'prices') ?? assert.fail()
    const call = trace.spans.find((span) => span.spanId === called.parentSpanId) ?? assert.fail()
    assert.deepEqual([called.name, called.kind, called.parent], ['GET /prices/{id}', 'server', 'there'])
    assert.deepEqual([call.service, call.kind, call.depth + 1], ['shop', 'client', called.depth])
    assert.deepEqual(trace.leftOut, { profiles: 0, spans: 0, unrecordedSpans: 0, lines: 0 })
    // By the token of a profile, too.
    assert.deepEqual(await traceOf(token), trace)
  })

  it('links to the profiles, and every profile of a trace links to it', async () => {
    const profile = (await engine.profiles.read(token)) ?? assert.fail()
    const { body } = await shop.send({ target: `/_profiler/trace?id=${profile.traceId}` })
    assert.match(body, new RegExp(`href="/_profiler/${token}"\\s*>${token}</a`))
    assert.match(body, /<h1[^>]*>GET \/cart<\/h1>[^]*>All traces<[^]*2 services, \d+ spans, [^]*aria-label="Services"/)
    const own = await shop.send({ target: `/_profiler/${token}` })
    assert.match(own.body, new RegExp(`href="/_profiler/trace\\?id=${profile.traceId}">Trace</a>`))
    const markdown = await shop.send({ target: `/_profiler/trace.md?id=${profile.traceId}` })
    assert.match(markdown.body, /^# Trace\n\n`[0-9a-f]{32}` 2 services/)
    assert.match(markdown.body, /\n {4,}- `GET \/prices\/\{id\}`.*: service `prices`, start /)
  })

  it('lists traces of several profiles where none is named', async () => {
    const { body } = await shop.send({ target: '/_profiler/trace.json' })
    const { traces } = JSON.parse(body) as { readonly traces: readonly RecentTrace[] }
    assert.deepEqual(
      traces.map(({ services }) => services.toSorted()),
      [['prices', 'shop']],
    )
    assert.match(traces[0]?.subject ?? '', /^GET .*\/cart$/)
    assert.match((await shop.send({ target: '/_profiler/trace' })).body, />(?:prices, shop|shop, prices)<\/td>/)
    assert.match((await shop.send({ target: '/_profiler/trace.md' })).body, /^# Traces\n/)
  })

  it('says what cannot be used, and what is not known', async () => {
    const cases = [
      ['id=7', 400, '"7" is not a trace ID. Use 32 hex digits, or the token of a profile.'],
      [`id=${traceId}&span=x`, 400, '"x" is not a span ID. Use 16 hex digits.'],
      [`id=${traceId}&spam=1`, 400, 'Did you mean "span"?'],
      [`id=${'e'.repeat(32)}`, 404, 'Nothing is known of this trace'],
      ['id=aaaaaaaaaaaa', 404, 'There is no such profile'],
      [`id=${token}&span=${'e'.repeat(16)}`, 404, 'The trace has no such span.'],
    ] as const
    for (const [query, status, sentence] of cases) {
      for (const form of ['.json', '.md', '']) {
        const reply = await shop.send({ target: `/_profiler/trace${form}?${query}` })
        assert.equal(reply.status, status, query)
        const text = reply.body.replaceAll('\\"', '"').replaceAll('&quot;', '"')
        assert.ok(text.includes(sentence), `${query}${form}: ${reply.body.slice(0, 300)}`)
      }
    }
    const post = await shop.send({ method: 'POST', target: '/_profiler/trace' })
    assert.equal(post.status, 405)
  })

  it('shows what others sent: markup as text, errors, missing parents, clocks, repeats, and looks into a span', async () => {
    const startTime = Date.now()
    const markup = '<img src=x onerror=alert(1)>`\u001b[31m'
    const attributes = { [markup]: markup, 'db.query.text': 'SELECT 1' }
    const thrown = {
      name: 'exception',
      time: startTime,
      attributes: { 'exception.type': 'E', 'exception.message': markup },
    }
    const gateway = [
      makeSpan({ id: 1, name: markup, kind: 'client', startTime, durationMs: 100, attributes }),
      makeSpan({ id: 2, parent: 99, name: 'lost', startTime, durationMs: 1 }),
      ...Array.from({ length: 30 }, (_, index) =>
        makeSpan({ id: 10 + index, parent: 1, name: 'SELECT', startTime, attributes }),
      ),
    ]
    const called = makeSpan({
      id: 3,
      parent: 1,
      kind: 'server',
      startTime: startTime - 5000,
      durationMs: 50,
      status: 'error',
      events: [thrown],
    })
    const missed = makeSpan({
      id: 4,
      parent: 1,
      name: 'missed',
      kind: 'server',
      startTime,
      events: [{ ...thrown, attributes: { 'exception.type': 'NotFound', 'exception.message': 'no lamp' } }],
    })
    const record = makeSpansProfile('gateway', [...gateway, missed])
    const outer = makeProfile({ traceId, time: startTime })
    const job = makeProfile({ traceId, time: startTime, method: 'JOB', parentToken: outer.token })
    await engine.profiles.write([record, makeSpansProfile(markup, [called]), outer, job])
    const { body } = await shop.send({ target: `/_profiler/trace?id=${traceId.toUpperCase()}` })
    assert.doesNotMatch(body, /<img/)
    assert.match(body, /&lt;img src=x/)
    assert.match(body, /parent missing/)
    assert.match(body, /Clocks differ: spans of .* are shown up to 5\.0\d s later than it said\./)
    assert.match(body, /30 × /)
    assert.match(body, / spans, 1 error, /)
    assert.equal(body.match(/class="tone-error"/g)?.length, 1)
    for (const { token: own } of [outer, job]) assert.match(body, new RegExp(`href="/_profiler/${own}"`))
    const inside = await shop.send({ target: `/_profiler/trace?id=${traceId}&span=${spanId(3)}` })
    assert.match(inside.body, /exception\.message/)
    assert.doesNotMatch(inside.body, /30 × |<img/)
    const markdown = await shop.send({ target: `/_profiler/trace.md?id=${traceId}` })
    assert.doesNotMatch(markdown.body, /\u001b/)
    assert.match(markdown.body, /30 × `SELECT`/)
    assert.match(markdown.body, /failed: ``E: <img/)
    assert.match(markdown.body, /`missed` `NotFound: no lamp`: service/)
    // The record itself leads to its trace, and is in no list.
    const own = await shop.send({ target: `/_profiler/${record.token}` })
    assert.deepEqual([own.status, own.header('location')], [302, `/_profiler/trace?id=${traceId}`])
    assert.equal((await shop.send({ target: `/_profiler/${record.token}.json` })).status, 200)
    assert.doesNotMatch((await shop.send({ target: '/_profiler/' })).body, new RegExp(record.token))
    assert.match((await shop.send({ target: '/_profiler/?method=SPANS' })).body, new RegExp(record.token))
  })

  it('begins the lane of a service with its earliest span, wherever that is nested', async () => {
    const startTime = Date.now()
    const id = 'aa'.repeat(16)
    const inTrace = (parts: SpanParts): TraceSpan => makeSpan({ ...parts, traceId: id })
    const of = { traceId: id, parentToken: id.slice(0, 16) }
    const gateway = [inTrace({ id: 900, startTime, durationMs: 900 })]
    const orders = [
      inTrace({ id: 901, parent: 900, startTime: startTime + 50, durationMs: 5 }),
      inTrace({ id: 903, parent: 902, startTime: startTime + 10, durationMs: 2 }),
      inTrace({ id: 902, parent: 900, startTime: startTime + 40, durationMs: 5 }),
    ]
    await engine.profiles.write([makeSpansProfile('gateway', gateway, of), makeSpansProfile('orders', orders, of)])
    const { body } = await shop.send({ target: `/_profiler/trace?id=${id}` })
    assert.match(body, />orders<\/th>\s*<td[^>]*>3<\/td>\s*<td[^>]*>0<\/td>\s*<td[^>]*>10\.0 ms/)
  })

  it('draws at most 200 rows of a long trace, the deepest left out', async () => {
    const wide = '5'.repeat(32)
    const spans = Array.from({ length: 450 }, (_, index) =>
      makeSpan({ id: index + 1, traceId: wide, name: `span ${index}`, ...(index > 0 && { parent: 1 }) }),
    )
    await engine.profiles.write([makeSpansProfile('gateway', spans, { traceId: wide })])
    const first = await shop.send({ target: `/_profiler/trace?id=${wide}` })
    assert.match(first.body, /250 more rows not shown: a span leads/)
    // One service goes without saying.
    assert.doesNotMatch(first.body, />Services?<|<h2>/)
    assert.match((await shop.send({ target: `/_profiler/trace.md?id=${wide}` })).body, /250 more rows not shown/)
  })
})
