// Who responded to a request, and where an application has registered its routes, with every framework in a registered process.

import assert from 'node:assert/strict'
import { createServer, type RequestListener } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { pathToFileURL } from 'node:url'
import type * as Common from '@nestjs/common'
import type * as Core from '@nestjs/core'
import type Package from 'express'
import type { Express, RequestHandler } from 'express'
import type { FastifyInstance } from 'fastify'
import type { H3 } from 'h3'
import type { Hono } from 'hono'
import type Application from 'koa'
import type Router from '@koa/router'
import { ask, listen, profileOf, tokenOf, type SeenProfile } from './served.ts'

process.env['NODE_ENV'] = 'development'
process.env['FANLIGHT_STORE'] = 'memory:'
await import('../../src/register.ts')
await import('reflect-metadata')
// Load hooks know packages by their names, and some of these have another one here.
const { fanlight: onExpress } = await import('../../src/express.ts')
const { fanlight: onKoa } = await import('../../src/koa.ts')
const older = createRequire(new URL('older/package.json', import.meta.url))
const load = async (name: string): Promise<{ default: unknown }> => import(pathToFileURL(older.resolve(name)).href)

/** Where this was called, so many lines below. */
function line(below = 0): string {
  const [, , caller] = String(new Error('here').stack).split('\n')
  return `test/integrations/responders.test.ts:${Number(/\.ts:(\d+)/.exec(caller ?? '')?.[1]) + below}`
}

interface Listed {
  readonly path: string
  readonly handler: string
  readonly definedAt: string | null
}

interface Asked {
  handlerOf(path: string, method?: string): Promise<string>
  /** Route and handler. */
  seen(path: string, method?: string): Promise<SeenProfile>
  routes(): Promise<readonly Listed[]>
}

function asking(port: number): Asked {
  const seen = async (path: string, method = 'GET'): Promise<SeenProfile> =>
    profileOf(port, tokenOf(await ask(port, { path, method })))
  return {
    seen,
    handlerOf: async (path, method) => (await seen(path, method)).handler,
    routes: async () => {
      const { text } = await ask(port, { path: '/_profiler/routes.json' })
      return (JSON.parse(text) as { routes: readonly Listed[] }).routes
    },
  }
}

async function served(test: TestContext, listener: RequestListener): Promise<Asked> {
  return asking((await listen(test, createServer(listener))).port)
}

const placesOf = (routes: readonly Listed[], prefix: string): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    routes.filter(({ path }) => path.startsWith(prefix)).map(({ path, definedAt }) => [path, definedAt]),
  )

for (const [name, module] of [
  ['Express 5', await import('express')],
  ['Express 5 with router 2.2', await load('express5')],
  ['Express 4', await load('express')],
] as const) {
  describe(`responders: ${name}`, () => {
    const express = module.default as typeof Package
    // Before there is an application, as routes in files of their own are.
    const inner = express.Router()
    inner.get('/arrow/:id', (_, response) => void response.send('arrow'))
    const arrow = line(-1)
    const deny: RequestHandler = (_, response) => void setImmediate(() => response.status(403).send('denied'))
    inner.get('/denied', deny, function never() {})
    inner.get(
      '/refused',
      function refuse(_, __, next) {
        next(Object.assign(new Error('no'), { status: 401 }))
      },
      function never() {},
    )
    const settings = line(1)
    inner.route('/settings').get(function showSettings() {})
    inner.get('/orders/:id', function showOrder() {})

    function shop(): Express {
      const app = onExpress(express())
      app.use(function logger(_, __, next) {
        next()
      })
      app.use('/inner', inner)
      app.use(function serveFiles(request, response, next) {
        if (request.path === '/file.txt') response.send('file')
        else if (request.path === '/preflight') response.set('Allow', 'GET').end()
        else next()
      })
      app.get('/preflight', function preflight() {})
      app.use('/assets', express.static(import.meta.dirname))
      return app
    }

    it('names functions without a name by their path and place', async (test) => {
      const app = shop()
      app.use('/graphql', (_, response) => void response.send('graph'))
      const graph = line(-1)
      app.use((request, response, next) => (request.path === '/last' ? void response.send('last') : next()))
      const last = line(-1)
      const { handlerOf, seen, routes } = await served(test, app as RequestListener)
      assert.equal(await handlerOf('/inner/arrow/1'), `/inner/arrow/:id (${arrow})`)
      assert.equal(await handlerOf('/last'), `/ (${last})`)
      const { route, handler } = await seen('/graphql')
      assert.deepEqual([route, handler], ['/graphql', `/graphql (${graph})`])
      const listed = await routes()
      assert.equal(placesOf(listed, '/inner')['/inner/settings'], settings)
      assert.ok(listed.some(({ handler: own, definedAt }) => definedAt === arrow && own.endsWith(`(${arrow})`)))
      assert.deepEqual(
        listed.filter(({ definedAt }) => definedAt === null),
        [],
      )
    })

    it('names who refuses, who serves a file, and the framework for OPTIONS', async (test) => {
      const { handlerOf, seen } = await served(test, shop() as RequestListener)
      assert.equal(await handlerOf('/inner/denied'), 'deny')
      assert.equal(await handlerOf('/inner/refused'), 'refuse')
      assert.equal(await handlerOf('/file.txt'), 'serveFiles')
      assert.equal(await handlerOf('/preflight', 'OPTIONS'), 'serveFiles')
      assert.equal(await handlerOf('/inner/settings', 'OPTIONS'), 'OPTIONS of /inner/settings')
      assert.equal(await handlerOf('/inner/orders/7', 'OPTIONS'), 'OPTIONS of /inner/orders/:id')
      assert.equal(await handlerOf('/nowhere', 'OPTIONS'), '')
      const file = await seen('/assets/served.ts')
      assert.deepEqual([file.route, file.handler], ['/assets', 'serveStatic'])
      const missing = await seen('/assets/missing.ts')
      assert.deepEqual([missing.route, missing.handler], [null, ''])
    })

    it('names nobody where what is around the application responds', async (test) => {
      const app = shop() as unknown as (...parts: readonly unknown[]) => void
      const { handlerOf } = await served(test, (request, response) => app(request, response, () => response.end('out')))
      assert.equal(await handlerOf('/assets/missing.ts'), '')
    })
  })
}

for (const [name, module] of [
  ['Fastify 5.12', await import('fastify')],
  ['Fastify 5.0', await load('fastify')],
] as const) {
  it(`responders: ${name}`, async (test) => {
    const app = (module.default as () => FastifyInstance)()
    app.addHook('onRequest', function underPressure(request, reply, done) {
      if (request.url.includes('busy')) reply.code(503).send('busy')
      else done()
    })
    app.addHook('preValidation', async function knowsUser(request) {
      if (request.url.includes('stranger')) throw Object.assign(new Error('who?'), { statusCode: 401 })
    })
    app.addHook('onSend', async function saveSession(_request, _reply, payload) {
      await Promise.resolve()
      return payload
    })
    app.addHook('onResponse', function counts(_request, _reply, done) {
      done()
    })
    app.setNotFoundHandler(function own404(_request, reply) {
      reply.code(404).send('not here')
    })
    let unnamed = ''
    app.register(
      (plugin, _options, done) => {
        plugin.setNotFoundHandler((_request, reply) => reply.code(404).send({ not: 'here' }))
        unnamed = line(-1)
        done()
      },
      { prefix: '/plugin' },
    )
    app.get('/busy', async function never() {})
    app.get('/stranger', async function never() {})
    const schema = { querystring: { type: 'object', required: ['page'], properties: { page: { type: 'integer' } } } }
    app.get('/pages', { schema }, async function showPage() {})
    app.get('/arrow/:id', async () => 'arrow')
    const arrow = line(-1)
    test.after(() => app.close())
    await app.listen({ port: 0, host: '127.0.0.1' })
    const { handlerOf, seen, routes } = asking((app.server.address() as AddressInfo).port)
    const missing = await seen('/nowhere')
    assert.deepEqual([missing.route, missing.handler], [null, 'own404'])
    assert.equal(await handlerOf('/plugin/nowhere'), `not found (${unnamed})`)
    assert.equal(await handlerOf('/busy'), 'onRequest underPressure')
    assert.equal(await handlerOf('/stranger'), 'preValidation knowsUser')
    assert.equal(await handlerOf('/pages'), 'showPage', 'no hook has refused what the schema refuses')
    assert.equal(await handlerOf('/arrow/1'), `/arrow/:id (${arrow})`)
    assert.equal(placesOf(await routes(), '/arrow')['/arrow/:id'], arrow)
  })
}

for (const [name, koa, router] of [
  ['Koa 3 with @koa/router 15', await import('koa'), await import('@koa/router')],
  ['Koa 2 with @koa/router 13', await load('koa2'), await load('@koa/router')],
] as const) {
  it(`responders: ${name}`, async (test) => {
    const app = onKoa(new (koa.default as unknown as new () => Application)())
    const Routers = router.default as unknown as new (options?: { prefix: string }) => Router
    const orders = new Routers()
    orders.get('/:id', (context) => void (context.body = 'order'))
    const order = line(-1)
    const shop = new Routers({ prefix: '/shop' })
    shop.use('/orders', orders.routes())
    shop.get(['/one', '/two'], function either(context) {
      context.body = 'either'
    })
    const either = line(-3)
    app.use(async function envelope(context, next) {
      await next()
      if (context.query['wrapped'] !== undefined) context.body = { data: context.body }
    })
    app.use(async function notFound(context, next) {
      await next()
      if (context.body === undefined) context.throw(410, 'own page')
    })
    app.use(async function missing(context, next) {
      await next()
      if (context.path === '/missing') context.status = 404
      if (context.path === '/page') context.body = 'a page'
    })
    app.use(async function rescue(context, next) {
      try {
        await next()
      } catch {
        context.body = 'rescued'
      }
    })
    app.use(shop.routes())
    app.use(async function passing(context, next) {
      if (context.path === '/thrown') throw new Error('thrown')
      await next()
    })
    app.use((context, next) => (context.path === '/other' ? void (context.body = 'last') : next()))
    const last = line(-1)
    const { handlerOf, routes } = await served(test, app.callback() as RequestListener)
    assert.equal(await handlerOf('/shop/orders/1'), `/shop/orders/:id (${order})`)
    assert.equal(await handlerOf('/other'), `/ (${last})`)
    assert.equal(await handlerOf('/other?wrapped'), `/ (${last})`)
    assert.equal(await handlerOf('/page'), 'missing')
    assert.equal(await handlerOf('/missing'), 'notFound')
    assert.equal(await handlerOf('/thrown'), 'rescue')
    assert.deepEqual(placesOf(await routes(), '/shop'), {
      '/shop/orders/:id': order,
      '/shop/one': either,
      '/shop/two': either,
    })
  })
}

for (const [name, hono, server] of [
  ['Hono 4.13', await import('hono'), await import('@hono/node-server')],
  ['Hono 4.0', await load('hono'), await load('@hono/node-server')],
] as const) {
  it(`responders: ${name}`, async (test) => {
    const { Hono: Made } = hono as { Hono: new () => Hono }
    const { getRequestListener } = server as unknown as { getRequestListener(fetch: unknown): RequestListener }
    const app = new Made()
    const orders = new Made()
    orders.get('/:id', (context) => context.text('order'))
    const order = line(-1)
    app.use('/admin/*', async (context, next) => (context.req.query('in') === '1' ? next() : context.text('no', 403)))
    const admin = line(-1)
    app.route('/orders', orders)
    app.get('/named', function named(context) {
      return context.text('named')
    })
    const named = line(-3)
    const { handlerOf, routes, seen } = await served(test, getRequestListener(app.fetch))
    assert.equal(await handlerOf('/orders/1'), `/orders/:id (${order})`)
    const refused = await seen('/admin/users')
    assert.deepEqual([refused.route, refused.handler], ['/admin/*', `/admin/* (${admin})`])
    const listed = await routes()
    assert.deepEqual(placesOf(listed, '/orders'), { '/orders/:id': order })
    assert.deepEqual(placesOf(listed, '/named'), { '/named': named })
  })
}

for (const [name, h3, srvx] of [
  ['h3 2.0.8', await import('h3'), await import('srvx/node')],
  ['h3 2.0.1', await load('h3'), await load('srvx/node')],
] as const) {
  it(`responders: ${name}`, async (test) => {
    const { H3: Made } = h3 as unknown as { H3: new () => H3 }
    const { toNodeHandler } = srvx as unknown as { toNodeHandler(fetch: unknown): RequestListener }
    const app = new Made()
    const orders = new Made()
    orders.get('/:id', () => 'order')
    const order = line(-1)
    app.use('/admin/**', () => 'refused')
    const admin = line(-1)
    app.mount('/orders', orders)
    const { handlerOf, routes, seen } = await served(test, toNodeHandler(app.fetch))
    assert.equal(await handlerOf('/orders/1'), `/orders/:id (${order})`)
    const refused = await seen('/admin/users')
    assert.deepEqual([refused.route, refused.handler], ['/admin/**', `/admin/** (${admin})`])
    assert.deepEqual(placesOf(await routes(), '/orders'), { '/orders/:id': order })
  })
}

for (const [name, common, core, platform] of [
  ['Nest 12 on Express', await import('@nestjs/common'), await import('@nestjs/core'), 'express'],
  ['Nest 12 on Fastify', await import('@nestjs/common'), await import('@nestjs/core'), 'fastify'],
  ['Nest 11 on Express', older('@nestjs/common'), older('@nestjs/core'), 'express'],
] as const) {
  it(`responders: ${name}`, async (test) => {
    const { Controller, Get, Module } = common as typeof Common
    const { NestFactory } = core as typeof Core
    class Cats {
      getCat(): string {
        return 'cat'
      }
    }
    const descriptor = Object.getOwnPropertyDescriptor(Cats.prototype, 'getCat')
    assert.ok(descriptor !== undefined)
    Get(':id')(Cats.prototype, 'getCat', descriptor)
    const decorated = line(-1)
    Controller('cats')(Cats)
    class Root {
      readonly isRoot = true
    }
    Module({ controllers: [Cats] })(Root)
    const adapters = platform === 'fastify' ? await import('@nestjs/platform-fastify') : undefined
    const adapter = adapters === undefined ? undefined : new adapters.FastifyAdapter()
    const app = await (adapter === undefined
      ? NestFactory.create(Root, { logger: false })
      : NestFactory.create(Root, adapter, { logger: false }))
    test.after(() => app.close())
    await app.listen(0, '127.0.0.1')
    const { handlerOf, routes } = asking((app.getHttpServer().address() as AddressInfo).port)
    assert.equal(await handlerOf('/cats/1'), 'Cats.getCat')
    assert.deepEqual(placesOf(await routes(), '/cats'), { '/cats/:id': decorated })
  })
}
