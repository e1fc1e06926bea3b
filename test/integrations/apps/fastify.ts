// Fastify 5, newest and oldest: hooks, plugins and schemas.

import compress from '@fastify/compress'
import cookie from '@fastify/cookie'
import helmet from '@fastify/helmet'
import multipart from '@fastify/multipart'
import files from '@fastify/static'
import { fastify, type FastifyInstance } from 'fastify'
import { Readable, Writable } from 'node:stream'
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
import { callOthers, ownContext, writeLogLines } from './work.ts'

const html = 'text/html; charset=utf-8'

const build: Build = async (attach) => {
  const stream = new Writable({ write: (_chunk, _encoding, done) => done() })
  const app = attach(fastify({ logger: { level: 'info', stream }, bodyLimit: 2_000_000, forceCloseConnections: true }))
  app.addHook('onRequest', async function refuseStrangers(request, reply) {
    if (request.url.startsWith('/_profiler')) await reply.code(401).send('log in first')
  })
  app.addHook('onRequest', (request, _reply, done) => ownContext.run(request.url, done))
  await app.register(files, { root: staticFolder, prefix: '/static/' })
  await app.register(cookie, { secret: 'a secret of the shop' })

  for (const [path, handle] of Object.entries(jsonRoutes)) {
    if (path !== '/logs') app.get(path, (request) => handle(lastOf(request.url)))
  }
  for (const [path, text] of Object.entries(htmlRoutes)) {
    app.get(path, async (_request, reply) => reply.type(html).send(text))
  }
  app.get<{ Params: { gate: string } }>('/streamed/:gate', async (request, reply) =>
    reply.type(html).send(Readable.from(streamedPage(request.params.gate))),
  )
  app.get<{ Params: { gate: string } }>('/events/:gate', async (request, reply) =>
    reply.type('text/event-stream').send(Readable.from(events(request.params.gate))),
  )
  app.get('/nothing', async (_request, reply) => reply.code(204).send())
  app.get('/redirect', async (_request, reply) => reply.redirect('/html'))
  app.get('/cookies', async (_request, reply) =>
    reply
      .setCookie('shop', 'lamps')
      .setCookie('theme', 'dark')
      .header('server-timing', 'shelf;dur=1')
      .send({ ok: true }),
  )
  app.get('/status-message', async (_request, reply) => {
    reply.raw.statusMessage = 'Fine Indeed'
    return 'ok'
  })

  app.get('/shops/:shop/orders/:id', async function showOrder(request) {
    return request.params
  })
  await app.register(
    async (nested) => {
      nested.get('/items/:item', async function showItem(request) {
        return request.params
      })
    },
    { prefix: '/nested/:shop' },
  )
  app.get('/files/*', async (request) => ({ path: request.url }))
  app.get('/docs/:lang?', async (request) => request.params)
  app.get<{ Params: { id: string } }>('/echo/:id', async (request) => ({
    id: request.params.id,
    own: ownContext.getStore(),
  }))

  await app.register(async (steps) => {
    steps.addHook('preHandler', function first(_request, _reply, done) {
      done()
    })
    steps.addHook('preHandler', async function second() {
      await new Promise((resolve) => setTimeout(resolve, 5))
    })
    steps.addHook('preHandler', async function third() {})
    steps.get('/steps', async function lastOfAll() {
      return { ok: true }
    })
  })
  await app.register(async (stopped) => {
    stopped.addHook('preHandler', async function stopHere(_request, reply) {
      await reply.code(403).send({ stopped: true })
    })
    stopped.get('/stopped', async () => ({ ok: true }))
  })

  app.get('/hands-on', (_request, reply) => void reply.send(new Error('handed on')))
  app.get('/teapot', async () => {
    throw errorWithStatus(418, 'short and stout')
  })
  await app.register(async (broken) => {
    broken.addHook('preHandler', async function brokenMiddleware() {
      throw new Error('the middleware is broken')
    })
    broken.get('/throws-in-middleware', async () => ({ ok: true }))
  })
  app.get('/gone', async () => {
    throw errorWithStatus(404, 'order 7 is gone')
  })
  app.get('/late-throw', async (_request, reply): Promise<void> => {
    await reply.send({ ok: true })
    throw new Error('thrown after the response')
  })
  app.get('/throws-after-head', async (_request, reply) => reply.type('text/plain').send(Readable.from(brokenBody())))

  app.get('/logs', async (request) => {
    writeLogLines()
    request.log.warn({ password: 'fastify-hunter2' }, 'the framework counts lamps')
    return { ok: true }
  })
  await app.register(async (raw) => {
    raw.removeAllContentTypeParsers()
    raw.addContentTypeParser('*', (_request, payload, done) => {
      payload.on('data', () => undefined)
      payload.on('end', () => done(null))
    })
    raw.post('/calls-after-data', async () => callOthers())
  })
  await app.register(uploads)
  app.post('/body', async (request) => {
    const body: object = Object(request.body)
    return { keys: Object.keys(body), length: JSON.stringify(body).length }
  })
  const schema = {
    body: {
      type: 'object',
      required: ['title', 'count'],
      properties: { title: { type: 'string' }, count: { type: 'integer', minimum: 1 } },
    },
  }
  app.post<{ Body: object }>('/validated', { schema }, async ({ body }) => body)

  await app.register(async (compressed) => {
    await compressed.register(compress, { threshold: 0 })
    compressed.get('/compressed/html', async (_request, reply) => reply.type(html).send(largePage))
    compressed.get('/compressed/json', async () => orders)
  })
  await app.register(async (guarded) => {
    await guarded.register(helmet)
    guarded.get('/guarded/html', async (_request, reply) => reply.type(html).send(page))
    guarded.get('/guarded/throws', async () => {
      throw new Error('guarded and broken')
    })
  })
  app.get('/nonce', async (_request, reply) =>
    reply
      .header('content-security-policy', "default-src 'self'; script-src 'nonce-abc'; style-src 'nonce-abc'")
      .type(html)
      .send(page),
  )
  app.get('/tagged', async (request, reply) => {
    reply.header('etag', '"seven"')
    return request.headers['if-none-match'] === '"seven"' ? reply.code(304).send() : { ok: true }
  })
  app.get('/shared', async (_request, reply) =>
    reply.header('access-control-allow-origin', 'https://shop.example').header('vary', 'Origin').send({ ok: true }),
  )
  app.get('/own-keys', async (request, reply) => ownKeys({ req: request.raw, res: reply.raw }))

  await app.register(handledErrors)
  await app.register(accounts)
  return {
    application: app,
    listen: async () => {
      await app.listen({ port: 0, host: '127.0.0.1' })
      return app.server
    },
    inject: async (path) => {
      const { statusCode, body } = await app.inject(path)
      return { status: statusCode, body }
    },
  }
}

async function uploads(app: FastifyInstance): Promise<void> {
  await app.register(multipart)
  app.post('/upload', async (request) => {
    const file = await request.file()
    const title = file?.fields['title']
    return {
      title: title !== undefined && 'value' in title ? title.value : undefined,
      size: (await file?.toBuffer())?.length,
    }
  })
  app.post('/calls-after-upload', async (request) => {
    await (await request.file())?.toBuffer()
    return callOthers()
  })
}

/** Errors that the application answers itself. */
async function handledErrors(app: FastifyInstance): Promise<void> {
  app.setErrorHandler<Error>(async (error, request, reply) => {
    if (request.url === '/handled/throws') throw new Error('the error handler is broken')
    if (request.url === '/handled/json') return reply.code(500).send({ handled: error.message })
    return reply.code(500).type(html).send(page.replace('Orders of today', error.message))
  })
  app.get<{ Params: { how: string } }>('/handled/:how', async (request) => {
    throw new Error(`handled as ${request.params.how}`)
  })
}

/** A login kept in a signed cookie. */
async function accounts(app: FastifyInstance): Promise<void> {
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
    done(null, new URLSearchParams(String(body))),
  )
  app.post<{ Body: URLSearchParams }>('/account/login', async (request, reply) => {
    if (request.body.get('password') !== 'hunter2') throw errorWithStatus(401, 'wrong password')
    return reply.setCookie('user', request.body.get('username') ?? '', { signed: true, path: '/' }).redirect('/account')
  })
  app.get('/account', async (request, reply) => {
    const { value } = app.unsignCookie(request.cookies['user'] ?? '')
    return reply.type(html).send(page.replace('Orders of today', `Orders of ${value ?? 'nobody'}`))
  })
}

export default build
