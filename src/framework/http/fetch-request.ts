// Makes a Fetch `Request` of a request as sent, for handlers that ask for one. Nothing in the library needs it.

import type { RequestBody } from './body.ts'
import type { HttpRequest } from './request.ts'

/** Methods that the Fetch standard forbids. */
const forbiddenMethods: ReadonlySet<string> = new Set(['CONNECT', 'TRACE', 'TRACK'])

/**
 * The request as the Fetch standard knows it; its body is read from the same bytes as `body`, so only one of the two can be
 * read. Throws a TypeError for what Fetch cannot say: CONNECT, TRACE and TRACK, and the target `*`. GET and HEAD have no body.
 */
export function toFetchRequest(context: HttpRequest, body: RequestBody): Request {
  const { method } = context
  if (forbiddenMethods.has(method.toUpperCase())) {
    throw new TypeError(`The Fetch standard has no ${method} requests; read exchange.context and exchange.body instead`)
  }
  if (context.path === '*') {
    throw new TypeError('The Fetch standard has no request for the target "*"; read exchange.context instead')
  }
  const init: RequestInit = { method, headers: toHeaders(context.rawHeaders) }
  const stream = method === 'GET' || method === 'HEAD' ? null : body.stream()
  if (stream !== null) Object.assign(init, { body: stream, duplex: 'half' })
  return new Request(context.fullUrl, init)
}

function toHeaders(rawHeaders: readonly string[]): Headers {
  const headers = new Headers()
  for (let index = 0; index < rawHeaders.length; index += 2) {
    headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '')
  }
  return headers
}
