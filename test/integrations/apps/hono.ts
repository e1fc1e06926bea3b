// Hono 4 on node-server, newest and oldest: sub-applications, and middleware by path.

import { serve } from '@hono/node-server'
import { serveStatic } from '@hono/node-server/serve-static'
import { Hono, type Context, type Next } from 'hono'
import { compress } from 'hono/compress'
import { getSignedCookie, setCookie, setSignedCookie } from 'hono/cookie'
import { cors } from 'hono/cors'
import { etag } from 'hono/etag'
import { HTTPException } from 'hono/http-exception'
import { secureHeaders } from 'hono/secure-headers'
import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { relative } from 'node:path'
import { htmlRoutes, jsonRoutes, lastOf, whenReady } from './alike.ts'
import {
  brokenBody,
  events,
  largePage,
  orders,
  ownKeys,
  page,
  staticFolder,
  streamedPage,
  type Build,
} from './application.ts'
import { callOthers, ownContext } from './work.ts'

interface Env {
  Bindings: { incoming: IncomingMessage; outgoing: ServerResponse }
}

const build: Build = (attach) => {
  const app = attach(new Hono<Env>())
  app.use('*', async function refuseStrangers(c: Context, next: Next) {
    if (c.req.path.startsWith('/_profiler')) return c.text('log in first', 401)
    return next()
  })
  app.use('*', (c, next) => ownContext.run(c.req.path, next))
  const root = relative(process.cwd(), staticFolder)
  app.use('/static/*', serveStatic({ root, rewriteRequestPath: (path) => path.replace('/static', '') }))
  app.use('/compressed/*', compress())
  app.use('/guarded/*', secureHeaders({ contentSecurityPolicy: { defaultSrc: ["'self'"] } }))
  app.use('/shared', cors({ origin: 'https://shop.example' }))
  app.use('/tagged', etag())

  for (const [path, handle] of Object.entries(jsonRoutes)) {
    app.get(path, (c) => whenReady(handle(lastOf(c.req.path)), (value) => c.json(value)))
  }
  for (const [path, text] of Object.entries(htmlRoutes)) app.get(path, (c) => c.html(text))
  app.get('/streamed/:gate', (c) => c.body(bytesOf(streamedPage(c.req.param('gate'))), 200, htmlType))
  app.get('/events/:gate', (c) =>
    c.body(bytesOf(events(c.req.param('gate'))), 200, { 'content-type': 'text/event-stream' }),
  )
  app.get('/nothing', (c) => c.body(null, 204))
  app.get('/redirect', (c) => c.redirect('/html'))
  app.get('/cookies', (c) => {
    setCookie(c, 'shop', 'lamps')
    setCookie(c, 'theme', 'dark')
    c.header('server-timing', 'shelf;dur=1')
    return c.json({ ok: true })
  })

  app.get('/shops/:shop/orders/:id', function showOrder(c: Context) {
    return c.json(c.req.param())
  })
  const nested = new Hono()
  nested.get('/items/:item', function showItem(c: Context) {
    return c.json(c.req.param())
  })
  app.route('/nested/:shop', nested)
  app.get('/files/*', (c) => c.json({ path: c.req.path }))
  app.get('/docs/:lang?', (c) => c.json(c.req.param()))
  app.get('/echo/:id', (c) => c.json({ id: c.req.param('id'), own: ownContext.getStore() }))

  app.use('/steps', async function first(_c: Context, next: Next) {
    await next()
  })
  const second = async (_c: Context, next: Next): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, 5))
    await next()
  }
  const third = async (_c: Context, next: Next): Promise<void> => next()
  app.get('/steps', second, third, function lastOfAll(c: Context) {
    return c.json({ ok: true })
  })
  app.use('/stopped', async function stopHere(c: Context, _next: Next) {
    return c.json({ stopped: true }, 403)
  })

  app.get('/hands-on', () => {
    throw new HTTPException(500, { message: 'handed on' })
  })
  app.get('/teapot', () => {
    throw new HTTPException(418, { message: 'short and stout' })
  })
  app.use('/throws-in-middleware', async function brokenMiddleware() {
    throw new Error('the middleware is broken')
  })
  app.get('/gone', () => {
    throw new HTTPException(404, { message: 'order 7 is gone' })
  })
  app.get('/late-throw', (c) => {
    const response = c.json({ ok: true })
    c.env.outgoing.once('finish', () =>
      queueMicrotask(() => void Promise.reject(new Error('thrown after the response'))),
    )
    return response
  })
  app.get('/throws-after-head', (c) => c.body(bytesOf(brokenBody()), 200, { 'content-type': 'text/plain' }))

  app.post('/calls-after-data', async (c) => {
    const { incoming } = c.env
    const found = await new Promise<Record<string, unknown>>((resolve, reject) => {
      incoming.on('data', () => undefined)
      incoming.on('end', () => void callOthers().then(resolve, reject))
    })
    return c.json(found)
  })
  app.post('/calls-after-upload', async (c) => {
    await c.req.parseBody()
    return c.json(await callOthers())
  })
  app.post('/upload', async (c) => {
    const { title, file } = await c.req.parseBody()
    return c.json({ title, size: file instanceof File ? file.size : undefined })
  })
  app.post('/body', async (c) => {
    const text = await c.req.text()
    try {
      const body: object = JSON.parse(text)
      return c.json({ keys: Object.keys(body), length: JSON.stringify(body).length })
    } catch (cause) {
      throw new HTTPException(400, { message: 'Malformed JSON in request body', cause })
    }
  })

  app.get('/compressed/html', (c) => c.html(largePage))
  app.get('/compressed/json', (c) => c.json(orders))
  app.get('/guarded/html', (c) => c.html(page))
  app.get('/guarded/throws', () => {
    throw new Error('guarded and broken')
  })
  app.get('/nonce', (c) => {
    c.header('content-security-policy', "default-src 'self'; script-src 'nonce-abc'; style-src 'nonce-abc'")
    return c.html(page)
  })
  app.get('/tagged', (c) => {
    c.header('etag', '"seven"')
    return c.json({ ok: true })
  })
  app.get('/shared', (c) => c.json({ ok: true }))
  app.get('/own-keys', (c) => c.json(ownKeys({ req: c.env.incoming, res: c.env.outgoing })))

  app.route('/handled', handledErrors())
  app.route('/account', accounts())
  return {
    application: app,
    listen: async () => {
      const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' })
      if (!server.listening) await once(server, 'listening')
      return server as Server
    },
    inject: async (path) => {
      const response = await app.request(path)
      return { status: response.status, body: await response.text() }
    },
  }
}

const htmlType = { 'content-type': 'text/html; charset=UTF-8' }

function bytesOf(texts: AsyncIterable<string>): ReadableStream<Uint8Array> {
  return ReadableStream.from(texts).pipeThrough(new TextEncoderStream())
}

/** Errors that the application answers itself. */
function handledErrors(): Hono {
  const handled = new Hono()
  handled.get('/:how', (c) => {
    throw new Error(`handled as ${c.req.param('how')}`)
  })
  handled.onError((error, c) => {
    if (c.req.path === '/handled/throws') throw new Error('the error handler is broken')
    if (c.req.path === '/handled/html') return c.html(page.replace('Orders of today', error.message), 500)
    return c.json({ handled: error.message }, 500)
  })
  return handled
}

/** A login kept in a signed cookie. */
function accounts(): Hono {
  const secret = 'a secret of the shop'
  const account = new Hono()
  account.post('/login', async (c) => {
    const { username, password } = await c.req.parseBody()
    if (password !== 'hunter2') throw new HTTPException(401, { message: 'wrong password' })
    await setSignedCookie(c, 'user', String(username), secret)
    return c.redirect('/account')
  })
  account.get('/', async (c) => {
    const user = await getSignedCookie(c, secret, 'user')
    return c.html(page.replace('Orders of today', `Orders of ${user || 'nobody'}`))
  })
  return account
}

export default build
