// The two servers whose allocations are compared: bare node:http as people write it, and ours with recording off.

import { createServer, type Server } from 'node:http'
import { createApp, json, RouteCollection } from '../../src/index.ts'
import { loadRuntimeContext } from '../../src/context/runtime-context.ts'
import { postBody, routes, statusBody } from '../http/table.ts'

/** The requests that are counted, as they stand on the wire. */
export const guarded: Readonly<Record<string, string>> = {
  'static JSON': 'GET /api/status HTTP/1.1\r\nHost: 127.0.0.1:8000\r\n\r\n',
  'two parameters': 'GET /users/42/posts/7 HTTP/1.1\r\nHost: 127.0.0.1:8000\r\n\r\n',
  'unmatched path': 'GET /no/such/page HTTP/1.1\r\nHost: 127.0.0.1:8000\r\n\r\n',
}

// One connection lives for the whole run.
const longLived = { keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0, maxRequestsPerSocket: 0 } as const

/** Checks the URL and writes a body. */
export function bareServer(): Server {
  const status = JSON.stringify(statusBody)
  return createServer(longLived, (request, response) => {
    const url = request.url ?? ''
    const found = /^\/users\/([^/]+)\/posts\/([^/]+)$/.exec(url)
    const body = url === '/api/status' ? status : found === null ? null : JSON.stringify(postBody(found[1]!, found[2]!))
    if (body === null) response.writeHead(404, { 'content-type': 'text/plain' }).end('Not Found')
    else response.writeHead(200, { 'content-type': 'application/json; charset=utf-8' }).end(body)
  })
}

/** An application in production, with its store in memory. */
export async function ourServer(): Promise<{ readonly server: Server; readonly close: () => Promise<void> }> {
  const { context } = loadRuntimeContext({ cwd: import.meta.dirname, env: { APP_ENV: 'prod', APP_STORE: 'memory:' } })
  const table = new RouteCollection()
  table.get('status', '/api/status', () => json(statusBody))
  table.get('user_post', '/users/{user}/posts/{post}', ({ params }) => json(postBody(params.user, params.post)))
  for (const { name, method, path } of routes) {
    if (table.route(name) === undefined) table.add({ name, path, methods: [method], handler: () => json({ name }) })
  }
  const app = await createApp({ context, routes: table })
  const server = createServer({ ...longLived, optimizeEmptyRequests: true, requireHostHeader: false }, app.handler)
  return { server, close: () => app.close() }
}
