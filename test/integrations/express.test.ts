// `fanlight/express` with the real packages over real sockets: Express 5 with a router that publishes what it runs, Express 5 with
// one that does not, and Express 4.

import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { describe, it } from 'node:test'
import newest, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express'
import { until } from '../support/until.ts'
import { pick } from '../support/pick.ts'
import { ask, browser, listen, profileOf, profilesOf, type Got, type SeenProfile, tokenOf } from './served.ts'

process.env['NODE_ENV'] = 'development'
process.env['FANLIGHT_STORE'] = 'memory:'
const { fanlight } = await import('../../src/express.ts')

const older = createRequire(new URL('older/', import.meta.url))
const versions = [
  { name: 'Express 5 with router 2.3', express: newest },
  { name: 'Express 5 with router 2.2', express: older('express5') as typeof newest },
  { name: 'Express 4', express: older('express') as typeof newest },
]

interface Events {
  readonly calls: readonly { readonly listener: string; readonly moment: string; readonly hasFailed: boolean }[]
}

const any = { accept: '*/*' }

function logger(_: unknown, __: unknown, next: () => void): void {
  next()
}

/** The routes of a shop; `attach` is called before the first of them. */
function shop(express: typeof newest, attach: (app: Express) => unknown = fanlight): Express {
  const app = express()
  attach(app)
  app.use(logger, express.json())
  app.param('shop', function loadShop(_, __, next, shop) {
    next(shop === 'closed' ? new Error('This shop is closed') : undefined)
  })
  const orders = express.Router({ mergeParams: true })
  const checkOrder: RequestHandler = (_, __, next) => void setImmediate(next)
  orders.get('/:order', checkOrder, function showOrder(request, response) {
    response.json(request.params)
  })
  orders.get('/:order/broken', () => {
    throw new Error('The order is broken')
  })
  const shops = express.Router({ mergeParams: true })
  shops.use('/orders', orders)
  shops.get('/door', (_, __, next) => next('route'))
  shops.get('/door', function backDoor(_, response) {
    response.send('back')
  })
  shops.get('/away', (_, __, next) => next('router'))
  app.use('/shops/:shop', shops)
  app.get('/shops/:shop/away', function outside(_, response) {
    response.send('outside')
  })
  const office = express()
  office.get('/files/:file', function showFile(_, response) {
    response.send('file')
  })
  app.use('/office', office)
  app.all('/any', function anything(_, response) {
    response.send('any')
  })
  const desk = {
    open(_: unknown, response: { send(text: string): void }): void {
      response.send('open')
    },
  }
  app.get('/desk', desk.open.bind(desk))
  app.post('/items', function addItem(request, response) {
    response.json(request.body)
  })
  app.get('/reject', async () => {
    await Promise.resolve()
    throw new Error('rejected')
  })
  app.use(function passesOn(error, _, __, next) {
    next(error)
  } satisfies ErrorRequestHandler)
  return app
}

async function profiled(port: number, got: Got): Promise<SeenProfile & { readonly steps: readonly string[] }> {
  const profile = await profileOf(port, tokenOf(got))
  const { calls } = profile.data['events'] as Events
  return { ...profile, steps: calls.map(({ listener }) => listener) }
}

for (const { name, express } of versions) {
  describe(`fanlight/express: ${name}`, () => {
    it('hands middleware the `next` of the request, in routers too', async (test) => {
      const app = fanlight(express())
      const seen: boolean[] = []
      const look: RequestHandler = (request, _, next) => {
        seen.push(next === request.next)
        next()
      }
      app.use(look, express.Router().use('/inner', look))
      app.get('/inner', (_, response) => void response.send('end'))
      const { port } = await listen(test, app)
      assert.equal((await ask(port, { path: '/inner' })).text, 'end')
      assert.deepEqual(seen, [true, true])
    })

    it('shows the route with the prefixes of its routers, parameters, handler, and what ran in which order', async (test) => {
      const { port } = await listen(test, shop(express))
      const got = await ask(port, { path: '/shops/7/orders/3', headers: browser })
      assert.equal(got.text, '{"shop":"7","order":"3"}')
      const profile = await profiled(port, got)
      assert.equal(profile.route, '/shops/:shop/orders/:order')
      assert.equal(profile.handler, 'showOrder')
      const { parameters } = profile.data['router'] as { parameters: unknown }
      assert.deepEqual(parameters, [
        ['shop', '7'],
        ['order', '3'],
      ])
      const own = [
        'logger',
        'jsonParser',
        'param shop',
        'router /shops/:shop',
        'router /shops/:shop/orders',
        'checkOrder',
      ]
      const added = new Set(['query', 'expressInit'])
      const steps = profile.steps.filter((step) => !added.has(step))
      assert.deepEqual(steps, own)
    })

    it('shows routes of mounted applications, of every method, and of bound methods', async (test) => {
      const { port } = await listen(test, shop(express))
      const file = await profiled(port, await ask(port, { path: '/office/files/a' }))
      assert.deepEqual([file.route, file.handler], ['/office/files/:file', 'showFile'])
      const any = await profiled(port, await ask(port, { path: '/any', method: 'PUT' }))
      assert.deepEqual([any.route, any.handler], ['/any', 'anything'])
      const desk = await profiled(port, await ask(port, { path: '/desk' }))
      assert.deepEqual([desk.route, desk.handler], ['/desk', 'open'])
    })

    for (const [path, status, message] of [
      ['/shops/closed/orders/1', 500, 'This shop is closed'],
      ['/shops/7/orders/1/broken', 500, 'The order is broken'],
      ['/shops/%ff', 400, "Failed to decode param '%ff'"],
    ] as const) {
      it(`draws the page for the error of ${path}, and leaves other clients what Express sends`, async (test) => {
        const { port } = await listen(test, shop(express))
        const page = await ask(port, { path, headers: browser })
        assert.equal(page.status, status)
        assert.ok(page.text.includes(message), page.text.slice(0, 300))
        assert.ok(page.text.includes('/_profiler/'))
        const profile = await profiled(port, page)
        assert.equal(profile.status, status)
        assert.ok(profile.errorMessage?.includes(message), String(profile.errorMessage))
        assert.ok(profile.steps.includes('passesOn'))
        const plain = await ask(port, { path, headers: any })
        assert.equal(plain.status, status)
        assert.match(plain.text, /^<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>Error</)
        assert.ok(!plain.text.includes('_profiler'))
      })
    }

    it('shows what a body parser does not take', async (test) => {
      const { port } = await listen(test, shop(express))
      const sent = {
        path: '/items',
        method: 'POST',
        body: '{"a',
        headers: { ...browser, 'content-type': 'application/json' },
      }
      const got = await ask(port, sent)
      assert.equal(got.status, 400)
      const profile = await profiled(port, got)
      assert.match(String(profile.errorMessage), /JSON/)
      const failed = (profile.data['events'] as Events).calls.filter(({ hasFailed }) => hasFailed)
      assert.deepEqual(pick(failed, 'listener'), ['jsonParser'])
    })

    it('takes what an error handler makes a success of for no error, and notes it', async (test) => {
      const app = fanlight(express())
      app.put('/user', (_, __, next) => next({ ok: 'user created' }))
      app.get('/away', () => {
        throw new Error('sign in first')
      })
      app.use(((given: { ok?: string }, _, response, __) => {
        if (given.ok === undefined) response.redirect('/login')
        else response.status(201).json(given)
      }) satisfies ErrorRequestHandler)
      const { port } = await listen(test, app)
      for (const [method, path, status, text] of [
        ['PUT', '/user', 201, '{ ok: "user created" }'],
        ['GET', '/away', 302, 'Error: sign in first'],
      ] as const) {
        const profile = await profiled(port, await ask(port, { method, path, headers: any }))
        assert.deepEqual([profile.status, profile.errorClass, profile.errorMessage], [status, null, null])
        const notes = profile.data['notes'] as readonly { readonly message: string }[]
        assert.ok(
          notes.some(({ message }) => message.includes('and handled') && message.includes(text)),
          JSON.stringify(notes),
        )
      }
    })

    it('shows what a function runs after next() as a step of its own, inside what waits meanwhile', async (test) => {
      const app = fanlight(express())
      app.use(function slowAfter(_, __, next) {
        next()
        const until = performance.now() + 20
        while (performance.now() < until);
      })
      app.use(function waits(_, __, next) {
        setImmediate(next)
      })
      app.get('/', (_, response) => void response.send('done'))
      const { port } = await listen(test, app)
      const { steps } = await profiled(port, await ask(port))
      assert.deepEqual(steps.slice(-3), ['slowAfter', 'waits', 'slowAfter'])
    })

    it("takes next('route') and next('router') for no errors", async (test) => {
      const { port } = await listen(test, shop(express))
      const door = await ask(port, { path: '/shops/7/door', headers: browser })
      assert.match(door.text, /^back/)
      const profile = await profiled(port, door)
      assert.deepEqual([profile.errorMessage, profile.handler], [null, 'backDoor'])
      const away = await profiled(port, await ask(port, { path: '/shops/7/away' }))
      assert.deepEqual([away.errorMessage, away.handler, away.route], [null, 'outside', '/shops/:shop/away'])
    })

    it('draws the page of an unknown path for an application without any route', async (test) => {
      const { port } = await listen(test, fanlight(express()))
      const got = await ask(port, { headers: browser })
      assert.equal(got.status, 404)
      assert.match(got.text, /No route found for/)
    })

    it('leaves the 404 page of the application alone', async (test) => {
      const app = shop(express)
      app.use((_, response) => void response.status(404).send('<!doctype html><h1>Nothing here</h1>'))
      const { port } = await listen(test, app)
      const got = await ask(port, { path: '/nowhere', headers: browser })
      assert.equal(got.status, 404)
      assert.match(got.text, /^<!doctype html><script[^]*<\/script><h1>Nothing here<\/h1><fanlight-toolbar/)
    })

    it('leaves an application that another one calls the response of that one', async (test) => {
      const inner = fanlight(express())
      const { port } = await listen(test, (request, response) => {
        Reflect.apply(inner, undefined, [request, response, () => response.end('outer')])
      })
      assert.equal((await ask(port, { path: '/nowhere', headers: browser })).text, 'outer')
    })
  })
}

it('fanlight/express: OpenTelemetry: receives below the profiler, and leaves all other addresses to the application', async (test) => {
  const { port } = await listen(test, shop(newest))
  const send = async (path: string): Promise<Response> =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"resourceSpans":[{"scopeSpans":[{"spans":[{}]}]}]}',
    })
  const taken = await send('/_profiler/v1/traces')
  assert.deepEqual([taken.status, taken.headers.get('x-debug-token')], [200, null])
  const { partialSuccess } = (await taken.json()) as { readonly partialSuccess: { readonly rejectedSpans: string } }
  assert.equal(partialSuccess.rejectedSpans, '1')
  const left = await send('/v1/traces')
  assert.equal(left.status, 404)
  assert.notEqual(left.headers.get('x-debug-token'), null)
})

it('fanlight/express: what Express 4 leaves without a response: shows the error of an async handler, and says why the request hangs', async (test) => {
  const { port } = await listen(test, shop(older('express') as typeof newest))
  const rejections: unknown[] = []
  const others = process.listeners('unhandledRejection')
  process.removeAllListeners('unhandledRejection')
  process.on('unhandledRejection', (reason) => rejections.push(reason))
  test.after(() => {
    process.removeAllListeners('unhandledRejection')
    for (const other of others) process.on('unhandledRejection', other)
  })
  const leaving = new AbortController()
  const asked = fetch(`http://127.0.0.1:${port}/reject`, { headers: browser, signal: leaving.signal })
  await until(() => rejections.length > 0)
  assert.match(String(rejections), /rejected/)
  leaving.abort()
  await assert.rejects(asked)
  const { text } = await ask(port, { path: '/_profiler/status.json' })
  assert.match(text, /Express 4 does not wait for promises/)
  await until(async () => {
    const items = await profilesOf(port)
    return items.some(
      ({ route, status, errorMessage }) => route === '/reject' && status === 0 && errorMessage === 'rejected',
    )
  })
})
