// h3 2 on srvx, newest and oldest: handlers return what they answer.

import {
  getCookie,
  H3,
  handleCacheHeaders,
  handleCors,
  HTTPError,
  onError,
  readBody,
  redirect,
  serve,
  serveStatic,
  setCookie,
  type H3Event,
} from 'h3'
import helmet from 'helmet'
import { readFile, stat } from 'node:fs/promises'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { basename, extname, join } from 'node:path'
import { htmlRoutes, jsonRoutes, lastOf } from './alike.ts'
import {
  brokenBody,
  errorWithStatus,
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

const htmlType = 'text/html; charset=utf-8'

const build: Build = (attach) => {
  const app = attach(new H3())
  app.use(function refuseStrangers(event) {
    if (!event.url.pathname.startsWith('/_profiler')) return undefined
    return new Response('log in first', { status: 401 })
  })
  app.use((event, next) => ownContext.run(event.url.pathname, next))
  app.use('/guarded/**', (event) => {
    helmet()(nodeOf(event).req, nodeOf(event).res, () => undefined)
  })
  app.use('/shared', (event) => {
    handleCors(event, { origin: ['https://shop.example'] })
  })

  for (const [path, handle] of Object.entries(jsonRoutes)) {
    app.get(path, (event) => handle(lastOf(event.url.pathname)))
  }
  for (const [path, text] of Object.entries(htmlRoutes)) app.get(path, (event) => html(event, text))
  app.get('/streamed/:gate', (event) => streamed(streamedPage(param(event, 'gate')), htmlType))
  app.get('/events/:gate', (event) => streamed(events(param(event, 'gate')), 'text/event-stream'))
  app.get('/nothing', (event) => {
    event.res.status = 204
    return null
  })
  app.get('/redirect', () => redirect('/html'))
  app.get('/cookies', (event) => {
    setCookie(event, 'shop', 'lamps')
    setCookie(event, 'theme', 'dark')
    event.res.headers.set('server-timing', 'shelf;dur=1')
    return { ok: true }
  })
  app.get('/status-message', (event) => {
    event.res.status = 200
    event.res.statusText = 'Fine Indeed'
    return 'ok'
  })

  app.get('/shops/:shop/orders/:id', function showOrder(event) {
    return event.context.params
  })
  const nested = new H3()
  nested.get('/items/:item', function showItem(event) {
    return event.context.params
  })
  app.mount('/nested/:shop', nested)
  app.get('/files/**', (event) => ({ path: event.url.pathname }))
  app.get('/docs/:lang?', (event) => ({ lang: event.context.params?.['lang'] }))
  app.get('/echo/:id', (event) => ({ id: param(event, 'id'), own: ownContext.getStore() }))

  app.use('/steps', async function first(_event, next) {
    return next()
  })
  app.use('/steps', async function second(_event, next) {
    await new Promise((resolve) => setTimeout(resolve, 5))
    return next()
  })
  app.use('/steps', async function third(_event, next) {
    return next()
  })
  app.get('/steps', function lastOfAll() {
    return { ok: true }
  })
  app.use('/stopped', async function stopHere() {
    return Response.json({ stopped: true }, { status: 403 })
  })

  app.get('/hands-on', () => new HTTPError({ status: 500, message: 'handed on' }))
  app.get('/teapot', () => {
    throw new HTTPError({ status: 418, message: 'short and stout' })
  })
  app.use('/throws-in-middleware', async function brokenMiddleware() {
    throw new Error('the middleware is broken')
  })
  app.get('/gone', () => {
    throw new HTTPError({ status: 404, message: 'order 7 is gone' })
  })
  app.get('/late-throw', (event) => {
    nodeOf(event).res.once('finish', () => void Promise.reject(new Error('thrown after the response')))
    return { ok: true }
  })
  app.get('/throws-after-head', () => streamed(brokenBody(), 'text/plain'))

  app.post('/calls-after-data', async (event) => {
    const { req } = nodeOf(event)
    return new Promise((resolve, reject) => {
      req.on('data', () => undefined)
      req.on('end', () => void callOthers().then(resolve, reject))
    })
  })
  app.post('/calls-after-upload', async (event) => {
    await event.req.formData()
    return callOthers()
  })
  app.post('/upload', async (event) => {
    const form = await event.req.formData()
    const file = form.get('file')
    return { title: form.get('title'), size: file instanceof File ? file.size : undefined }
  })
  app.post('/body', async (event) => {
    const body: object = Object(await readBody(event))
    return { keys: Object.keys(body), length: JSON.stringify(body).length }
  })

  app.get('/compressed/html', (event) => compressed(event, htmlType, largePage))
  app.get('/compressed/json', (event) => compressed(event, 'application/json', JSON.stringify(orders)))
  app.get('/guarded/html', (event) => html(event, page))
  app.get('/guarded/throws', () => {
    throw new Error('guarded and broken')
  })
  app.get('/nonce', (event) => {
    event.res.headers.set(
      'content-security-policy',
      "default-src 'self'; script-src 'nonce-abc'; style-src 'nonce-abc'",
    )
    return html(event, page)
  })
  app.get('/tagged', (event) => (handleCacheHeaders(event, { etag: '"seven"' }) ? null : { ok: true }))
  app.get('/shared', () => ({ ok: true }))
  app.get('/own-keys', (event) => ownKeys(nodeOf(event)))
  app.get('/static/**', async (event) =>
    serveStatic(event, {
      getContents: (id) => readFile(join(staticFolder, basename(id))),
      getMeta: async (id) => {
        const { size, mtimeMs } = await stat(join(staticFolder, basename(id)))
        return { size, mtime: mtimeMs, type: extname(id) === '.css' ? 'text/css' : htmlType }
      },
    }),
  )

  app.use('/handled/**', onError(respondToError))
  app.get('/handled/:how', (event) => {
    throw new Error(`handled as ${param(event, 'how')}`)
  })
  app.post('/account/login', async (event) => {
    const { username = '', password } = Object((await readBody(event)) ?? {}) as Record<string, string>
    if (password !== 'hunter2') throw errorWithStatus(401, 'wrong password')
    setCookie(event, 'user', username, { httpOnly: true, path: '/' })
    return redirect('/account')
  })
  app.get('/account', (event) =>
    html(event, page.replace('Orders of today', `Orders of ${getCookie(event, 'user') ?? 'nobody'}`)),
  )
  return {
    application: app,
    listen: async () => {
      const server = serve(app, { port: 0, hostname: '127.0.0.1', silent: true, gracefulShutdown: false })
      await server.ready()
      return server.node?.server as Server
    },
    inject: async (path) => {
      const response = await app.request(path)
      return { status: response.status, body: await response.text() }
    },
  }
}

function param(event: H3Event, name: string): string {
  return event.context.params?.[name] ?? ''
}

function html(event: H3Event, text: string): string {
  event.res.headers.set('content-type', htmlType)
  return text
}

function streamed(texts: AsyncIterable<string>, type: string): Response {
  return new Response(ReadableStream.from(texts).pipeThrough(new TextEncoderStream()), {
    headers: { 'content-type': type },
  })
}

function nodeOf(event: H3Event): { req: IncomingMessage; res: ServerResponse } {
  const node = event.runtime?.node
  if (node?.res === undefined) throw new Error('not on Node')
  return node as unknown as { req: IncomingMessage; res: ServerResponse }
}

function compressed(event: H3Event, type: string, text: string): Response {
  const isWanted = /\bgzip\b/.test(event.req.headers.get('accept-encoding') ?? '')
  const body = new Blob([text]).stream()
  const headers = { 'content-type': type, vary: 'Accept-Encoding' }
  if (!isWanted) return new Response(body, { headers })
  return new Response(body.pipeThrough(new CompressionStream('gzip')), {
    headers: { ...headers, 'content-encoding': 'gzip' },
  })
}

/** Errors that the application answers itself. */
function respondToError(error: HTTPError, event: H3Event): Response {
  const { pathname } = event.url
  if (pathname === '/handled/throws') throw new Error('the error handler is broken')
  const message = error.unhandled === true && error.cause instanceof Error ? error.cause.message : error.message
  if (pathname === '/handled/json') return Response.json({ handled: message }, { status: 500 })
  return new Response(page.replace('Orders of today', message), { status: 500, headers: { 'content-type': htmlType } })
}

export default build
