// No framework: one listener of `node:http`, with the middleware that people use there.

import morgan from 'morgan'
import helmet from 'helmet'
import multer from 'multer'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { json as readJson } from 'node:stream/consumers'
import { createGzip } from 'node:zlib'
import { htmlRoutes, jsonRoutes } from './alike.ts'
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

type Handler = (request: IncomingMessage, response: ServerResponse, last: string) => void | Promise<void>

const accesses: string[] = []
const logAccess = morgan(':method :url :status', { stream: { write: (line) => void accesses.push(line.trim()) } })

const json = (response: ServerResponse, value: unknown, status = 200): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}
const html = (response: ServerResponse, text: string): void => {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(text)
}

const keyOf = (path: string): string => `GET ${path.replace(/:.*/, '')}`
const sendsJson =
  (handle: (last: string) => unknown): Handler =>
  async (_request, response, last) =>
    json(response, await handle(last))
const sendsHtml =
  (text: string): Handler =>
  (_request, response) =>
    html(response, text)

/** By the path without its last segment, or by the whole path. */
const handlers: Readonly<Record<string, Handler>> = {
  ...Object.fromEntries([
    ...Object.entries(jsonRoutes).map(([path, handle]) => [keyOf(path), sendsJson(handle)]),
    ...Object.entries(htmlRoutes).map(([path, text]) => [keyOf(path), sendsHtml(text)]),
  ]),
  'GET /streamed/': (_request, response, last) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
    Readable.from(streamedPage(last)).pipe(response)
  },
  'GET /events/': (_request, response, last) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    Readable.from(events(last)).pipe(response)
  },
  'GET /nothing': (_request, response) => void response.writeHead(204).end(),
  'GET /redirect': (_request, response) => void response.writeHead(302, { location: '/html' }).end(),
  'GET /cookies': (_request, response) => {
    const fields = ['Set-Cookie', 'shop=lamps', 'Set-Cookie', 'theme=dark', 'Server-Timing', 'shelf;dur=1']
    response.writeHead(200, [...fields, 'Content-Type', 'application/json']).end('{"ok":true}')
  },
  'GET /status-message': (_request, response) => void response.writeHead(200, 'Fine Indeed').end('ok'),
  'GET /shops/shade/orders/': (_request, response, last) => json(response, { shop: 'shade', id: last }),
  'GET /nested/shade/items/': (_request, response, last) => json(response, { shop: 'shade', item: last }),
  'GET /files/a/': (_request, response) => json(response, { path: '/files/a/b' }),
  'GET /docs': (_request, response) => json(response, {}),
  'GET /docs/': (_request, response, last) => json(response, { lang: last }),
  'GET /echo/': (_request, response, last) => json(response, { id: last, own: ownContext.getStore() }),
  'GET /steps': (_request, response) => json(response, { ok: true }),
  'GET /stopped': (_request, response) => json(response, { stopped: true }, 403),
  'GET /throws': () => {
    throw new Error('the stock is empty')
  },
  'GET /late-throw': async (_request, response) => {
    json(response, { ok: true })
    await once(response, 'finish')
    throw new Error('thrown after the response')
  },
  'GET /throws-after-head': (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' })
    Readable.from(brokenBody())
      .on('error', () => response.destroy())
      .pipe(response)
  },
  'POST /calls-after-data': (request, response) => {
    request.on('data', () => undefined)
    request.on('end', () => {
      void callOthers().then((found) => json(response, found))
    })
  },
  'POST /calls-after-upload': (request, response) => {
    multer().single('file')(request as never, response as never, () => {
      void callOthers().then((found) => json(response, found))
    })
  },
  'POST /upload': (request, response) => {
    const upload: IncomingMessage & { body?: { title?: string }; file?: { size: number } } = request
    multer().single('file')(request as never, response as never, () => {
      json(response, { title: upload.body?.title, size: upload.file?.size })
    })
  },
  'POST /body': async (request, response) => {
    try {
      const body = await readJson(request)
      json(response, { keys: Object.keys(Object(body)), length: JSON.stringify(body).length })
    } catch {
      json(response, { error: 'bad JSON' }, 400)
    }
  },
  'GET /compressed/html': (request, response) => compressed(request, response, 'text/html; charset=utf-8', largePage),
  'GET /compressed/json': (request, response) =>
    compressed(request, response, 'application/json', JSON.stringify(orders)),
  'GET /guarded/html': (request, response) => {
    helmet()(request, response, () => html(response, page))
  },
  'GET /nonce': (_request, response) => {
    response.setHeader('content-security-policy', "default-src 'self'; script-src 'nonce-abc'; style-src 'nonce-abc'")
    html(response, page)
  },
  'GET /tagged': (request, response) => {
    response.setHeader('etag', '"seven"')
    if (request.headers['if-none-match'] === '"seven"') response.writeHead(304).end()
    else json(response, { ok: true })
  },
  'GET /shared': (_request, response) => {
    response.setHeader('access-control-allow-origin', 'https://shop.example')
    json(response, { ok: true })
  },
  'GET /own-keys': (request, response) => json(response, ownKeys({ req: request, res: response })),
  'GET /accesses': (_request, response) => json(response, accesses),
  'GET /static/': (_request, response, last) => {
    response.writeHead(200, { 'content-type': last.endsWith('.css') ? 'text/css' : 'text/html; charset=utf-8' })
    createReadStream(join(staticFolder, basename(last))).pipe(response)
  },
  'POST /account/login': (_request, response) => {
    response.writeHead(302, { location: '/account', 'set-cookie': 'user=ann; HttpOnly' }).end()
  },
  'GET /account': (request, response) => {
    const user = /user=(\w+)/.exec(request.headers.cookie ?? '')?.[1] ?? 'nobody'
    html(response, page.replace('Orders of today', `Orders of ${user}`))
  },
}

function compressed(request: IncomingMessage, response: ServerResponse, type: string, text: string): void {
  const isWanted = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '')
  response.writeHead(200, {
    'content-type': type,
    vary: 'Accept-Encoding',
    ...(isWanted ? { 'content-encoding': 'gzip' } : {}),
  })
  if (!isWanted) response.end(text)
  else Readable.from([text]).pipe(createGzip()).pipe(response)
}

function handle(request: IncomingMessage, response: ServerResponse): void {
  const path = (request.url ?? '').split('?', 1)[0] ?? ''
  if (path.startsWith('/_profiler')) {
    response.writeHead(401, { 'content-type': 'text/plain' }).end('log in first')
    return
  }
  const cut = path.lastIndexOf('/') + 1
  const method = request.method === 'HEAD' ? 'GET' : request.method
  const handler = handlers[`${method} ${path}`] ?? handlers[`${method} ${path.slice(0, cut)}`]
  if (handler === undefined) json(response, { error: `nothing at ${path}` }, 404)
  else void ownContext.run(path, () => handler(request, response, path.slice(cut)))
}

const build: Build = (attach) => {
  const server = attach(
    createServer((request, response) => {
      logAccess(request as never, response as never, () => handle(request, response))
    }),
  )
  return {
    application: server,
    listen: async () => {
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      return server
    },
  }
}

export default build
