// Koa and @koa/router behind `fanlight/koa`, the newest and the oldest supported version, over real sockets.

import assert from 'node:assert/strict'
import { createServer, request } from 'node:http'
import { createRequire } from 'node:module'
import { describe, it, type TestContext } from 'node:test'
import type KoaClass from 'koa'
import { until } from '../support/until.ts'
import { assertErrorPage, failedStepsOf, notesOf, see, stepsOf } from './seen.ts'
import { ask, browser, listen, profileOf, profilesOf } from './served.ts'

process.env['NODE_ENV'] = 'development'
process.env['FANLIGHT_STORE'] = 'memory:'
const { fanlight } = await import('../../src/koa.ts')

/** What these tests use of a router, old or new. */
interface Router {
  use(...given: unknown[]): Router
  param(name: string, check: unknown): Router
  get(...given: unknown[]): Router
  post(...given: unknown[]): Router
  all(...given: unknown[]): Router
  routes(): KoaMiddleware
  allowedMethods(): KoaMiddleware
}

type RouterClass = new (options?: { prefix?: string }) => Router
type Application = KoaClass
type KoaMiddleware = KoaClass.Middleware

function fromPackages(base: string | URL, name = 'koa'): { Koa: typeof KoaClass; Router: RouterClass } {
  const require = createRequire(base)
  const router = require('@koa/router') as RouterClass & { default?: RouterClass }
  return { Koa: require(name) as typeof KoaClass, Router: router.default ?? router }
}

const next = (_: unknown, proceed: () => Promise<void>): Promise<void> => proceed()

function addShop(app: Application, Router: RouterClass): void {
  app.silent = true
  app.use(async function timing(context, proceed) {
    await proceed()
    context.set('x-timed', '1')
  })
  app.use(async function catching(context, proceed) {
    if (!('catch' in context.query)) return proceed()
    try {
      await proceed()
    } catch (error) {
      context.status = 500
      context.body = { mine: (error as Error).message }
    }
  })
  const shops = new Router({ prefix: '/shops/:shop' })
  shops.use(async function member(context: unknown, proceed: () => Promise<void>) {
    await next(context, proceed)
  })
  shops.param('id', async (_id: string, context: unknown, proceed: () => Promise<void>) => next(context, proceed))
  shops.get(
    'order',
    '/orders/:id',
    async function validate(context: unknown, proceed: () => Promise<void>) {
      await next(context, proceed)
    },
    async function showOrder(context: { body: unknown; params: unknown }) {
      context.body = context.params
    },
  )
  const router = new Router()
  router.get('/async', async function fails() {
    throw new Error('Thrown later')
  })
  router.get('/sync', () => {
    throw Object.assign(new Error('Thrown at once'), { cause: new TypeError('The cause') })
  })
  router.get('/login', (context: { throw(status: number, message: string): void }) => context.throw(401, 'Log in'))
  router.get('/teapot', (context: { throw(status: number, message: string): void }) => context.throw(418, 'Teapot'))
  router.get('/string', async () => {
    // oxlint-disable-next-line no-throw-literal
    throw 'only text'
  })
  router.get('/object', async () => {
    // oxlint-disable-next-line no-throw-literal
    throw { a: 1 }
  })
  router.get('/undefined', async () => {
    // oxlint-disable-next-line no-throw-literal
    throw undefined
  })
  router.get('/circular', (context: { body: unknown }) => {
    const circle: { self?: unknown } = {}
    circle.self = circle
    context.body = circle
  })
  router.get('/own-404', (context: { status: number; body: unknown }) => {
    context.status = 404
    context.body = 'No such tea'
  })
  router.get('/no-body', async () => {})
  router.use(shops.routes())
  app.use(router.routes()).use(router.allowedMethods())
}

for (const { version, ...packages } of [
  { version: '3.3.0', ...fromPackages(import.meta.url) },
  { version: '3.0.0', ...fromPackages(new URL('older/package.json', import.meta.url)) },
  { version: '2.16.4', ...fromPackages(new URL('older/package.json', import.meta.url), 'koa2') },
]) {
  describe(`Koa ${version}`, () => {
    const { Koa, Router } = packages
    const shop = async (test: TestContext): Promise<number> => {
      const app = fanlight(new Koa())
      addShop(app, Router)
      return (await listen(test, app.callback())).port
    }

    it('shows middleware of the application and of the routers, in the order of entering', async (test) => {
      const { profile, headers } = await see(await shop(test), '/shops/tea/orders/7')
      assert.deepEqual(stepsOf(profile), [
        'middleware timing',
        'middleware catching',
        'middleware router',
        'middleware member',
        'middleware param id',
        'middleware validate',
        'controller showOrder',
      ])
      assert.equal(headers['x-timed'], '1')
    })

    it('draws the page for every error that Koa answers itself, and records it', async (test) => {
      const port = await shop(test)
      for (const [path, status, message, text] of [
        ['/async', 500, 'Thrown later', 'Internal Server Error'],
        ['/sync', 500, 'Thrown at once', 'Internal Server Error'],
        ['/login', 401, 'Log in', 'Log in'],
        ['/teapot', 418, 'Teapot', 'Teapot'],
        ['/circular', 500, 'Converting circular structure to JSON', 'Internal Server Error'],
        ['/string', 500, 'only text', 'Internal Server Error'],
        ['/object', 500, 'a: 1', 'Internal Server Error'],
      ] as const) {
        await assertErrorPage(port, path, status, message)
        const seen = await see(port, path, { headers: { accept: '*/*' } })
        assert.equal(seen.status, status, path)
        assert.equal(seen.text, text, path)
        assert.notEqual(seen.profile.errorMessage, null, path)
        assert.equal(seen.profile.route, path)
      }
    })

    it('shows the causes of an error, and the steps that it went through', async (test) => {
      const port = await shop(test)
      const { text } = await ask(port, { path: '/sync', headers: { accept: 'text/markdown' } })
      assert.match(text, /Thrown at once[^]*The cause/)
      const { profile } = await see(port, '/async')
      assert.deepEqual(failedStepsOf(profile), ['timing', 'catching', 'router', 'fails'])
    })

    it('leaves the response of middleware that catches alone, and records what it caught', async (test) => {
      const port = await shop(test)
      const { text, profile } = await see(port, '/async?catch', { headers: browser })
      assert.equal(text, '{"mine":"Thrown later"}')
      assert.equal(profile.errorMessage, 'Thrown later')
      assert.deepEqual(failedStepsOf(profile), ['router', 'fails'])
    })

    it('leaves the response of an own onerror alone, whether it is set before or after', async (test) => {
      for (const isFirst of [true, false]) {
        const app = new Koa()
        if (isFirst) fanlight(app)
        Object.assign(app.context, {
          onerror(this: { res: { end(text: string): void } }, error: Error | null) {
            if (error) this.res.end(`Mine: ${error.message}`)
          },
        })
        if (!isFirst) fanlight(app)
        app.use(() => {
          throw new Error('Not caught')
        })
        const { port } = await listen(test, app.callback())
        const { text, profile } = await see(port, '/', { headers: browser })
        assert.equal(text, 'Mine: Not caught')
        assert.equal(profile.errorMessage, 'Not caught')
      }
    })

    it('leaves a 404 of the application alone', async (test) => {
      const port = await shop(test)
      assert.equal((await see(port, '/own-404', { headers: browser })).text, 'No such tea')
      assert.equal((await see(port, '/no-body', { headers: browser })).text, 'Not Found')
    })

    it('records a thrown undefined, which Koa never answers', async (test) => {
      const port = await shop(test)
      const sent = request({ host: '127.0.0.1', port, path: '/undefined' })
      sent.on('error', () => undefined)
      sent.end()
      await until(async () => (await ask(port, { path: '/_profiler/open-requests.json' })).text.includes('/undefined'))
      sent.destroy()
      await until(async () => (await profilesOf(port)).some(({ url }) => url.endsWith('/undefined')))
      const listed = (await profilesOf(port)).find(({ url }) => url.endsWith('/undefined'))
      const profile = await profileOf(port, String(listed?.token))
      assert.deepEqual(failedStepsOf(profile), ['timing', 'catching', 'router', 'handler'])
    })

    it('leaves the log of errors to Koa', async (test) => {
      const app = fanlight(new Koa())
      assert.equal(app.listenerCount('error'), 0)
      app.use(async () => {
        throw new Error('To the console')
      })
      const callback = app.callback()
      assert.equal(app.listenerCount('error'), 1)
      const lines: unknown[] = []
      test.mock.method(console, 'error', (...given: unknown[]) => lines.push(given[0]))
      const { port } = await listen(test, callback)
      await ask(port)
      assert.match(String(lines[0]), /To the console/)
      assert.equal(lines.length, 1)
    })

    it('records routes and errors after callback(), and notes that middleware has no steps', async (test) => {
      const app = new Koa()
      addShop(app, Router)
      const server = createServer(app.callback())
      const { port } = await listen(test, server)
      fanlight(app)
      const { profile } = await see(port, '/shops/tea/orders/7')
      assert.equal(profile.route, 'order')
      assert.deepEqual(stepsOf(profile).slice(-1), ['controller showOrder'])
      assert.ok(!stepsOf(profile).includes('middleware timing'))
      await assertErrorPage(port, '/async', 500, 'Thrown later')
      assert.ok((await notesOf(port)).some((note) => note.startsWith('Koa: fanlight() came after')))
    })
  })
}
