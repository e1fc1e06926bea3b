// What the tools for agents say, and what they say instead of guessing.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { html } from '../../../src/framework/html/html.ts'
import { RouteCollection } from '../../../src/framework/routing/route-collection.ts'
import { agentTools } from '../../../src/profiler/agents/all.ts'
import { agentDesk } from '../../support/agent-tools.ts'
import { makePageProfile, makeProfile } from '../../support/profiles.ts'

const hour = 3_600_000
const start = Date.parse('2026-11-21T08:00:00Z')

const failing = makeProfile({
  token: 'failingtoken',
  url: 'http://127.0.0.1:8000/orders/2',
  status: 500,
  time: start + hour,
  errorClass: 'OrderError',
  errorFamily: 'OrderError ← TypeError in src/orders.ts (total)',
  errorMessage: 'The order cannot be shown',
  logErrorCount: 1,
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
      origins: [{ usedAt: 'src/prices.ts:4', name: 'item.price', note: 'Is set here', source: null }],
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

describe('last_error', () => {
  it('names the root cause and where to change it before everything else', async () => {
    const { ask } = await agentDesk([fine, failing])
    const said = await ask('last_error')
    const places = [
      '# Profile failingtoken: 500',
      '## Root cause',
      'price is undefined',
      'src/prices.ts:4',
      '## Hints',
      '## Source',
      '> 4 | return item.price.net',
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

  it('says how often an error of the family was seen', async () => {
    const { ask } = await agentDesk([failing, { ...failing, token: 'failingagain' }])
    assert.match(await ask('last_error'), /Seen in 2 requests/)
  })

  it('says that there is none', async () => {
    const { ask } = await agentDesk([fine])
    assert.match(await ask('last_error'), /No request that matches failed/)
  })
})

describe('list_requests', () => {
  it('lists the newest first, takes every filter, and gives the next page', async () => {
    const { ask } = await agentDesk([fine, failing])
    const all = await ask('list_requests')
    assert.ok(all.indexOf('failingtoken') < all.indexOf('finerequest1'))
    const slow = await ask('list_requests', { status: 500, error: true, method: 'get', duration: 5 })
    assert.match(slow, /failingtoken/)
    assert.doesNotMatch(slow, /finerequest1/)
    const first = await ask('list_requests', { limit: 1 })
    const [, after] = /after: "([^"]+)"/.exec(first) ?? []
    assert.match(await ask('list_requests', { limit: 1, after }), /finerequest1/)
    assert.match(await ask('list_requests', { status: '404' }), /No request matches/)
  })

  it('says what to use instead of what it cannot use', async () => {
    const { ask } = await agentDesk([fine])
    const refused = async (args: unknown, message: RegExp): Promise<void> =>
      assert.rejects(ask('list_requests', args), { code: 'invalid_arguments', message })
    await refused({ limit: 1_000_000 }, /`limit`: 1000000 cannot be used. Use a whole number from 1 to 200\./)
    await refused({ statuss: 404 }, /There is no parameter "statuss"\. Did you mean "status"\?/)
    await refused({ status: 'abc' }, /`status`: "abc" is not a status. Use 404, 4xx/)
    await refused({ since: '2026-11-22', until: '2026-11-21' }, /`since` is not before `until`/)
    await refused({ budget: 10 }, /from 500 to 20000/)
    await refused([1], /not an object/)
    await refused({ url: { a: 1 } }, /`url`: an object cannot be used/)
  })
})

describe('get_request', () => {
  it('gives each panel, from a line on', async () => {
    const { ask } = await agentDesk([failing])
    const panel = async (name: string, from = 0): Promise<string> =>
      ask('get_request', { token: 'latest', panel: name, from })
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
  })

  it('gives a panel of an unknown form as its data', async () => {
    const { ask } = await agentDesk([makeProfile({ data: { cart: { items: [1] }, time: { spans: 'many' } } })])
    assert.match(await ask('get_request', { token: 'latest', panel: 'cart' }), /"items": \[/)
    assert.match(await ask('get_request', { token: 'latest', panel: 'time' }), /"spans": "many"/)
  })

  it('says how to find a token', async () => {
    const { ask } = await agentDesk()
    await assert.rejects(ask('get_request', { token: 'nothere12345' }), {
      code: 'not_found',
      message: /Use `list_requests`/,
    })
    await assert.rejects(ask('get_request', { token: 'latest' }), { message: /Nothing has been recorded yet/ })
    await assert.rejects(ask('get_request'), { message: /`token` is missing/ })
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
      const said: string = await ask('get_request', { token: 'latest', panel: 'logger', from, budget: 1500 })
      for (const [line] of said.matchAll(/line number \d+/g)) seen.add(line)
      const [, next] = /`from: (\d+)`/.exec(said) ?? []
      if (next === undefined) break
      from = Number(next)
    }
    assert.equal(seen.size, 300)
  })
})

describe('wait_for_request', () => {
  it('gives the next request that matches', async () => {
    const { ask, engine } = await agentDesk([fine])
    const waiting = ask('wait_for_request', { status: '500' })
    await engine.profiles.write([makeProfile({ status: 200 })])
    await engine.profiles.write([failing])
    assert.match(await waiting, /# Profile failingtoken: 500/)
  })

  it('gives one from before with `since`', async () => {
    const { ask } = await agentDesk([fine])
    assert.match(await ask('wait_for_request', { since: '2026-11-21' }), /finerequest1/)
  })

  it('says that none came', async () => {
    const { ask } = await agentDesk([fine])
    assert.match(await ask('wait_for_request', { seconds: 1 }), /No request that matches has ended within 1 s/)
  })

  it('ends when nobody waits any more, and takes so many at a time', async () => {
    const { ask } = await agentDesk()
    const gone = new AbortController()
    const calls = Array.from({ length: 16 }, async () => ask('wait_for_request', { seconds: 300 }, gone.signal))
    await assert.rejects(ask('wait_for_request'), { code: 'too_many' })
    gone.abort()
    await Promise.all(calls)
    assert.match(await ask('wait_for_request', { seconds: 1 }), /No request/)
  })
})

describe('list_routes and explain_route', () => {
  const page = (): ReturnType<typeof html> => html``
  const routes = new RouteCollection()
    .get('order', '/orders/{id<[0-9]+>}', page)
    .post('basket', '/basket', page)
    .get('never', '/orders/{id<[0-9]+>}', page)

  it('lists routes, and faults first', async () => {
    const { ask } = await agentDesk([], routes)
    const said = await ask('list_routes')
    assert.ok(said.indexOf('## Faults') < said.indexOf('`POST /basket` `basket`'))
    assert.match(await ask('list_routes', { find: 'basket' }), /1 of 3 routes/)
    assert.match(await ask('list_routes', { find: 'zebra' }), /None of 3 routes has this text/)
    assert.match(await (await agentDesk()).ask('list_routes'), /has no routes/)
  })

  it('says which route matches, or what would', async () => {
    const { ask } = await agentDesk([], routes)
    assert.match(
      await ask('explain_route', { method: 'GET', url: '/orders/7' }),
      /matches `order`[^]*Parameter `id`: `"7"`/,
    )
    assert.match(await ask('explain_route', { method: 'GET', url: '/basket' }), /is not allowed\. Use `POST`/)
    assert.match(await ask('explain_route', { method: 'GET', url: '/orders/x' }), /matches no route[^]*`order`/)
    await assert.rejects(ask('explain_route', { method: 'GET', url: 'ftp://x' }), { code: 'invalid_arguments' })
  })
})

describe('slow_routes', () => {
  it('sorts routes by what is asked for', async () => {
    const { ask } = await agentDesk([
      makeProfile({ route: 'quick', durationMs: 1, queryCount: 9 }),
      makeProfile({ route: 'slow', durationMs: 900, queryCount: 1 }),
    ])
    const byTime = await ask('slow_routes')
    assert.ok(byTime.indexOf('`slow`') < byTime.indexOf('`quick`'))
    const byQueries = await ask('slow_routes', { sort: 'queries' })
    assert.ok(byQueries.indexOf('`quick`') < byQueries.indexOf('`slow`'))
    await assert.rejects(ask('slow_routes', { sort: 'size' }), { message: /Use count, errors/ })
  })
})

describe('compare_requests and compare_runs', () => {
  it('compares two requests, and one with its route', async () => {
    const others = [1, 2, 3].map((index) => makePageProfile(index, { route: 'order_list', time: start + index }))
    const { ask } = await agentDesk([...others, fine, failing])
    assert.match(
      await ask('compare_requests', { a: failing.token, b: fine.token }),
      /# Compare profiles[^]*failingtoken/,
    )
    assert.match(await ask('compare_requests', { a: 'latest' }), /the median of 4 others/)
    await assert.rejects(ask('compare_requests', { a: 'nothere12345' }), {
      code: 'not_found',
      message: /Use `list_requests`/,
    })
  })

  it('compares two runs, and says what is missing', async () => {
    const run = (version: string, durationMs: number): ReturnType<typeof makeProfile>[] =>
      Array.from({ length: 30 }, (_, index) =>
        makeProfile({ version, time: start + index, durationMs: durationMs + index / 100 }),
      )
    const { ask } = await agentDesk([...run('1.0', 5), ...run('2.0', 50)])
    assert.match(
      await ask('compare_runs', { version: '2.0', base_version: '1.0' }),
      /## Worse[^]*`order_list` \(slower/,
    )
    await assert.rejects(ask('compare_runs'), { code: 'not_found', message: /Nothing to compare yet/ })
    await assert.rejects(ask('compare_runs', { until: '2026-11-22' }), { message: /Use `base_since`/ })
  })
})

describe('list_issues', () => {
  it('lists errors by origin and state', async () => {
    const { ask } = await agentDesk([fine, failing, { ...failing, token: 'failingagain' }])
    assert.match(
      await ask('list_issues'),
      /1 issue in all 3 profiles[^]*\*\*open\*\* `OrderError ← TypeError in src\/orders\.ts \(total\)` · 2 times/,
    )
    assert.match(await ask('list_issues', { state: 'fixed' }), /0 issues/)
    await assert.rejects(ask('list_issues', { state: 'closed' }), { message: /Use regressed, open, fixed/ })
  })
})

describe('write_test', () => {
  it('gives the code of a test, and what it needs', async () => {
    const { ask } = await agentDesk([fine, failing], undefined, process.cwd())
    const said = await ask('write_test', { token: failing.token, budget: 4000 })
    assert.match(said, /Save it as `test\/order-list\.test\.ts`[^]*```ts\n[^]*from 'node:test'[^]*orders\/2/)
    assert.match(await ask('write_test', { token: failing.token, runner: 'vitest', budget: 4000 }), /from 'vitest'/)
    assert.match(
      await ask('write_test', { token: failing.token, budget: 500 }),
      /fanlight profiles test failingtoken --out/,
    )
  })

  it('looks at nothing outside of the project', async () => {
    const { ask } = await agentDesk([failing], undefined, process.cwd())
    for (const module of ['/etc/passwd', '../secret.ts', 'app/../../x.ts']) {
      await assert.rejects(ask('write_test', { token: failing.token, module }), {
        code: 'invalid_arguments',
        message: /is not in the project/,
      })
    }
    await assert.rejects(ask('write_test', { token: failing.token, module: 'app/none.ts' }), {
      message: /There is no app\/none\.ts/,
    })
    await assert.rejects((await agentDesk([failing])).ask('write_test', { token: failing.token }), {
      code: 'not_available',
    })
  })
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

  it('says that the store failed', async () => {
    const { ask, engine } = await agentDesk()
    await engine.close()
    engine.profiles.find = async () => Promise.reject(new Error('disk `gone`'))
    await assert.rejects(ask('list_requests'), {
      code: 'failed',
      message: '`list_requests` failed: `` Error: disk `gone` ``',
    })
  })
})
