// Hono on @hono/node-server behind `fanlight/hono`, the newest and the oldest supported version, over real sockets.

import assert from 'node:assert/strict'
import type { Server } from 'node:http'
import { createRequire } from 'node:module'
import { describe, it, type TestContext } from 'node:test'
import type { createAdaptorServer } from '@hono/node-server'
import type { Hono as HonoClass } from 'hono'
import type { HTTPException as HTTPExceptionClass } from 'hono/http-exception'
import { assertErrorPage, failedStepsOf, notesOf, see, stepsOf } from './seen.ts'
import { browser, listen } from './served.ts'

process.env['NODE_ENV'] = 'development'
process.env['FANLIGHT_STORE'] = 'memory:'
const { fanlight } = await import('../../src/hono.ts')

interface Packages {
  readonly Hono: typeof HonoClass
  readonly HTTPException: typeof HTTPExceptionClass
  readonly serverOf: (app: { fetch: HonoClass['fetch'] }) => Server
}

function fromPackages(base: string | URL): Packages {
  const require = createRequire(base)
  const adaptor = require('@hono/node-server') as { createAdaptorServer: typeof createAdaptorServer }
  return {
    ...(require('hono') as Pick<Packages, 'Hono'>),
    ...(require('hono/http-exception') as Pick<Packages, 'HTTPException'>),
    serverOf: ({ fetch }) => adaptor.createAdaptorServer({ fetch }) as Server,
  }
}

function addShop(app: HonoClass, { Hono, HTTPException }: Packages): void {
  app.use('/shops/*', async function timing(_context, next) {
    await next()
  })
  const shop = new Hono()
  shop.use(async function member(_context, next) {
    await next()
  })
  shop.get(
    '/orders/:id',
    async function validate(_context, next) {
      await next()
    },
    function showOrder(context) {
      return context.json(context.req.param())
    },
  )
  app.route('/shops/:shop', shop)
  const own = new Hono()
  own.onError((error, context) => context.json({ mine: error.message }, 500))
  own.use(async function inner(_context, next) {
    await next()
  })
  own.get('/fails', function failsInside() {
    throw new Error('In the sub-application')
  })
  app.route('/own', own)
  const broken = new Hono()
  broken.onError(() => {
    throw new Error('The handler failed too')
  })
  broken.get('/fails', async () => {
    throw new Error('First in the sub-application')
  })
  app.route('/broken', broken)
  app.get('/async', async function fails() {
    throw new Error('Thrown later')
  })
  app.get('/own-response', () => {
    throw new HTTPException(401, { res: new Response('My own response', { status: 401 }) })
  })
  app.get('/missing', (context) => context.notFound())
  app.all('/any', function everything(context) {
    return context.text('any')
  })
}

for (const { version, packages } of [
  { version: '4.13.19', packages: fromPackages(import.meta.url) },
  { version: '4.0.0', packages: fromPackages(new URL('older/package.json', import.meta.url)) },
]) {
  const { Hono, serverOf } = packages
  describe(`Hono ${version}`, () => {
    const shop = async (test: TestContext): Promise<number> => {
      test.mock.method(console, 'error', () => undefined)
      const app = fanlight(new Hono())
      addShop(app, packages)
      return (await listen(test, serverOf(app))).port
    }

    it('shows middleware and handler by name and path, in the order of entering', async (test) => {
      const { profile } = await see(await shop(test), '/shops/tea/orders/7')
      assert.deepEqual(stepsOf(profile), [
        'middleware timing /shops/*',
        'middleware member /shops/:shop/*',
        'middleware validate /shops/:shop/orders/:id',
        'controller showOrder /shops/:shop/orders/:id',
      ])
    })

    it('fails the step that threw', async (test) => {
      const { profile } = await see(await shop(test), '/async')
      assert.deepEqual(failedStepsOf(profile), ['fails /async'])
    })

    it('leaves the response of own error handlers alone, of a sub-application too, and records the error', async (test) => {
      const port = await shop(test)
      const inside = await see(port, '/own/fails', { headers: browser })
      assert.equal(inside.text, '{"mine":"In the sub-application"}')
      assert.equal(inside.profile.errorMessage, 'In the sub-application')
      assert.equal(inside.profile.handler, 'failsInside')
      await assertErrorPage(port, '/broken/fails', 500, 'First in the sub-application')
      const own = await see(port, '/own-response', { headers: browser })
      assert.equal(own.text, 'My own response')

      const app = fanlight(new Hono())
      app.get('/', () => {
        throw new Error('In the application')
      })
      app.onError((error, context) => context.text(`Mine: ${error.message}`, 500))
      const { text, profile } = await see((await listen(test, serverOf(app))).port, '/', { headers: browser })
      assert.equal(text, 'Mine: In the application')
      assert.equal(profile.errorMessage, 'In the application')
    })

    it('leaves own 404 handlers and notFound() of a handler alone', async (test) => {
      const port = await shop(test)
      assert.equal((await see(port, '/missing', { headers: browser })).text, '404 Not Found')
      const app = fanlight(new Hono())
      app.notFound((context) => context.text('No such tea', 404))
      assert.equal((await see((await listen(test, serverOf(app))).port, '/', { headers: browser })).text, 'No such tea')
    })

    it('answers HEAD by GET, and every method of a route for all', async (test) => {
      const port = await shop(test)
      assert.equal((await see(port, '/any', { method: 'HEAD' })).profile.handler, 'everything')
      assert.equal((await see(port, '/any', { method: 'DELETE' })).profile.handler, 'everything')
    })

    it('knows routes, steps and own error handlers from before, and notes what is missing after serve()', async (test) => {
      test.mock.method(console, 'error', () => undefined)
      const app = new Hono()
      addShop(app, packages)
      app.get('/first', (context) => context.text('first'))
      assert.equal(await (await app.request('/first')).text(), 'first')
      const { port } = await listen(test, serverOf(app))
      fanlight(app)
      const { profile } = await see(port, '/shops/tea/orders/7')
      assert.equal(stepsOf(profile).length, 4)
      assert.equal(profile.handler, 'showOrder')
      await assertErrorPage(port, '/async', 500, 'Thrown later')
      assert.equal((await see(port, '/own/fails', { headers: browser })).text, '{"mine":"In the sub-application"}')
      assert.ok((await notesOf(port)).some((note) => note.startsWith('Hono: fanlight() came after serve()')))
    })
  })
}
