// What the tools for agents say, and what they say instead of guessing.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { html } from '../../../src/base/html/html.ts'
import { RouteCollection } from '../../../src/routing/route-collection.ts'
import { agentTools } from '../../../src/analysis/agents/agent-server.ts'
import type { Profile } from '../../../src/observe/profile.ts'
import { agentDesk } from '../../support/agent-tools.ts'
import { makePageProfile, makeProfile } from '../../support/profiles.ts'

const hour = 3_600_000
/** Stores forget profiles of a week ago. */
const start = Math.floor(Date.now() / 1000) * 1000 - 5 * hour
const isoOf = (time: number): string => new Date(time).toISOString()

const failing = makeProfile({
  token: 'failingtoken',
  url: 'http://127.0.0.1:8000/orders/2',
  status: 500,
  time: start + hour,
  errorClass: 'OrderError',
  errorFamily: 'OrderError ← TypeError in src/orders.ts (total)',
  errorMessage: 'The order cannot be shown',
  logErrorCount: 1,
  findings: ['error', 'n_plus_one'],
  queryCount: 3,
  data: {
    exception: {
      errors: [
        {
          className: 'OrderError',
          message: 'The order cannot be shown',
          frames: [
            {
              functionName: 'show',
              file: 'src/orders.ts',
              line: 9,
              column: 3,
              origin: 'own',
              isAsync: true,
              excerpt: null,
            },
          ],
          members: [],
        },
        {
          className: 'TypeError',
          message: 'price is undefined',
          frames: [
            {
              functionName: 'total',
              file: 'src/prices.ts',
              line: 4,
              column: 7,
              origin: 'own',
              isAsync: false,
              excerpt: { startLine: 3, lines: [[['', 'const sum = 0']], [['', 'return item.price.net']]] },
            },
          ],
          members: [],
        },
      ],
      cut: null,
      hints: [{ title: 'The value before .net is undefined', text: 'A price is missing.' }],
      candidates: [{ file: 'src/prices.ts', line: 4, why: 'reads price, which is missing' }],
      origins: [{ usedAt: 'src/prices.ts:4', name: 'item.price', note: 'Set here', source: null }],
    },
    logger: {
      records: [
        { level: 'info', channel: 'router', message: 'Matched', context: {}, timeMs: 1 },
        { level: 'error', channel: 'orders', message: 'Order {id} failed', context: { id: 2 }, timeMs: 5 },
      ],
      dropped: 0,
    },
    database: {
      queries: [{ group: 0, durationMs: 3, error: null, callSite: 'src/orders.ts:7' }],
      groups: [
        {
          system: 'sqlite',
          library: 'node:sqlite',
          text: 'SELECT * FROM items WHERE order_id = ?',
          count: 3,
          totalMs: 9,
        },
      ],
      findings: [{ kind: 'n+1', group: 0, count: 3, totalMs: 9, callSite: 'src/orders.ts:7' }],
      dropped: 0,
    },
    'http-client': {
      calls: [{ method: 'GET', url: 'http://prices.example/2', status: 503, error: null, durationMs: 40 }],
      dropped: 0,
    },
    time: {
      spans: [{ id: 1, parentId: null, name: 'show', category: 'controller', startMs: 1, durationMs: 50 }],
      droppedSpans: 0,
      ownCpuMs: 4,
    },
    request: { headers: [['accept', 'text/html']], responseHeaders: [], bytes: 12 },
  },
})
const fine = makeProfile({ token: 'finerequest1', time: start, durationMs: 4 })

describe('show', () => {
  it('names the root cause and where to change it before everything else', async () => {
    const { ask } = await agentDesk([fine, failing])
    const said = await ask('show')
    const places = [
      '# Profile failingtoken: 500',
      '## Root cause',
      'price is undefined',
      'src/prices.ts:4',
      '## Hints',
      '## Source',
      '> 4 | return item.price.net',
      'as `family`',
      'Findings: `error at src/prices.ts:4, n_plus_one at src/orders.ts:7`',
      'Order 2 failed',
      'N+1: 3 times',
      'http://prices.example/2',
      '## Stack',
    ].map((text) => {
      const at = said.indexOf(text)
      assert.ok(at >= 0, `${text} is missing in\n${said}`)
      return at
    })
    assert.deepEqual(
      places,
      places.toSorted((one, other) => one - other),
    )
    assert.doesNotMatch(said, /Left out/)
  })

  it('gives each panel, from a line on', async () => {
    const { ask } = await agentDesk([failing])
    const panel = async (name: string, from = 0): Promise<string> => ask('show', { token: 'latest', panel: name, from })
    assert.match(await panel('logger'), /1\.0 ms info router: Matched\n5\.0 ms error orders: Order 2 failed/)
    assert.doesNotMatch(await panel('logger', 1), /Matched/)
    assert.match(await panel('database'), /SELECT \* FROM items/)
    assert.match(await panel('time'), /own code 4\.00 ms/)
    assert.match(await panel('request'), /accept: text\/html/)
    assert.match(
      await panel('exception'),
      /wrapped by\nOrderError: The order cannot be shown\n  at async show \(src\/orders\.ts:9:3\)/,
    )
    await assert.rejects(panel('logger', 2), { code: 'not_found', message: /has 2 entries. Use 0 to 1/ })
    await assert.rejects(panel('loger'), {
      code: 'not_found',
      message: /has no panel "loger"\. Did you mean "logger"\?/,
    })
    await assert.rejects(panel('logger', 1_000_001), { message: /Use a whole number from 0 to 1000000/ })
  })

  it('gives the body of a request', async () => {
    const content = { kind: 'json', value: { sku: 'tea' } }
    const body = { state: 'read', mediaType: 'application/json', readBytes: 13, content }
    const request = { headers: [], responseHeaders: [], bytes: null, body }
    const { ask } = await agentDesk([makeProfile({ data: { request } })])
    const said = await ask('show', { token: 'latest', panel: 'request' })
    assert.match(said, /\nBody:\n\{[^]*"sku": "tea"[^]*\nResponse: 200\n/)
  })

  it('gives a panel of an unknown form as its data', async () => {
    const { ask } = await agentDesk([makeProfile({ data: { cart: { items: [1] }, time: { spans: 'many' } } })])
    assert.match(await ask('show', { token: 'latest', panel: 'cart' }), /"items": \[/)
    assert.match(await ask('show', { token: 'latest', panel: 'time' }), /"spans": "many"/)
  })

  it('says how to find a token', async () => {
    const { ask } = await agentDesk()
    await assert.rejects(ask('show', { token: 'nothere12345' }), { code: 'not_found', message: /Use `find`/ })
    await assert.rejects(ask('show', { token: 'latest' }), { message: /Nothing has been recorded yet/ })
  })

  it('leads to everything that it leaves out', async () => {
    const records = Array.from({ length: 300 }, (_, index) => ({
      level: 'info',
      channel: 'app',
      message: `line number ${index}`,
      context: {},
      timeMs: index,
    }))
    const { ask } = await agentDesk([makeProfile({ data: { logger: { records, dropped: 0 } } })])
    const seen = new Set<string>()
    for (let from = 0; ;) {
      const said: string = await ask('show', { token: 'latest', panel: 'logger', from, budget: 3000 })
      for (const [line] of said.matchAll(/line number \d+/g)) seen.add(line)
      const [, next] = /`from: (\d+)`/.exec(said) ?? []
      if (next === undefined) break
      from = Number(next)
    }
    assert.equal(seen.size, 300)
  })
})

describe('show with last_error', () => {
  const at = (minutes: number): number => start + hour + minutes * 60_000
  const notErrors = [
    makeProfile({ url: 'http://h/nope', status: 404, errorClass: 'NotFoundHttpError', time: at(1) }),
    makeProfile({ url: 'http://h/wrong', status: 422, errorClass: 'HttpError', logErrorCount: 1, time: at(2) }),
    makeProfile({ url: 'http://h/favicon.ico', status: 404, errorClass: 'NotFoundHttpError', time: at(3) }),
    makeProfile({ url: 'http://h/favicon.ico?v=2', status: 500, errorClass: 'TypeError', time: at(4) }),
    makeProfile({ method: 'TASK', url: '/purge', status: 500, errorClass: 'Error', time: at(5) }),
    makeProfile({ method: 'COMMAND', url: '/lint', status: 500, errorClass: 'Error', time: at(6) }),
    makeProfile({ url: 'http://h/left', status: 0, time: at(7) }),
    makeProfile({ url: 'http://h/logged', status: 200, logErrorCount: 2, time: at(8) }),
  ]
  const readsOf = async (...profiles: readonly Profile[]): Promise<string> =>
    (await agentDesk(profiles)).ask('show', { token: 'last_error' })

  it('gives the newest 5xx or uncaught error, never a 404, a task or the icon', async () => {
    assert.match(await readsOf(failing, ...notErrors), /# Profile failingtoken: 500/)
    const errors = {
      badgateway12: { status: 502 },
      brokenoff123: { status: 0, errorClass: 'Error' },
      afterheaders: { status: 200, errorClass: 'Error' },
    }
    for (const [token, parts] of Object.entries(errors)) {
      const newer = makeProfile({ token, time: at(0.5), ...parts })
      assert.match(await readsOf(failing, newer, ...notErrors), new RegExp(`# Profile ${token}:`))
    }
  })

  it('looks past 1,999 errors that are not meant', async () => {
    const missed = Array.from({ length: 2000 }, () =>
      makeProfile({ status: 404, errorClass: 'NotFoundHttpError', time: at(9) }),
    )
    assert.match(await readsOf(failing, ...missed.slice(1)), /# Profile failingtoken: 500/)
    const sent = { ...failing, status: 200 }
    assert.match(await readsOf(sent, ...missed.slice(1)), /# Profile failingtoken: 200/)
    await assert.rejects(readsOf(sent, ...missed), { code: 'not_found' })
  })

  it('says that there is none', async () => {
    await assert.rejects(readsOf(fine, ...notErrors), { code: 'not_found', message: /^No recent request/ })
  })
})

describe('find', () => {
  it('lists the newest profiles first, takes every filter, and gives the next page', async () => {
    const { ask } = await agentDesk([fine, failing])
    const all = await ask('find')
    assert.ok(all.indexOf('failingtoken') < all.indexOf('finerequest1'))
    const slow = await ask('find', { what: 'profiles', status: 500, error: true, method: 'get', duration: 5 })
    assert.match(slow, /failingtoken/)
    assert.doesNotMatch(slow, /finerequest1/)
    const fastest = await ask('find', { sort: 'slowest' })
    assert.ok(fastest.indexOf('failingtoken') < fastest.indexOf('finerequest1'))
    const first = await ask('find', { limit: 1 })
    const [, after] = /after: "([^"]+)"/.exec(first) ?? []
    assert.match(await ask('find', { limit: 1, after }), /finerequest1/)
    assert.match(await ask('find', { status: '404' }), /No profile matches/)
    const { ask: askBoth } = await agentDesk([fine, makeProfile({ method: 'TASK', url: '/purge' })])
    assert.match(await askBoth('find'), /Found 1 profile\./)
    assert.match(await askBoth('find', { type: 'all' }), /Found 2 profiles\./)
  })

  it('lists groups by what is asked for', async () => {
    const { ask } = await agentDesk([
      makeProfile({ route: 'quick', durationMs: 1, queryCount: 9, version: '1.0' }),
      makeProfile({ route: 'slow', durationMs: 900, queryCount: 1, version: '1.1' }),
    ])
    const byTime = await ask('find', { what: 'groups' })
    assert.ok(byTime.indexOf('`slow`') < byTime.indexOf('`quick`'))
    const byQueries = await ask('find', { what: 'groups', sort: 'queries' })
    assert.ok(byQueries.indexOf('`quick`') < byQueries.indexOf('`slow`'))
    assert.match(
      await ask('find', { what: 'groups', by: 'version', version: '1.1' }),
      /- `1\.1`: count 1, errors 0, p50/,
    )
    await assert.rejects(ask('find', { what: 'groups', sort: 'size' }), { message: /Use count, errors/ })
  })

  it('lists errors by state, and one of them with its requests', async () => {
    const { ask } = await agentDesk([fine, failing, { ...failing, token: 'failingagain' }])
    const family = /`OrderError ← TypeError in src\/orders\.ts \(total\)`/.source
    const errors = await ask('find', { what: 'errors' })
    assert.match(
      errors,
      new RegExp(`1 error in 3[^]*- \`The order cannot be shown\`: count 2, [^\n]*state \`open\`, [^\n]*${family}`),
    )
    const id = /id `([0-9a-f]{12})`/.exec(errors)?.[1]
    assert.match(await ask('find', { what: 'errors', id }), /## Requests[^]*`failingagain`/)
    assert.match(await ask('find', { what: 'errors', state: 'resolved' }), /No error matches/)
    await assert.rejects(ask('find', { what: 'errors', state: 'closed' }), { message: /Use open, resolved, ignored/ })
    await assert.rejects(ask('find', { what: 'errors', id: '000000000000' }), { code: 'not_found' })
  })

  it('adds up the queries of profiles', async () => {
    const { ask } = await agentDesk([fine, failing, { ...failing, token: 'failingagain' }])
    assert.match(
      await ask('find', { what: 'queries', status: '5xx' }),
      /^# Queries[^]*6 queries, 18\.0 ms, in 2 profiles with queries[^]*- `SELECT \* FROM items[^\n]*: total 18\.0 ms, count 6, slowest 3\.00 ms `failing\w+`, p95 3\.00 ms, N\+1 `2` of 2, from `src\/orders\.ts:7`, route `order_list`/,
    )
  })

  it('says what to use instead of what it cannot use', async () => {
    const { ask } = await agentDesk([fine])
    const refused = async (args: unknown, message: RegExp): Promise<void> =>
      assert.rejects(ask('find', args), { code: 'invalid_arguments', message })
    await refused({ what: 'requests' }, /`what`: "requests" cannot be used. Use profiles, groups, errors, queries\./)
    await refused({ limit: 1_000_000 }, /`limit`: 1000000 cannot be used. Use a whole number from 1 to 200\./)
    await refused({ statuss: 404 }, /There is no parameter "statuss"\. Did you mean "status"\?/)
    await refused({ status: 'abc' }, /`status`: "abc" is not a status. Use 404, 4xx/)
    for (const error of ['maybe', 'constructor'])
      await refused({ error }, /`error`: "\w+" is not an answer. Use yes or no/)
    await refused({ since: '2026-11-22', until: '2026-11-21' }, /`since`: "2026-11-22" is not before "2026-11-21"/)
    await refused({ sort: 'p95' }, /`sort`: "p95" cannot be used. Use newest, slowest/)
    await refused({ what: 'errors', after: 'x' }, /`after` says nothing about errors\. Leave it out\./)
    await refused({ budget: 10 }, /from 1000 to 80000/)
    await refused({ search: 'x'.repeat(2001) }, /Use a text of at most 2000 characters/)
    await refused([1], /not an object/)
    await refused({ url: { a: 1 } }, /`url`: an object cannot be used/)
  })
})

describe('explain_route', () => {
  const page = (): ReturnType<typeof html> => html``
  const routes = new RouteCollection()
    .get('order', '/orders/{id<[0-9]+>}', page)
    .post('basket', '/basket', page)
    .get('never', '/orders/{id<[0-9]+>}', page)

  it('lists routes, and faults first', async () => {
    const { ask } = await agentDesk([], routes)
    const said = await ask('explain_route')
    assert.ok(said.indexOf('## Faults') < said.indexOf('- `basket`: methods POST, path `/basket`'))
    assert.match(await ask('explain_route', { search: 'basket' }), /1 of 3 routes/)
    assert.match(await ask('explain_route', { search: 'zebra' }), /None of 3 routes contains `"zebra"`\./)
    assert.match(await (await agentDesk()).ask('explain_route'), /has no routes/)
  })

  it('says which route matches, or what would', async () => {
    const { ask } = await agentDesk([], routes)
    assert.match(await ask('explain_route', { url: '/orders/7' }), /matches `order`\.[^]*- `id`: `7`/)
    assert.match(await ask('explain_route', { url: '/basket' }), /is not allowed\. Use POST/)
    assert.match(await ask('explain_route', { method: 'POST', url: '/basket' }), /matches `basket`/)
    assert.match(await ask('explain_route', { url: '/orders/x' }), /No route matches[^]*`order`/)
    for (const args of [{ url: 'ftp://x' }, { method: 'GET' }, { url: '/orders/7', search: 'order' }])
      await assert.rejects(ask('explain_route', args), { code: 'invalid_arguments' })
  })
})

describe('compare', () => {
  it('compares two profiles, and one with its route', async () => {
    const others = [1, 2, 3].map((index) => makePageProfile(index, { route: 'order_list', time: start + index }))
    const { ask } = await agentDesk([...others, fine, failing])
    assert.match(await ask('compare', { a: failing.token, b: fine.token }), /# Compare profiles[^]*failingtoken/)
    assert.match(await ask('compare', { a: 'latest' }), /the median of 4 others/)
    await assert.rejects(ask('compare', { a: 'nothere12345' }), { code: 'not_found', message: /Use `find`/ })
    await assert.rejects(ask('compare', { b: 'latest' }), { message: /`a` is missing/ })
    await assert.rejects(ask('compare', { a: 'latest', base_version: '1.0' }), { message: /Only `b` and `budget` go/ })
  })

  it('compares two runs, and says what is missing', async () => {
    const run = (version: string, durationMs: number): ReturnType<typeof makeProfile>[] =>
      Array.from({ length: 30 }, (_, index) =>
        makeProfile({ version, time: start + index, durationMs: durationMs + index / 100 }),
      )
    const { ask } = await agentDesk([...run('1.0', 5), ...run('2.0', 50)])
    const runs = { version: '2.0', base_version: '1.0' }
    assert.match(await ask('compare', runs), /1 of 1 route got worse[^]*`order_list` `slower/)
    assert.match(await ask('compare', { ...runs, route: 'none' }), /Neither run has profiles/)
    assert.match(await ask('compare', { ...runs, service: 'none' }), /Neither run has profiles/)
    const [from, to] = [isoOf(start - hour), isoOf(start + hour)]
    assert.match(await ask('compare', { since: from, base_since: from, base_until: to }), /60 profiles[^]*60 profiles/)
    assert.match(await ask('compare'), /Nothing to compare yet/)
    assert.match(await ask('compare', { until: to }), /Before: unknown\./)
  })
})

it('replay: says what to use instead of what it cannot use', async () => {
  const { ask } = await agentDesk([failing])
  const refused = async (args: object, message: RegExp): Promise<void> =>
    assert.rejects(ask('replay', { token: 'last_error', ...args }), { message })
  await refused({}, /No application runs/)
  await refused({ token: '' }, /`token` is missing/)
  await refused({ body: 'x'.repeat(65_537) }, /Use a text of at most 65536 characters/)
  await refused({ headers: Array.from({ length: 51 }, () => 'a: b') }, /Use a list of at most 50 texts/)
  await refused({ confirm: 'perhaps' }, /Use true or false/)
})

describe('every tool', () => {
  it('describes its parameters, and takes a budget', () => {
    for (const { name, parameters, description } of agentTools) {
      assert.ok(description.length > 40, name)
      assert.ok('budget' in parameters, name)
      for (const [parameter, { description: meaning }] of Object.entries(parameters))
        assert.ok(meaning !== '', parameter)
    }
  })

  it('says that parts of the store are missing, also where it finds nothing', async () => {
    const { ask, engine } = await agentDesk()
    engine.profiles.find = async () => ({ items: [], next: null, newest: '', missing: { parts: 1, of: 3 } })
    assert.match(await ask('find'), /1 of 3 parts of the store is not reachable[^]*No profile matches/)
    await assert.rejects(ask('show'), {
      code: 'not_found',
      message: /^No recent request [^]*1 of 3 parts of the store/,
    })
  })

  it('says that the store failed', async () => {
    const { ask, engine } = await agentDesk()
    await engine.close()
    engine.profiles.find = async () => Promise.reject(new Error('disk `gone`'))
    await assert.rejects(ask('find'), { code: 'failed', message: '`find` failed: `` Error: disk `gone` ``' })
  })
})
