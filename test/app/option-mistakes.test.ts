// What cannot be meant is refused with a sentence: options, plugins, listeners, replies, injected requests.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  createApp,
  html,
  json,
  maintenance,
  redirect,
  RouteCollection,
  text,
  type App,
  type Exchange,
} from '../../src/index.ts'
import { loadRuntimeContext } from '../../src/http/config/runtime-context.ts'
import { profiler } from '../../src/profiler.ts'
import { startApp } from '../support/running-app.ts'

const routes = new RouteCollection().get('home', '/', ({ request }) =>
  json({ method: request.method, query: request.rawQuery }),
)
const { context } = loadRuntimeContext({ cwd: import.meta.dirname, env: { APP_ENV: 'prod', APP_STORE: 'memory:' } })

/** As JavaScript calls it. */
const create = createApp as (options?: unknown) => Promise<App>
const call = (made: (...given: readonly never[]) => unknown, ...given: readonly unknown[]): unknown =>
  made(...(given as readonly never[]))

function mail(): { name: string } {
  return { name: 'mail' }
}

class Login {
  readonly name = 'login'
  onReqest(): void {
    // Never called.
  }
}

describe('createApp() refuses', () => {
  for (const [what, options, message] of [
    ['nothing', undefined, /^The options of createApp\(\) are undefined; allowed: an object with routes, plugins, /],
    ['a route table', routes, /^createApp\(\) takes the routes as an option: createApp\(\{ routes \}\)$/],
    ['a function', (): object => ({ routes }), /^The options of createApp\(\) are a function; allowed: an object/],
    [
      'forgotten routes',
      {},
      /^createApp\(\) needs the option routes: createApp\(\{ routes: new RouteCollection\(\)\.get\(/,
    ],
    [
      'a misspelt option',
      { routes, listners: [] },
      /^Option "listners" of createApp\(\) is unknown\. Did you mean "listeners"\?/,
    ],
    ['routes as a list', { routes: [] }, /^Option "routes" of createApp\(\) is a list; allowed: a RouteCollection/],
    [
      'routes that come later',
      { routes: async () => routes },
      /^The routes of createApp\(\) are a promise; make the routes at once/,
    ],
    [
      'no routes of the function',
      { routes: () => undefined },
      /^The routes of createApp\(\) are undefined; allowed: a RouteCollection$/,
    ],
    [
      'a port as text',
      { routes, drainMs: '5' },
      /^Option "drainMs" of createApp\(\) is "5"; allowed: a whole number from 0$/,
    ],
    [
      'a plugin that is not called',
      { routes, plugins: [mail] },
      /^plugins\[0\] of createApp\(\) is a function; call it: plugins: \[mail\(\)\]$/,
    ],
    ['a plugin without a name', { routes, plugins: [{ start() {} }] }, /^plugins\[0\] of createApp\(\) has no name/],
    [
      'a misspelt member',
      { routes, plugins: [{ name: 'a', listener: [] }] },
      /^"listener" of plugins\[0\] of createApp\(\) is unknown\. Did you mean "listeners"\?$/,
    ],
    [
      'a moment of a plugin',
      { routes, plugins: [{ name: 'a', onRequest() {} }] },
      /^"onRequest" of plugins\[0\] .* belongs to a listener: listeners: \[\{ name, onRequest\(exchange\) \{\} \}\]$/,
    ],
    [
      'routes of a plugin',
      { routes, plugins: [{ name: 'a', routes: [] }] },
      /^"routes" of plugins\[0\] of createApp\(\) is a list; allowed: a RouteCollection$/,
    ],
    [
      'a start that is not one',
      { routes, plugins: [{ name: 'a', start: true }] },
      /^"start" of plugins\[0\] of createApp\(\) is true; allowed: a function$/,
    ],
    [
      'a command that is none',
      { routes, commands: { tidy: { plugins: ['mail'] } } },
      /^Command "tidy" is an object; allowed: a function, or \{ plugins: \[…\], run \}$/,
    ],
    [
      'a command of a plugin that is not there',
      { routes, plugins: [{ name: 'mail', commands: { send: { plugins: ['mial'], run() {} } } }] },
      /^Command "send" names an unknown plugin, "mial"\. Did you mean "mail"\?$/,
    ],
    [
      'a listener as a function',
      { routes, listeners: [(): void => undefined] },
      /^listeners\[0\] of createApp\(\) is a function; a listener is an object: /,
    ],
    [
      'a listener without a name',
      { routes, listeners: [{ onRequest() {} }] },
      /^listeners\[0\] of createApp\(\) has no name/,
    ],
    [
      'a misspelt moment',
      { routes, listeners: [{ name: 'a', onRespond() {} }] },
      /^Listener "a" has a method "onRespond", which is never called\. /,
    ],
    [
      'one of a class',
      { routes, listeners: [new Login()] },
      /^Listener "login" has a method "onReqest", which is never called\. Did you mean "onRequest"\?$/,
    ],
    [
      'one of a plugin',
      { routes, plugins: [{ name: 'p', listeners: [{ name: 'a', onEnd() {} }] }] },
      /^Listener "a" has a method "onEnd", which is never called\. There are onRequest, /,
    ],
    [
      'a moment that is not a function',
      { routes, listeners: [{ name: 'a', onMatch: true }] },
      /^"onMatch" of listener "a" is true; allowed: a function$/,
    ],
  ] as const) {
    it(what, async () => {
      const given =
        typeof options === 'object' && !(options instanceof RouteCollection) ? { context, ...options } : options
      await assert.rejects(create(given), (error) => {
        assert.ok(error instanceof TypeError)
        assert.match(error.message, message)
        return true
      })
    })
  }

  it('a misspelt moment of a listener of a route', async () => {
    const own = new RouteCollection().get('a', '/a', () => text('a'), {
      listeners: [{ name: 'own', onResponce: () => undefined } as object as { name: string }],
    })
    await assert.rejects(create({ context, routes: own }), /Listener "own" has a method "onResponce".* "onResponse"\?$/)
  })
})

it('Members of one’s own are taken: of plugins and listeners', async () => {
  class Counter {
    readonly name = 'counter'
    count = 0
    onRequest(): void {
      this.#add()
    }
    report(): number {
      return this.count
    }
    #add(): void {
      this.count += 1
    }
  }
  const counter = new Counter()
  await using running = await startApp({
    routes,
    listeners: [counter],
    plugins: [{ name: 'mail', send: () => 'sent' } as { name: string }],
  })
  await running.app.inject('/')
  assert.equal(counter.report(), 1)
})

describe('Options of plugins', () => {
  for (const [what, make, message] of [
    ['maintenance()', () => call(maintenance, { retryAfter: 5 }), /^Option "retryAfter" of maintenance\(\) is unknown/],
    [
      'maintenance()',
      () => call(maintenance, { retryAfterSeconds: -1 }),
      /^Option "retryAfterSeconds" of maintenance\(\) is -1; allowed: a whole number from 0 to 604800$/,
    ],
    ['profiler()', () => call(profiler, { sampleRate: 1 }), /^Option "sampleRate" of profiler\(\) is unknown/],
    [
      'profiler()',
      () => call(profiler, { hungRequestMs: -1 }),
      /^Option "hungRequestMs" of profiler\(\) is -1; allowed: a whole number from 0$/,
    ],
  ] as const) {
    it(`${what} ${message}`, () => {
      assert.throws(make, (error) => error instanceof TypeError && message.test(error.message))
    })
  }
})

describe('A reply refuses', () => {
  for (const [what, make, message] of [
    ['a misspelt option', () => call(json, {}, { statusCode: 201 }), /^Option "statusCode" of a reply is unknown/],
    [
      'a number',
      () => call(json, {}, 201),
      /^The options of a reply are 201; allowed: an object with status, headers$/,
    ],
    [
      'headers as text',
      () => call(text, '', { headers: 'x' }),
      /^Option "headers" of a reply is "x"; allowed: a record/,
    ],
    [
      'a status as text',
      () => call(redirect, '/', { status: '303' }),
      /^Option "status" of a reply is "303"; allowed: a status code$/,
    ],
  ] as const) {
    it(what, () => {
      assert.throws(make, (error) => error instanceof TypeError && message.test(error.message))
    })
  }
})

describe('app.inject()', () => {
  it('takes the URL of a GET', async () => {
    await using running = await startApp({ routes })
    assert.deepEqual((await running.app.inject('/?a=1')).json(), { method: 'GET', query: 'a=1' })
  })

  it('refuses what it does not know', async () => {
    await using running = await startApp({ routes })
    const inject = running.app.inject.bind(running.app) as (request: unknown) => Promise<unknown>
    await assert.rejects(inject({ url: '/', payload: {} }), /^TypeError: Option "payload" of inject\(\) is unknown/)
    await assert.rejects(inject({ path: '/' }), /^TypeError: Option "path" of inject\(\) is unknown/)
    await assert.rejects(
      inject({ url: 7 }),
      /^TypeError: Option "url" of inject\(\) is 7; allowed: a path such as '\/orders', or a whole URL$/,
    )
  })
})

describe('the error page of a handler as Express has them', () => {
  interface Response {
    json(value: unknown): unknown
    status(code: number): Response
    statusCode: number
  }
  const handlers: Readonly<Record<string, (request: Exchange, response: Response) => unknown>> = {
    sends: (_, response) => response.json({}),
    chains: (_, response) => response.status(201).json({}),
    sets: (_, response) => (response.statusCode = 201),
    waits: async (_, response) => {
      await Promise.resolve()
      response.json({})
    },
  }
  const others: Readonly<Record<string, (exchange: Exchange, shop?: { readonly title: string }) => unknown>> = {
    optional: (exchange, shop) => json([exchange.request.path, shop?.title.length, (shop as { title: string }).title]),
    single: ({ request }) => (request.params['missing'] as unknown as Response).json({}),
  }
  for (const [name, handler] of [...Object.entries(handlers), ...Object.entries(others)]) {
    it(`${name in handlers ? 'says' : 'does not say'} that there is no response object: ${name}`, async () => {
      const table = new RouteCollection()
      call(table.get as never, name, '/', handler)
      await using running = await startApp({ routes: table })
      const { status, body } = await running.app.inject({ url: '/', headers: { accept: 'text/plain' } })
      assert.equal(status, 500)
      assert.equal(
        /one argument, the exchange: There is no response object at .*\.test\.ts:\d+\./.test(body),
        name in handlers,
        body,
      )
    })
  }
})

describe('the profiler refuses', () => {
  it('a panel that no collector has data for', async () => {
    const panels = [{ name: 'flag', title: 'Flags', render: () => html`` }]
    const collectors = [{ name: 'flags', collect: () => 1 }]
    await assert.rejects(startApp({ routes, collectors, panels }), {
      name: 'TypeError',
      message: 'The panel "flag" has no collector: name one "flag", too. Did you mean "flags"?',
    })
  })
})
