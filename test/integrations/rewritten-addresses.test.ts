// Code that rewrites the address of a request leads it to routes of other paths: what is shown as its route fits the path that was sent.

import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { createRequire } from 'node:module'
import { describe, it } from 'node:test'
import { getRequestListener } from '@hono/node-server'
import KoaRouter from '@koa/router'
import newest, { type RequestHandler } from 'express'
import fastify from 'fastify'
import { H3, toNodeHandler } from 'h3'
import { Hono } from 'hono'
import Koa from 'koa'
import { ask, listen, profileOf, tokenOf } from './served.ts'

process.env['NODE_ENV'] = 'development'
process.env['FANLIGHT_STORE'] = 'memory:'
const { attachWhenOn } = await import('../../src/integrations/switch.ts')

const older = createRequire(new URL('older/', import.meta.url))

function expressApp(express: typeof newest): RequestListener {
  const app = attachWhenOn('express', express(), {})
  const ok: RequestHandler = (_, response) => void response.send('ok')
  const asSent: RequestHandler = (request, _, next) => {
    request.url = request.originalUrl
    next()
  }
  app.use((request, _, next) => {
    if (request.url.startsWith('/de/')) request.url = request.url.slice(3)
    if (request.url === '/about') request.url = '/'
    if (request.url === '/old') request.url = '/files/new'
    request.url = request.url.replace(/^\/@(\w+)\//, '/@$1%2F')
    next()
  })
  const admin = express.Router()
  admin.get('/admin/data', ok)
  admin.use('/admin/files', ok)
  admin.get(['/admin/of/:shop/:id', '/admin/of/:shop'], ok)
  const below = express.Router({ mergeParams: true })
  below.get('/list', ok)
  app.use('/admin', asSent, admin)
  app.use('/shops/:shop', asSent, express.Router().use('/shops/:again', below))
  app.use(['/one', '/two/:id'], below)
  app.use(['/files', '/pages'], ok)
  app.get(['/a/:x', '/b/:x/more'], ok)
  app.get('/orders/:id', ok)
  app.get('/caf%C3%A9/:name.:kind', ok)
  app.get(/^\/lots\/(\d+)$/, ok)
  app.get('/:package', ok)
  app.get('/', ok)
  return app
}

async function koaApp(): Promise<RequestListener> {
  const app = attachWhenOn('koa', new Koa(), {})
  app.use(async (context, next) => {
    const sent = context.path
    if (sent.startsWith('/de/')) context.path = sent.slice(3)
    if (sent === '/about') context.path = '/'
    await next()
    context.path = sent
  })
  const router = new KoaRouter()
  for (const path of ['/orders/:id', '/']) router.get(path, (context) => void (context.body = 'ok'))
  app.use(router.routes())
  return app.callback()
}

async function fastifyApp(): Promise<RequestListener> {
  const rewriteUrl = ({ url = '/' }: IncomingMessage): string => (url === '/about' ? '/' : url.replace(/^\/de\//, '/'))
  const app = attachWhenOn('fastify', fastify({ rewriteUrl }), {})
  for (const path of ['/orders/:id', '/']) app.get(path, async () => 'ok')
  await app.ready()
  return (request, response) => app.routing(request, response)
}

async function honoApp(): Promise<RequestListener> {
  const inner = attachWhenOn('hono', new Hono(), {})
  for (const path of ['/orders/:id', '/']) inner.get(path, (context) => context.text('ok'))
  const app = attachWhenOn('hono', new Hono(), {})
  app.mount('/de', inner.fetch)
  app.mount('/about', inner.fetch, { replaceRequest: (request) => new Request(new URL('/', request.url), request) })
  app.route('/', inner)
  return getRequestListener(app.fetch)
}

async function h3App(): Promise<RequestListener> {
  const app = attachWhenOn('h3', new H3(), {})
  for (const path of ['/orders/:id', '/']) app.get(path, () => 'ok')
  return toNodeHandler(app) as RequestListener
}

/** The path that is sent, and the route that is shown. */
type Shown = readonly (readonly [sent: string, route: string | null])[]

const plain: Shown = [
  ['/orders/7', '/orders/:id'],
  ['/orders/7/?a=/x', '/orders/:id'],
  ['/', '/'],
]
const rewritten: Shown = [
  ['/de/orders/7', '/de/orders/:id'],
  ['/de/orders/7?a=/x', '/de/orders/:id'],
  ['/about', null],
]
const ofExpress: Shown = [
  ['/admin/data', '/admin/data'],
  ['/admin/of/north', '/admin/of/:shop'],
  ['/admin/of/north/7', '/admin/of/:shop/:id'],
  ['/shops/7/list', '/shops/7/list'],
  ['/files/new', '/files'],
  ['/old', null],
  ['/admin/files/new', null],
  ['/one/list', '/one/list'],
  ['/two/7/list', '/two/:id/list'],
  ['/a/1', '/a/:x'],
  ['/b/1/more', '/b/:x/more'],
  ['/caf%C3%A9/menu.pdf', '/caf%C3%A9/:name.:kind'],
  ['/lots/7', '/^\\/lots\\/(\\d+)$/'],
  ['/@shop/orders', null],
  ['/some', '/:package'],
]

const applications: readonly (readonly [string, () => RequestListener | Promise<RequestListener>, Shown])[] = [
  ['Express 5', () => expressApp(newest), [...plain, ...rewritten, ...ofExpress]],
  [
    'Express 5 with router 2.2',
    () => expressApp(older('express5') as typeof newest),
    [...plain, ...rewritten, ...ofExpress],
  ],
  ['Express 4', () => expressApp(older('express') as typeof newest), [...plain, ...rewritten, ...ofExpress]],
  ['Koa', koaApp, [...plain, ...rewritten]],
  ['Fastify', fastifyApp, [...plain.filter(([sent]) => !sent.includes('7/')), ...rewritten]],
  ['Hono', honoApp, [...plain.filter(([sent]) => !sent.includes('7/')), ...rewritten.slice(0, 2)]],
  ['h3', h3App, plain],
]

describe('the route of a request whose address was rewritten', () => {
  for (const [name, make, shown] of applications) {
    it(`fits the path that was sent: ${name}`, async (test) => {
      const { port } = await listen(test, createServer(await make()))
      const seen: (readonly [string, string | null])[] = []
      for (const [path] of shown) {
        const got = await ask(port, { path })
        assert.equal(got.text, 'ok', path)
        seen.push([path, (await profileOf(port, tokenOf(got))).route])
      }
      assert.deepEqual(seen, shown)
    })
  }
})
