// Requests and responses of both protocols. Node's HTTP/2 ones have the members of HTTP/1.1; what differs is here.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import type { Duplex } from 'node:stream'
import { listedFields } from '../../base/http/header-fields.ts'
import type { ClientConnection } from '../kernel/exchange.ts'
import type { RawRequest } from './read-request.ts'

/** For `http.createServer()` and for servers of HTTP/2. */
export type AppListener = (
  request: IncomingMessage | Http2ServerRequest,
  response: ServerResponse | Http2ServerResponse,
) => void

/** What the application reads. `stream`: whether there may be a body to read. */
export function rawRequest(request: IncomingMessage | Http2ServerRequest, hasStream: boolean): RawRequest {
  const { socket } = request
  const isSecond = 'stream' in request
  return {
    method: request.method ?? '',
    target: request.url ?? '',
    httpVersion: request.httpVersion,
    rawHeaders: isSecond ? plainHeaders(request.rawHeaders) : request.rawHeaders,
    peerAddress: socket.remoteAddress ?? '',
    isEncrypted: 'encrypted' in socket && socket.encrypted,
    stream: hasStream ? request : null,
    hasBody: isSecond && !request.stream.endAfterHeaders,
  }
}

/** HTTP/2 has the method, path and host in separate fields, whose names begin with a colon. */
function plainHeaders(rawHeaders: readonly string[]): string[] {
  const headers: string[] = []
  let authority: string | undefined
  for (const [name, value] of listedFields(rawHeaders)) {
    if (name === ':authority') authority = value
    else if (!name.startsWith(':')) headers.push(name, value)
  }
  // Both may be sent if they agree (RFC 9113, section 8.3.1); else there are two hosts, which is refused.
  const index = headers.indexOf('host')
  if (authority !== undefined && (index < 0 || headers[index + 1] !== authority)) headers.unshift('host', authority)
  return headers
}

/** Whether nothing can be sent anymore. */
export function isGone(response: ServerResponse | Http2ServerResponse): boolean {
  if ('stream' in response) return response.stream.destroyed
  return response.destroyed || response.req.socket.destroyed
}

/** Whether the whole response was passed to the operating system. HTTP/2 also calls a response finished that broke off. */
export function hasLeft(response: ServerResponse | Http2ServerResponse): boolean {
  // Older versions of Node also call finished what was lost with its socket.
  if (!('stream' in response)) return response.writableFinished && !response.req.socket.destroyed
  const { aborted, rstCode } = response.stream
  return response.writableEnded && !aborted && rstCode === 0
}

/** The client as the application sees it. */
export function clientOf(response: ServerResponse | Http2ServerResponse): ClientConnection {
  if (!('stream' in response)) return response
  return {
    get destroyed() {
      return isGone(response)
    },
    get writableFinished() {
      return hasLeft(response)
    },
    get socket() {
      return response.stream.session ?? null
    },
    once: (event, listener) => response.once(event, listener),
  }
}

/** What holds the bytes that the client has not taken; `null` if the response has left. */
export function outletOf(response: ServerResponse | Http2ServerResponse): Duplex | null {
  return 'stream' in response ? response.stream : response.socket
}

/** Header fields for the wire: HTTP/2 knows nothing of connections (RFC 9113, section 8.2.2). */
export function wireHeaders(response: ServerResponse | Http2ServerResponse, headers: string[]): string[] {
  if (!('stream' in response)) return headers
  return [...listedFields(headers)].filter(([name]) => !connectionFields.has(name.toLowerCase())).flat()
}

const connectionFields: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'proxy-connection', 'upgrade'])
