// The OpenAPI document of the profiler: it is valid, it has every address, and every real response is as it says.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { after, before, describe, it } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Cron } from 'croner'
import { Eta } from 'eta'
import * as v from 'valibot'
import { buildSchema, graphql } from 'graphql'
import { createTransport } from 'nodemailer'
import { WebSocketServer } from 'ws'
import { beginCacheAccess, observe, observeSqlite } from '../../../src/capture.ts'
import { accessRules, dump, exchangeKey, html, HttpError, json, RouteCollection, upgrade } from '../../../src/index.ts'
import { builtInPanels } from '../../../src/profiler/web/panels/all.ts'
import { profilerRoutes } from '../../../src/profiler/web/profiler-routes.ts'
import type { OpenApiDocument } from '../../../src/profiler/web/openapi/openapi-document.ts'
import type { LockStore } from '../../../src/plugins/maintenance/lock-store.ts'
import { openEngine } from '../../../src/stores/open-engine.ts'
import { DescribedApi } from '../../support/described-api.ts'
import { startApp, type RunningApp } from '../../support/running-app.ts'
import { until } from '../../support/until.ts'
import { noBodiesOfFetch } from '../../support/node-features.ts'

const database = observeSqlite(new DatabaseSync(':memory:'))
const mailer = observe(createTransport({ jsonTransport: true }))
let app: RunningApp
let api: DescribedApi
let lock: LockStore
/** Tokens of profiles, by the path that was asked for. */
const tokens = new Map<string, string>()

function routes(): RouteCollection {
  const table = new RouteCollection()
  table.get('home', '/', () => html`<!doctype html><title>Home</title>`)
  table.get('product', '/products/{id<\\d+>}', ({ request }) => json({ id: request.params.id }))
  table.get('work', '/work', async (exchange) => {
    const { log } = exchange
    exchange.set(exchangeKey<object>('session'), { visits: 1, flash: { info: ['Saved'] } })
    exchange.cookies.set('seen', 'yes')
    exchange.set(exchangeKey<object>('user'), { id: 1, name: 'Ada', roles: ['editor'] })
    await accessRules({ all: () => ({ vote: 'granted', reason: 'it is a test' }) }).decide(1, 'show', null)
    for (const id of [1, 2, 3]) database.prepare('SELECT name FROM users WHERE id = ?').all(id)
    await fetch(`${app.url}/products/7`)
    await fetch('http://127.0.0.1:1/').catch(() => undefined)
    await graphql({ schema: buildSchema('type Query { a(b: String): String }'), source: '{ a(b: "1") }' })
    beginCacheAccess({ cache: 'prices', operation: 'get', key: 'EUR' })?.end('hit')
    await once(new WebSocket(`${app.url}/chat`), 'close')
    v.safeParse(observe(v.object({ title: v.string() })), { title: 7 })
    observe(new Eta()).renderString('Hello <%= it.name %>', { name: 'Ada' })
    const asked = { method: 'POST', body: JSON.stringify({ model: 'small', messages: [] }) }
    await fetch(`${app.url}/chat/completions`, asked)
    await mailer.sendMail({ to: 'ada@example.org', html: '<b>hi</b>', attachments: [{ content: 'x' }] })
    dump(new Map([['key', { list: [1n, undefined, new Date(0)] }]]), 'a map')
    log.warn('Slow query {text}', { text: 'SELECT' })
    // Long enough for samples, also where the machine is busy elsewhere.
    const begun = process.threadCpuUsage()
    while (process.threadCpuUsage(begun).user < 50_000) continue
    return json({})
  })
  const sockets = new WebSocketServer({ noServer: true })
  table.get('chat', '/chat', () =>
    upgrade(({ request, socket, head }) => sockets.handleUpgrade(request, socket, head, (chat) => chat.close(4000))),
  )
  table.post('order', '/orders', async ({ request }) => json(await request.body.json()), { captureBody: true })
  table.get('fails', '/fails', () => {
    const order: { customer?: { name: string } } = JSON.parse('{}') as object
    const errors = [new RangeError('one'), new Error('two', { cause: 'text' })]
    throw new AggregateError(errors, `no ${String(order.customer)}`, { cause: new TypeError('inner') })
  })
  table.get('refuses', '/refuses', () => {
    throw new HttpError(409, 'taken', { problem: { detail: 'Three are left', left: 3 } })
  })
  table.get('hangs', '/hangs', async ({ signal }) => delay(60_000, json({}), { signal }))
  return table
}

before(async () => {
  database.exec('CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT)')
  lock = (await openEngine('memory:')).lock
  app = await startApp({
    routes: routes(),
    lockStore: lock,
    commands: {
      import: () => {
        database.prepare('SELECT 1').get()
      },
    },
  })
  for (const [path, init] of [
    ['/', {}],
    [
      '/work',
      {
        headers: {
          'X-Fanlight-Profile': 'cpu',
          Cookie: 'session=1',
          Traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
        },
      },
    ],
    ['/orders', { method: 'POST', body: '{"items":[1]}', headers: { 'Content-Type': 'application/json' } }],
    ['/products/7', { method: 'PUT' }],
    ['/product/7', {}],
    ['/fails', { headers: { 'X-Fanlight-Profile': 'memory' } }],
  ] as const) {
    const response = await fetch(`${app.url}${path}`, init)
    await response.text()
    tokens.set(path, response.headers.get('x-debug-token') ?? '')
  }
  tokens.set('import', (await app.app.runCommand('import', ['--days', '3'])).token ?? '')
  await observe(new Cron('0 0 1 1 *', { paused: true }, () => undefined)).trigger()
  const { items: tasks } = await app.profiles.find({ type: 'task' })
  tokens.set('task', tasks[0]?.token ?? '')
  const document = await fetch(`${app.url}/_profiler/openapi.json`)
  api = new DescribedApi((await document.json()) as OpenApiDocument)
})
after(async () => app[Symbol.asyncDispose]())

const tokenOf = (path: string): string => tokens.get(path) ?? ''

/** Asks for an address below the profiler's, and holds the response to the document. */
async function ask(address: string, expected: number, init: RequestInit = {}): Promise<unknown> {
  const target = `/_profiler/${address}`
  const response = await fetch(`${app.url}${target}`, { redirect: 'manual', ...init })
  const body = await response.text()
  const contentType = response.headers.get('content-type') ?? ''
  assert.equal(response.status, expected, `${target}: ${body.slice(0, 500)}`)
  api.check(init.method ?? 'GET', target, { status: response.status, contentType, body })
  return contentType.startsWith('application/json') ? JSON.parse(body) : body
}

/** The beginning of a stream, up to the first event. */
async function askStream(address: string, event: RegExp, then: () => Promise<unknown>): Promise<void> {
  const target = `/_profiler/${address}`
  const abort = new AbortController()
  const response = await fetch(`${app.url}${target}`, { signal: abort.signal })
  assert.ok(response.body !== null)
  const parts = response.body.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]()
  let body = (await parts.next()).value ?? ''
  await then()
  while (!event.test(body)) body += (await parts.next()).value ?? assert.fail('the stream ended')
  abort.abort()
  const contentType = response.headers.get('content-type') ?? ''
  api.check('GET', target, { status: response.status, contentType, body })
}

describe('the OpenAPI document', () => {
  it('is valid', async () => {
    const document = JSON.parse(JSON.stringify(api.document)) as Record<string, unknown>
    assert.deepEqual(await new Validator().validate(document), { valid: true })
    assert.equal(api.document.openapi, '3.1.1')
  })

  it('has every address of the profiler', () => {
    const front = async (): Promise<never> => assert.fail('is not asked')
    const all = {
      page: front,
      show: front,
      explain: front,
      mail: front,
      report: front,
      agents: front,
      pause: front,
      replayForm: front,
      replay: front,
      receive: front,
    }
    const described = new Set(
      Object.values(api.document.paths).flatMap((operations) =>
        Object.entries(operations).map(([method, { operationId }]) => `${method} ${operationId}`),
      ),
    )
    const missing = profilerRoutes(all, '/_profiler')
      .all()
      // Pages are there with `.json`; of a name and its form, one is described.
      .filter(({ name }) => !name.endsWith('_form'))
      // A route of any method is described by the one that it takes.
      .flatMap(({ name, methods }) =>
        (methods.length === 0 ? ['post'] : methods).map((method) => `${method.toLowerCase()} ${name}`),
      )
      .filter((one) => !one.startsWith('head ') && !described.has(one))
    assert.deepEqual(missing, [])
  })

  it('allows members that it does not name only where others add them', () => {
    const open: string[] = []
    const look = (value: unknown, name: string): void => {
      if (typeof value !== 'object' || value === null) return
      const { type, properties, additionalProperties } = value as Readonly<Record<string, unknown>>
      if (type === 'object' && properties !== undefined && additionalProperties !== false) open.push(name)
      for (const member of Object.values(value)) look(member, name)
    }
    for (const [name, schema] of Object.entries(api.document.components.schemas)) look(schema, name)
    look(api.document.paths, 'paths')
    assert.deepEqual(open, ['Problem', 'RecordedData'])
  })

  it('has the data of every built-in panel', () => {
    const { properties } = api.document.components.schemas['RecordedData'] as { properties: object }
    const missing = builtInPanels.map(({ name }) => name).filter((name) => !(name in properties))
    assert.deepEqual(missing, [])
  })

  it('has the parameters that pages know', async () => {
    for (const [path, { get }] of Object.entries(api.document.paths)) {
      if (get === undefined || path.includes('{')) continue
      const query = path.endsWith('/export.json') ? `token=${tokenOf('/')}&` : ''
      const response = await fetch(`${app.url}${path}?${query}zzzzzz=1`, { redirect: 'manual' })
      if (!(response.headers.get('content-type') ?? '').startsWith('application/json')) {
        await response.body?.cancel()
        continue
      }
      const { ignored = [] } = (await response.json()) as { ignored?: readonly string[] }
      const known = /Known: (.*)\.$/.exec(ignored[0] ?? '')?.[1]?.split(', ')
      if (known === undefined) continue
      const described = get.parameters.map(({ name }) => String(name))
      // Of a list, not of what is counted in it.
      const ofPages = new Set(['live', ...(path.endsWith('/index.json') ? [] : ['limit', 'after', 'sort'])])
      assert.deepEqual(
        known.filter((name) => !described.includes(name) && !ofPages.has(name)),
        [],
        path,
      )
      assert.deepEqual(
        described.filter((name) => !known.includes(name)),
        [],
        path,
      )
    }
  })
})

describe('responses', () => {
  it('are as described: reports of pages', async () => {
    const headers = { Origin: app.url, 'Sec-Fetch-Site': 'same-origin', 'Content-Type': 'text/plain' }
    const chain = [{ name: 'TypeError', message: 'no cart', stack: '' }]
    const errors = Array.from({ length: 20 }, (_, number) => ({
      number,
      kind: 'error',
      count: 1,
      url: '',
      place: '',
      chain,
    }))
    const post = (view: number): RequestInit => ({
      method: 'POST',
      headers,
      body: JSON.stringify({ view: `view${view}`, url: `${app.url}/`, errors }),
    })
    for (const address of [`${tokenOf('/')}/browser`, 'browser']) {
      await ask(address, 400, { ...post(0), body: '{' })
      await ask(address, 413, { ...post(0), body: ' '.repeat(100_000) })
      await ask(address, 204, post(0))
      let view = 0
      // As many as are kept of a page, or in a minute; each has 20.
      while ((await fetch(`${app.url}/_profiler/${address}`, post((view += 1)))).status === 204) continue
      await ask(address, 429, post(0))
      await ask(address, 403, { ...post(0), headers: {} })
    }
    await until(async () => {
      const { data } = (await ask(`${tokenOf('/')}.json`, 200)) as { data: { browser?: { errors: readonly object[] } } }
      return (data.browser?.errors.length ?? 0) > 0
    })
    const { items } = (await ask('index.json?method=BROWSER', 200)) as { items: readonly { token: string }[] }
    await ask(`${items[0]?.token}.json`, 200)
    tokens.set('report', items[0]?.token ?? '')
  })

  it('are as described: profiles with every panel', async () => {
    const panels = new Set<string>()
    for (const token of tokens.values()) {
      const { data } = (await ask(`${token}.json`, 200)) as { data: object }
      for (const name of Object.keys(data)) {
        panels.add(name)
        if (name !== 'notes') await ask(`${token}.json?panel=${name}`, 200)
      }
    }
    // Jobs need a Redis: `bullmq.test.ts` holds theirs to the document.
    const elsewhere = new Set(['jobs', 'job', ...(noBodiesOfFetch === false ? [] : ['ai', 'connections'])])
    const unseen = builtInPanels.map(({ name }) => name).filter((name) => !panels.has(name) && !elsewhere.has(name))
    assert.deepEqual(unseen, [])
    await ask(`${tokenOf('/')}.json?panel=nothing`, 404)
    await ask(`${tokenOf('/')}.json?pannel=request`, 400)
    await ask('unknown0token.json', 404)
  })

  it('are as described: lists, groups, runs', async () => {
    await ask('index.json', 200)
    await ask('index.json?search=fails&sort=slowest&limit=1', 200)
    await ask('index.json?status=nine', 400)
    for (const by of ['route', 'error', 'version']) await ask(`groups.json?by=${by}`, 200)
    await ask('groups.json?by=colour', 400)
    for (const query of ['', '?state=open', '?route=fails']) await ask(`issues.json${query}`, 200)
    await ask('issues.json?state=lost', 400)
    await ask('compare-runs.json', 200)
    await ask('compare-runs.json?since=2026-01-01&base-until=2026-01-01', 200)
    await ask('compare-runs.json?since=never', 400)
    await ask('latest.json', 302)
  })

  it('are as described: comparisons and exports', async () => {
    const [a, b] = [tokenOf('/work'), tokenOf('/fails')]
    await ask(`compare.json?a=${a}&b=${b}`, 200)
    await ask(`compare.json?a=${a}&b=median`, 404)
    await ask(`compare.json?a=${tokenOf('/orders')}`, 200)
    await ask(`compare.json?with=${a}&with=${b}`, 302)
    await ask('compare.json?a=!', 400)
    for (const query of ['', '&as=json', '&as=har', '&as=otlp', '&as=html', '&as=markdown'])
      await ask(`export.json?token=${a}${query}`, 200)
    await ask(`export.json?token=${a}&as=pdf`, 400)
    await ask('export.json?token=latest', 302)
  })

  it('are as described: what the process says of itself', async () => {
    const hanging = new AbortController()
    const request = fetch(`${app.url}/hangs`, { signal: hanging.signal }).catch(() => undefined)
    await until(async () => ((await ask('open-requests.json', 200)) as { count: number }).count === 1)
    hanging.abort()
    await request
    await ask('tasks.json', 200)
    await ask('routes.json', 200)
    for (const url of ['/products/7', '/products/x', '/work/', '/']) await ask(`routes.json?url=${url}`, 200)
    await ask('routes.json?method=POST&url=/', 200)
    await ask('routes.json?url=http://', 400)
    await ask('trace.json', 200)
    await ask(`trace.json?id=${tokenOf('/work')}`, 200)
    await ask('trace.json?id=7', 400)
    await ask('trace.json?id=unknown0token', 404)
    await ask('status.json', 200)
    await ask('help.json', 200)
    await ask('openapi.json', 200)
    await ask(`changes.json?token=${tokenOf('/fails')}`, 200)
  })

  it('are as described: the lock', async (test) => {
    const window = { from: '2099-01-01T00:00:00Z', to: '2099-01-01T01:00:00Z', reason: '', noticeSeconds: 60 }
    const windows = [
      { ...window, id: 'one' },
      { ...window, id: 'two', only: ['/a'], plannedBy: 'anna@web-1' },
    ]
    await lock.write({ value: 0, reason: '', retryAfterSeconds: null, changedAt: window.from, windows })
    const period = { id: 'was', from: '2026-01-01T00:00:00Z', to: null, reason: 'moving', closedBy: '', openedBy: '' }
    await lock.journal?.keep({ ...period, isPlanned: false, readOnly: true })
    await lock.journal?.report({ process: 'web-1 1', heard: '', isClosed: false, running: 2, except: [] })
    await lock.journal?.count({ was: 3 })
    await ask('lock.json', 200)
    test.mock.method(lock, 'read', async () => {
      throw new Error('away')
    })
    await ask('lock.json', 503)
  })

  it('are as described: streams', async () => {
    await askStream('live.json', /event: profiles/, async () => fetch(`${app.url}/`))
    await askStream('reload.json', /event: process/, async () => undefined)
    await ask('live.json?status=nine', 400)
    const open = await Promise.all(Array.from({ length: 16 }, async () => fetch(`${app.url}/_profiler/live.json`)))
    await ask('live.json', 503)
    await Promise.all(open.map(async ({ body }) => body?.cancel()))
  })

  it('are as described: replays', async () => {
    const headers = { Origin: app.url, 'Sec-Fetch-Site': 'same-origin' }
    const post = (fields: Readonly<Record<string, string>>): RequestInit => ({
      method: 'POST',
      headers,
      body: new URLSearchParams(fields),
    })
    const token = tokenOf('/work')
    await ask(`${token}/replay.json`, 200)
    await ask(`${token}/replay.json`, 200, post({ times: '2', withoutMasked: '1' }))
    await ask(`${token}/replay.json`, 400, post({ times: '0' }))
    const report = tokens.get('report') ?? assert.fail()
    await ask(`${report}/replay.json`, 409)
    await ask(`${report}/replay.json`, 409, post({}))
    await ask('unknown0token/replay.json', 404)
    const wrong = post({ paused: 'maybe' })
    await ask('recording', 400, { ...wrong, headers: { ...headers, accept: 'application/json' } })
    await ask('recording', 302, { ...post({ paused: 'no' }), redirect: 'manual' })
  })

  it('are as described: what other services hand in', async () => {
    const headers = { 'Content-Type': 'application/json' }
    const post = (body: string): RequestInit => ({ method: 'POST', headers, body })
    for (const [signal, odd] of [
      ['traces', '{"resourceSpans":[{"scopeSpans":[{"spans":[{}]}]}]}'],
      ['logs', '{"resourceLogs":[{"scopeLogs":[{"logRecords":[{}]}]}]}'],
    ] as const) {
      await ask(`v1/${signal}`, 200, post('{}'))
      await ask(`v1/${signal}`, 200, post(odd))
      await ask(`v1/${signal}`, 400, post('{'))
      await ask(`v1/${signal}`, 413, post('['.repeat(1000)))
      await ask(`v1/${signal}`, 415, { ...post('{}'), headers: { ...headers, 'Content-Encoding': 'br' } })
      const abort = new AbortController()
      const body = (): ReadableStream => new ReadableStream({ start: (stream) => stream.enqueue(Buffer.from('{')) })
      const open = Array.from({ length: 4 }, () =>
        fetch(`${app.url}/_profiler/v1/${signal}`, { ...post(''), body: body(), duplex: 'half', signal: abort.signal }),
      )
      const ended = Promise.allSettled(open)
      await until(async () => (await fetch(`${app.url}/_profiler/v1/${signal}`, post('{}'))).status === 429)
      await ask(`v1/${signal}`, 429, post('{}'))
      abort.abort()
      await ended
      await until(async () => (await fetch(`${app.url}/_profiler/v1/${signal}`, post('{}'))).status === 200)
    }
    await ask('status.json', 200)
  })

  it('are as described: the HTML of a mail', async () => {
    await ask(`${tokenOf('/work')}/mail/0`, 200)
    await ask(`${tokenOf('/work')}/mail/7`, 404, { headers: { Accept: 'application/json' } })
  })

  it('are as described: plans of queries', async () => {
    const { host } = new URL(app.url)
    const headers = { Accept: 'application/json', Origin: `http://${host}`, 'Sec-Fetch-Site': 'same-origin' }
    const post = { method: 'POST', headers }
    await ask(`${tokenOf('/work')}/explain/0`, 200, post)
    await ask(`${tokenOf('/work')}/explain/99`, 404, post)
    await ask(`${tokenOf('/work')}/explain/0`, 403, { method: 'POST' })
  })

  it('are as described: messages of agents', async () => {
    const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' }
    const post = (body: string): RequestInit => ({ method: 'POST', headers, body })
    await ask('mcp', 200, post('{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}'))
    await ask('mcp', 202, post('{"jsonrpc":"2.0","method":"notifications/initialized"}'))
    await ask('mcp', 400, post('{'))
    await ask('mcp', 413, post(' '.repeat(2 ** 21)))
  })

  it('are as described: problem documents of the application', async () => {
    for (const [path, expected] of [
      ['/fails', 500],
      ['/refuses', 409],
      ['/product/7', 404],
    ] as const) {
      const response = await fetch(`${app.url}${path}`, { headers: { Accept: 'application/json' } })
      assert.equal(response.status, expected)
      const problem = (await response.json()) as { debug?: object }
      assert.ok(problem.debug !== undefined)
      api.checkValue('Problem', problem)
    }
  })

  it('have all been asked for', () => {
    // The same for every address: each client that may not look, each profile that is not there, a package that is not installed.
    const everywhere = / (?:403|404|501)$/
    assert.deepEqual(
      api.described.filter((one) => !api.seen.has(one) && !everywhere.test(one)),
      [],
    )
    for (const status of ['403', '404'])
      assert.ok(
        [...api.seen].some((one) => one.endsWith(status)),
        status,
      )
  })
})
