// h3 on srvx behind `fanlight/h3`, the newest and the oldest supported version, over real sockets.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { describe, it, type TestContext } from 'node:test'
import { pathToFileURL } from 'node:url'
import type * as Package from 'h3'
import { assertErrorPage, failedStepsOf, notesOf, see, stepsOf } from './seen.ts'
import { browser, listen } from './served.ts'

process.env['NODE_ENV'] = 'development'
process.env['FANLIGHT_STORE'] = 'memory:'
const { fanlight } = await import('../../src/h3.ts')

type Application = Package.H3

const oldest = createRequire(new URL('older/package.json', import.meta.url)).resolve('h3')

function addShop(app: Application, { H3, HTTPError }: typeof Package): void {
  app.use(async function timing(_event, next) {
    return await next()
  })
  app.use('/admin/**', function refuse() {
    return 'refused'
  })
  const shops = new H3()
  shops.use(function member(_event, next) {
    return next()
  })
  shops.get(
    '/:shop/orders/:id',
    function showOrder({ context }) {
      return context.params
    },
    {
      middleware: [
        function validate(_event, next) {
          return next()
        },
      ],
    },
  )
  app.mount('/shops', shops)
  app.get('/async', async function fails() {
    throw new Error('Thrown later')
  })
  app.get('/teapot', () => {
    throw new HTTPError({ status: 418, message: 'Teapot' })
  })
  app.get('/returned', () => new HTTPError({ status: 409, message: 'Returned' }))
  app.get('/own-404', () => new Response('No such tea', { status: 404 }))
  app.all('/any', function everything() {
    return 'any'
  })
}

for (const { version, h3 } of [
  { version: '2.0.8', h3: await import('h3') },
  { version: '2.0.1', h3: (await import(pathToFileURL(oldest).href)) as typeof Package },
]) {
  const { H3, toNodeHandler } = h3
  const served = (test: TestContext, app: Application): Promise<{ port: number }> =>
    listen(test, createServer(toNodeHandler(app) as Parameters<typeof createServer>[1]))

  describe(`h3 ${version}`, () => {
    const shop = async (test: TestContext, config: Package.H3Config = {}): Promise<number> => {
      const app = fanlight(new H3({ silent: true, ...config }))
      addShop(app, h3)
      return (await served(test, app)).port
    }

    it('notes that middleware from before has no steps', async (test) => {
      const app = new H3({ silent: true })
      addShop(app, h3)
      fanlight(app)
      const { port } = await served(test, app)
      assert.deepEqual(stepsOf((await see(port, '/shops/tea/orders/7')).profile), [
        'middleware validate',
        'controller showOrder',
      ])
      await assertErrorPage(port, '/async', 500, 'Thrown later')
      assert.ok((await notesOf(port)).includes('h3: middleware from before fanlight() has no steps'))
    })

    it('shows middleware of the application, of mounted ones and of the route, and only where it runs', async (test) => {
      const port = await shop(test)
      assert.deepEqual(stepsOf((await see(port, '/shops/tea/orders/7')).profile), [
        'middleware timing',
        'middleware member',
        'middleware validate',
        'controller showOrder',
      ])
      const refused = await see(port, '/admin/users')
      assert.equal(refused.text, 'refused')
      assert.deepEqual(stepsOf(refused.profile), ['middleware timing', 'middleware refuse /admin/**'])
    })

    it('fails the steps that an error went through', async (test) => {
      const { profile } = await see(await shop(test), '/async')
      assert.deepEqual(failedStepsOf(profile), ['timing', 'fails'])
    })

    it('leaves the response of an own onError alone, and takes the place of what it leaves to h3', async (test) => {
      const seenErrors: string[] = []
      const port = await shop(test, {
        onError(error) {
          seenErrors.push(error.message)
          return error.status === 418 ? { mine: error.message } : undefined
        },
      })
      const { text, profile } = await see(port, '/teapot', { headers: browser })
      assert.deepEqual(JSON.parse(text), { mine: 'Teapot' })
      assert.equal(profile.errorMessage, null)
      assert.match(JSON.stringify(profile.data['notes']), /and handled: .*Teapot/)
      await assertErrorPage(port, '/returned', 409, 'Returned')
      assert.deepEqual(seenErrors, ['Teapot', 'Returned'])
    })

    it('records what an own onError throws, and an onError that is set later', async (test) => {
      const app = fanlight(new H3({ silent: true }))
      app.get('/', () => {
        throw new Error('First')
      })
      app.config.onError = () => ({ mine: true })
      const { port } = await served(test, app)
      const { text, profile } = await see(port, '/', { headers: browser })
      assert.deepEqual(JSON.parse(text), { mine: true })
      assert.equal(profile.errorMessage, null)
      assert.match(JSON.stringify(profile.data['notes']), /and handled: .*First/)
    })

    it('leaves a 404 of the application alone', async (test) => {
      assert.equal((await see(await shop(test), '/own-404', { headers: browser })).text, 'No such tea')
    })

    it('serves with serve(), which freezes the configuration', async (test) => {
      const app = fanlight(new H3({ silent: true }))
      addShop(app, h3)
      const server = h3.serve(app, { port: 0, hostname: '127.0.0.1', silent: true, gracefulShutdown: false })
      await server.ready()
      test.after(() => server.close(true))
      const port = Number(new URL(String(server.url)).port)
      await assertErrorPage(port, '/async', 500, 'Thrown later')
      assert.equal((await see(port, '/any', { method: 'DELETE' })).profile.handler, 'everything')
    })
  })
}
