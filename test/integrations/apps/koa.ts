// Koa 3 with its router, newest and oldest: every step is a middleware around the next one.

import Router from '@koa/router'
import helmet from 'helmet'
import Koa, { type Context, type Next } from 'koa'
import bodyParser from 'koa-bodyparser'
import compress from 'koa-compress'
import multer from 'multer'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import { basename, extname, join } from 'node:path'
import { Readable } from 'node:stream'
import { constants } from 'node:zlib'
import { htmlRoutes, jsonRoutes, lastOf, whenReady } from './alike.ts'
import {
  brokenBody,
  errorWithStatus,
  events,
  isOldest,
  largePage,
  orders,
  ownKeys,
  page,
  staticFolder,
  streamedPage,
  type Build,
} from './application.ts'
import { callOthers, ownContext } from './work.ts'

const build: Build = (attach) => {
  const app = attach(new Koa())
  app.keys = ['a secret of the shop']
  app.use(async function refuseStrangers(ctx: Context, next: Next) {
    if (!ctx.path.startsWith('/_profiler')) return next()
    ctx.status = 401
    ctx.body = 'log in first'
  })
  app.use((ctx, next) => ownContext.run(ctx.path, next))
  app.use(async function first(_ctx: Context, next: Next) {
    await next()
  })
  app.use(async function brokenMiddleware(ctx: Context, next: Next) {
    if (ctx.path === '/throws-in-middleware') throw new Error('the middleware is broken')
    await next()
  })
  app.use(async function stopHere(ctx: Context, next: Next) {
    if (ctx.path !== '/stopped') return next()
    ctx.status = 403
    ctx.body = { stopped: true }
  })
  app.use(below('/compressed', compress({ threshold: 0, br: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } } })))
  app.use(below('/guarded', (ctx, next) => runNodeMiddleware(helmet(), ctx).then(next)))
  app.use(below('/body', bodyParser({ jsonLimit: '2mb' })))
  app.use(below('/account', bodyParser()))
  app.use(below('/handled', handleErrors))

  const router = new Router()
  for (const [path, handle] of Object.entries(jsonRoutes)) {
    router.get(path, (ctx) => whenReady(handle(lastOf(ctx.path)), (value) => void (ctx.body = value)))
  }
  for (const [path, text] of Object.entries(htmlRoutes)) router.get(path, (ctx) => void (ctx.body = text))
  router.get('/streamed/:gate', (ctx) => {
    ctx.type = 'html'
    ctx.body = Readable.from(streamedPage(ctx.params['gate'] ?? ''))
  })
  router.get('/events/:gate', (ctx) => {
    ctx.type = 'text/event-stream'
    ctx.body = Readable.from(events(ctx.params['gate'] ?? ''))
  })
  router.get('/nothing', (ctx) => void (ctx.status = 204))
  router.get('/redirect', (ctx) => ctx.redirect('/html'))
  router.get('/cookies', (ctx) => {
    ctx.cookies.set('shop', 'lamps', { signed: false }).set('theme', 'dark', { signed: false })
    ctx.set('server-timing', 'shelf;dur=1')
    ctx.body = { ok: true }
  })
  router.get('/status-message', (ctx) => {
    ctx.status = 200
    ctx.message = 'Fine Indeed'
    ctx.body = 'ok'
  })

  router.get('/shops/:shop/orders/:id', function showOrder(ctx) {
    ctx.body = ctx.params
  })
  const nested = new Router()
  nested.get('/items/:item', function showItem(ctx) {
    ctx.body = ctx.params
  })
  router.use('/nested/:shop', nested.routes())
  router.get(isOldest ? '/files/(.*)' : '/files/*path', (ctx) => void (ctx.body = { path: ctx.path }))
  router.get(isOldest ? '/docs/:lang?' : '/docs{/:lang}', (ctx) => void (ctx.body = ctx.params))
  router.get('/echo/:id', (ctx) => void (ctx.body = { id: ctx.params['id'], own: ownContext.getStore() }))

  const second = async (_ctx: unknown, next: Next): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, 5))
    await next()
  }
  const third = async (_ctx: unknown, next: Next): Promise<void> => next()
  router.get('/steps', second, third, function lastOfAll(ctx: Context) {
    ctx.body = { ok: true }
  })

  router.get('/hands-on', (ctx) => ctx.throw(500, 'handed on'))
  router.get('/teapot', () => {
    throw errorWithStatus(418, 'short and stout')
  })
  router.get('/gone', (ctx) => ctx.throw(404, 'order 7 is gone'))
  router.get('/late-throw', async (ctx) => {
    ctx.respond = false
    ctx.res.statusCode = 200
    ctx.res.setHeader('content-type', 'application/json')
    ctx.res.end('{"ok":true}')
    await once(ctx.res, 'finish')
    throw new Error('thrown after the response')
  })
  router.get('/throws-after-head', (ctx) => {
    ctx.type = 'text/plain'
    ctx.body = Readable.from(brokenBody())
  })

  router.post('/calls-after-data', async (ctx) => {
    ctx.body = await new Promise((resolve, reject) => {
      ctx.req.on('data', () => undefined)
      ctx.req.on('end', () => void callOthers().then(resolve, reject))
    })
  })
  router.post('/calls-after-upload', async (ctx) => {
    await runNodeMiddleware(multer().single('file'), ctx)
    ctx.body = await callOthers()
  })
  router.post('/upload', async (ctx) => {
    const upload: IncomingMessage & { body?: { title?: string }; file?: { size: number } } = ctx.req
    await runNodeMiddleware(multer().single('file'), ctx)
    ctx.body = { title: upload.body?.title, size: upload.file?.size }
  })
  router.post('/body', (ctx) => {
    const body: object = bodyOf(ctx)
    ctx.body = { keys: Object.keys(body), length: JSON.stringify(body).length }
  })
  router.get('/compressed/html', (ctx) => void (ctx.body = largePage))
  router.get('/compressed/json', (ctx) => void (ctx.body = orders))
  router.get('/guarded/html', (ctx) => void (ctx.body = page))
  router.get('/guarded/throws', () => {
    throw new Error('guarded and broken')
  })
  router.get('/nonce', (ctx) => {
    ctx.set('content-security-policy', "default-src 'self'; script-src 'nonce-abc'; style-src 'nonce-abc'")
    ctx.body = page
  })
  router.get('/tagged', (ctx) => {
    ctx.status = 200
    ctx.etag = 'seven'
    if (ctx.fresh) ctx.status = 304
    else ctx.body = { ok: true }
  })
  router.get('/shared', (ctx) => {
    ctx.set('access-control-allow-origin', 'https://shop.example')
    ctx.vary('Origin')
    ctx.body = { ok: true }
  })
  router.get('/own-keys', (ctx) => void (ctx.body = ownKeys(ctx)))
  router.get('/static/:file', (ctx) => {
    const file = basename(ctx.params['file'] ?? '')
    ctx.type = extname(file)
    ctx.body = createReadStream(join(staticFolder, file))
  })
  router.get('/handled/:how', (ctx) => {
    throw new Error(`handled as ${ctx.params['how']}`)
  })
  router.post('/account/login', (ctx) => {
    const { username = '', password }: { username?: string; password?: string } = bodyOf(ctx)
    if (password !== 'hunter2') ctx.throw(401, 'wrong password')
    ctx.cookies.set('user', username, { signed: true })
    ctx.redirect('/account')
  })
  router.get('/account', (ctx) => {
    ctx.body = page.replace('Orders of today', `Orders of ${ctx.cookies.get('user', { signed: true }) ?? 'nobody'}`)
  })

  app.use(router.routes())
  app.use(router.allowedMethods())
  return {
    application: app,
    listen: async () => {
      const server = createServer(app.callback()).listen(0, '127.0.0.1')
      await once(server, 'listening')
      return server
    },
  }
}

/** Errors that the application answers itself. */
async function handleErrors(ctx: Context, next: Next): Promise<void> {
  try {
    await next()
  } catch (thrown) {
    if (ctx.path === '/handled/throws') throw new Error('the error handler is broken', { cause: thrown })
    const message = thrown instanceof Error ? thrown.message : String(thrown)
    ctx.status = 500
    ctx.body = ctx.path === '/handled/html' ? page.replace('Orders of today', message) : { handled: message }
  }
}

function bodyOf(ctx: Context): object {
  return Object(Reflect.get(ctx.request, 'body'))
}

type Middleware = (ctx: Context, next: Next) => Promise<unknown>

function below(prefix: string, middleware: Middleware): Middleware {
  return (ctx, next) => (ctx.path.startsWith(prefix) ? middleware(ctx, next) : next())
}

/** As koa-connect does it, for middleware that is written for Node's own objects. */
function runNodeMiddleware(
  middleware: (request: never, response: never, next: (error?: unknown) => void) => void,
  ctx: Context,
): Promise<void> {
  return new Promise((resolve, reject) => {
    middleware(ctx.req as never, ctx.res as never, (error) => (error === undefined ? resolve() : reject(error)))
  })
}

export default build
