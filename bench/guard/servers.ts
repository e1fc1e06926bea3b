// The two servers whose allocations are compared: bare node:http as people write it, and ours with recording off.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createApp, json, RouteCollection } from '../../src/index.ts'
import { loadRuntimeContext } from '../../src/http/config/runtime-context.ts'
import { orderAnswer, orderBody, postBody, routes, statusBody } from '../http/table.ts'

/** The requests that are counted, as they are on the wire. */
export const guarded: Readonly<Record<string, string>> = {
  'static JSON': 'GET /api/status HTTP/1.1\r\nHost: 127.0.0.1:8000\r\n\r\n',
  'two parameters': 'GET /users/42/posts/7 HTTP/1.1\r\nHost: 127.0.0.1:8000\r\n\r\n',
  'unmatched path': 'GET /no/such/page HTTP/1.1\r\nHost: 127.0.0.1:8000\r\n\r\n',
  'wrong method': 'DELETE /api/status HTTP/1.1\r\nHost: 127.0.0.1:8000\r\n\r\n',
  'POST 1 KB JSON':
    'POST /api/orders HTTP/1.1\r\nHost: 127.0.0.1:8000\r\nContent-Type: application/json\r\n' +
    `Content-Length: ${orderBody.length}\r\n\r\n${orderBody}`,
}

// One connection lives for the whole run.
const longLived = { keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0, maxRequestsPerSocket: 0 } as const

/** Checks method and URL, reads a body, and writes one. */
export function bareServer(): Server {
  const status = JSON.stringify(statusBody)
  return createServer(longLived, (request, response) => {
    const url = request.url ?? ''
    if (url === '/api/orders' && request.method === 'POST') return answerOrder(request, response)
    const found = /^\/users\/([^/]+)\/posts\/([^/]+)$/.exec(url)
    const body = url === '/api/status' ? status : found === null ? null : JSON.stringify(postBody(found[1]!, found[2]!))
    if (body === null) response.writeHead(404, { 'content-type': 'text/plain' }).end('Not Found')
    else if (request.method !== 'GET')
      response.writeHead(405, { 'content-type': 'text/plain', allow: 'GET, HEAD' }).end('Method Not Allowed')
    else response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' }).end(body)
  })
}

function answerOrder(request: IncomingMessage, response: ServerResponse): void {
  let body = ''
  request.setEncoding('utf8')
  request.on('data', (chunk: string) => {
    body += chunk
  })
  request.on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' })
    response.end(JSON.stringify(orderAnswer(JSON.parse(body))))
  })
}

/** An application in production, with its store in memory. Its standard output is for the figures. */
export async function ourServer(): Promise<{ readonly server: Server; readonly close: () => Promise<void> }> {
  const { context } = loadRuntimeContext({
    cwd: import.meta.dirname,
    env: { APP_ENV: 'prod', APP_STORE: 'memory:', APP_LOG_LEVEL: 'silent' },
  })
  const table = new RouteCollection()
  table.get('status', '/api/status', () => json(statusBody))
  table.get('user_post', '/users/{user}/posts/{post}', ({ request: { params } }) =>
    json(postBody(params.user, params.post)),
  )
  table.post('order', '/api/orders', async ({ request: { body } }) => json(orderAnswer(await body.json())))
  for (const { name, method, path } of routes) {
    if (table.route(name) === undefined) table.add({ name, path, methods: [method], handler: () => json({ name }) })
  }
  const app = await createApp({ context, routes: table })
  const server = createServer({ ...longLived, optimizeEmptyRequests: true, requireHostHeader: false }, app.handler)
  return { server, close: () => app.close() }
}
