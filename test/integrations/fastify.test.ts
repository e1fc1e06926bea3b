// Fastify behind `fanlight/fastify`, the newest and the oldest supported version, over real sockets.

import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import type Fastify from 'fastify'
import type { FastifyInstance } from 'fastify'
import { assertErrorPage, failedStepsOf, notesOf, openStepsOf, see, stepsOf } from './seen.ts'
import { browser } from './served.ts'

process.env['NODE_ENV'] = 'development'
process.env['FANLIGHT_STORE'] = 'memory:'
const { fanlight } = await import('../../src/fastify.ts')

type Factory = typeof Fastify

const newest = createRequire(import.meta.url)
const oldest = createRequire(new URL('older/package.json', import.meta.url))

/** A shop with a plugin that handles its own errors. */
function addShop(app: FastifyInstance): void {
  app.addHook('onRequest', async function checkUser() {})
  app.addHook('preParsing', async function readAll() {})
  app.addHook('preHandler', function wait(_request, _reply, done) {
    setTimeout(done, 1)
  })
  app.addHook('preHandler', async function failing(request) {
    if (request.url === '/hook') throw new Error('The hook failed')
  })
  app.addHook('preHandler', function deny(request, reply, done) {
    if (request.url === '/denied') reply.code(401).send({ denied: true })
    else done()
  })
  app.addHook('preSerialization', async function wrap(_request, _reply, payload) {
    return payload
  })
  app.addHook('onSend', function stamp(_request, reply, payload, done) {
    reply.header('x-stamp', '1')
    done(null, payload)
  })
  app.addHook('onError', async function report() {})
  app.register(
    async function shops(shop) {
      shop.addHook('preValidation', async () => {})
      shop.get(
        '/:shop/orders/:id',
        { preHandler: async function checkStock() {} },
        async function showOrder({ params }) {
          return params
        },
      )
    },
    { prefix: '/shops' },
  )
  app.get('/sync', function fails() {
    throw new Error('Thrown at once')
  })
  app.get('/circular', async () => {
    const circle: { self?: unknown } = {}
    circle.self = circle
    return circle
  })
  app.get('/hook', async () => 'never')
  app.get('/denied', async () => 'never')
  app.get('/later', (_request, reply) => {
    setTimeout(() => reply.send('later'), 1)
  })
  app.register(
    async function own(plugin) {
      plugin.setErrorHandler<Error>((error, { query }, reply) => {
        if ('pass' in Object(query)) reply.send(error)
        else if ('again' in Object(query)) throw new Error('The handler failed too')
        else reply.code(500).send({ mine: error.message })
      })
      plugin.setNotFoundHandler((_request, reply) => {
        reply.code(404).send('Not in this plugin')
      })
      plugin.get('/fails', async () => {
        throw new Error('In the plugin')
      })
      plugin.get(
        '/of-the-route',
        { errorHandler: (error, _request, reply) => void reply.code(409).send({ route: error.message }) },
        async () => {
          throw new Error('In the route')
        },
      )
    },
    { prefix: '/own' },
  )
}

async function listen(test: TestContext, app: FastifyInstance): Promise<number> {
  await app.listen({ port: 0, host: '127.0.0.1' })
  test.after(() => app.close())
  return (app.server.address() as AddressInfo).port
}

for (const { version, make } of [
  { version: '5.12.8', make: newest('fastify') as Factory },
  { version: '5.0.0', make: oldest('fastify') as Factory },
]) {
  // Made before the first call of fanlight(): later ones are heard of on the channel.
  const [started, withRoutes] = [make(), make()]
  for (const app of [started, withRoutes]) {
    app.get('/late/:id', async function late() {
      throw new Error('Late')
    })
  }

  describe(`Fastify ${version}`, () => {
    const shop = async (test: TestContext): Promise<number> => {
      const app = fanlight(make())
      assert.equal(app.version, version)
      addShop(app)
      return listen(test, app)
    }

    it('shows hooks with their plugin, and the handler, in the order in which they run', async (test) => {
      const port = await shop(test)
      const { profile } = await see(port, '/shops/tea/orders/7')
      assert.deepEqual(stepsOf(profile), [
        'hook onRequest checkUser',
        'hook preParsing readAll',
        'hook preValidation (shops)',
        'hook preHandler wait',
        'hook preHandler failing',
        'hook preHandler deny',
        'hook preHandler checkStock',
        'controller showOrder',
        'hook preSerialization wrap',
        'hook onSend stamp',
      ])
      assert.deepEqual(openStepsOf(profile), [])
    })

    it('draws the page for every error that Fastify answers itself, and records it', async (test) => {
      const port = await shop(test)
      for (const [path, status, message, errorClass] of [
        ['/hook', 500, 'The hook failed', 'Error'],
        ['/circular', 500, 'Converting circular structure to JSON', 'TypeError'],
        ['/own/fails?pass', 500, 'In the plugin', 'Error'],
        ['/own/fails?again', 500, 'In the plugin', 'Error'],
      ] as const) {
        await assertErrorPage(port, path, status, message)
        const { profile } = await see(port, path)
        assert.equal(profile.status, status, path)
        assert.equal(profile.errorClass, errorClass, path)
        assert.ok(profile.errorMessage?.startsWith(message), path)
      }
    })

    it('fails the step that threw, and shows no handler that did not run', async (test) => {
      const port = await shop(test)
      const { profile } = await see(port, '/hook')
      assert.deepEqual(failedStepsOf(profile), ['preHandler failing'])
      assert.deepEqual(
        stepsOf(profile).filter((step) => step.startsWith('controller') || step.includes('onError')),
        ['hook onError report'],
      )
      assert.deepEqual(failedStepsOf((await see(port, '/sync')).profile), ['fails'])
    })

    it('ends the step of a hook that answers, and of a handler that answers later', async (test) => {
      const port = await shop(test)
      const denied = await see(port, '/denied')
      assert.equal(denied.text, '{"denied":true}')
      assert.equal(denied.profile.errorClass, null)
      assert.equal((await see(port, '/later')).text, 'later')
    })

    it('leaves the responses of own error handlers and 404 handlers alone', async (test) => {
      const port = await shop(test)
      const failed = await see(port, '/own/fails', { headers: browser })
      assert.equal(failed.text, '{"mine":"In the plugin"}')
      assert.equal(failed.profile.errorMessage, 'In the plugin')
      const ofTheRoute = await see(port, '/own/of-the-route', { headers: browser })
      assert.equal(ofTheRoute.text, '{"route":"In the route"}')
      assert.equal(ofTheRoute.profile.errorMessage, 'In the route')
      const missing = await see(port, '/own/nothing', { headers: browser })
      assert.equal(missing.text, 'Not in this plugin')
    })

    it('takes what answers preflights on every path for no path, and shows no stack frames of ours', async (test) => {
      const app = fanlight(make())
      app.options('*', async () => '')
      app.get('/orders', async () => ({}))
      const port = await listen(test, app)
      const { status, text } = await see(port, '/order', { headers: { accept: 'text/markdown' } })
      assert.equal(status, 404)
      assert.match(text, /No route found for "GET http:\/\/[^"]+\/order"\n/)
      assert.match(text, /GET\|HEAD \/orders/)
      assert.doesNotMatch(text, /takes OPTIONS|Method Not Allowed|error-responses/)
    })

    it('checks hooks as without us', () => {
      const app = fanlight(make())
      const hook: unknown = async (_request: unknown, _reply: unknown, _done: unknown): Promise<void> => {}
      const add = (given: unknown) => () => Reflect.apply(app.addHook, app, ['onRequest', given])
      assert.throws(add(hook), { code: 'FST_ERR_HOOK_INVALID_ASYNC_HANDLER' })
      assert.throws(add(null), { code: 'FST_ERR_HOOK_INVALID_HANDLER' })
    })

    it('records routes and errors of handlers after listen(), and notes what is missing', async (test) => {
      const port = await listen(test, started)
      assert.equal(fanlight(started), started)
      const { profile } = await see(port, '/late/7')
      assert.equal(profile.route, '/late/:id')
      assert.equal(profile.errorMessage, 'Late')
      assert.ok((await notesOf(port)).some((note) => note.startsWith('Fastify: fanlight() came after ready()')))
    })

    it('records errors of routes from before, and notes that they have no steps', async (test) => {
      fanlight(withRoutes)
      withRoutes.addHook('onRequest', async function added() {})
      const port = await listen(test, withRoutes)
      await assertErrorPage(port, '/late/7', 500, 'Late')
      const { profile } = await see(port, '/late/7')
      assert.deepEqual(stepsOf(profile), ['hook onRequest added'])
      assert.ok((await notesOf(port)).some((note) => note.startsWith('Fastify: routes from before fanlight()')))
    })
  })
}

describe('fanlight/fastify', () => {
  it('names the plugins of packages', async (test) => {
    const app = fanlight((newest('fastify') as Factory)())
    await app.register((await import('@fastify/helmet')).default)
    await app.register((await import('@fastify/cookie')).default)
    app.addHook('preHandler', async function ownHook() {})
    app.get('/', async () => 'home')
    const port = await listen(test, app)
    const steps = stepsOf((await see(port, '/')).profile)
    assert.ok(steps.includes('hook onRequest helmetConfigureReply (@fastify/helmet)'), steps.join())
    assert.ok(steps.includes('hook preHandler ownHook'), steps.join())
    assert.ok(
      steps.some((step) => step.endsWith('(@fastify/cookie)')),
      steps.join(),
    )
  })
})
