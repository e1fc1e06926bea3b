// The server below a `NodeServer`: HTTP/1.1, or with TLS HTTP/1.1 and HTTP/2, chosen by each client (ALPN).

import type { Server as Http1Server, ServerOptions } from 'node:http'
import type { ServerHttp2Session } from 'node:http2'
import type { Socket } from 'node:net'
import type { TlsOptions as NodeTlsOptions, TLSSocket } from 'node:tls'
import { clearTimeout, setTimeout } from '../../base/timing/builtins.ts'
import { http } from '../../base/http/node-http.ts'
import type { AppListener } from './app-request.ts'

/** What `node:tls` takes, above all `key` and `cert`; the protocols are chosen here. */
export type TlsOptions = Omit<NodeTlsOptions, 'ALPNProtocols' | 'ALPNCallback'>

/** A server that does not listen yet. */
export interface MadeServer {
  readonly server: Http1Server
  /** Lets requests of HTTP/2 end and takes no more of them. */
  readonly closeSessions: () => void
  /** Gives a connection of the server back to HTTP/1.1. */
  readonly goesOn: (socket: Socket) => void
}

/** What both protocols are bound by. */
interface ServerBounds extends ServerOptions {
  /** Bytes of the header fields of one request. */
  readonly maxHeaderSize: number
  /** Milliseconds until the whole request is there. */
  readonly requestTimeout: number
  /** Header fields of one request. */
  readonly maxFields: number
}

export function makeServer(bounds: ServerBounds, listener: AppListener, tls: TlsOptions | undefined): MadeServer {
  if (tls !== undefined) return makeSecureServer(bounds, listener, tls)
  const server = http.createServer(bounds, listener)
  return { server, closeSessions: () => undefined, goesOn: (socket) => void server.emit('connection', socket) }
}

/** Requests of one client at a time over HTTP/2. */
const maxConcurrentStreams = 100
/** How long a connection of HTTP/2 may be silent, in milliseconds. Requests that run still end. */
const idleSessionMs = 60_000

function makeSecureServer(bounds: ServerBounds, listener: AppListener, tls: TlsOptions): MadeServer {
  const { createServer } = process.getBuiltinModule('node:https')
  const http2 = process.getBuiltinModule('node:http2')
  const server = createServer({ ...bounds, ...tls, ALPNProtocols: ['h2', 'http/1.1'] }, listener)
  const sessions = new Set<ServerHttp2Session>()
  const second = http2.createServer({
    maxHeaderListPairs: bounds.maxFields,
    settings: { maxConcurrentStreams, maxHeaderListSize: bounds.maxHeaderSize, enablePush: false },
  })
  second.on('session', (session) => {
    sessions.add(session)
    session.once('close', () => sessions.delete(session))
    session.setTimeout(idleSessionMs, () => session.close())
  })
  second.on('request', (request, response) => {
    const { stream } = request
    if (!stream.endAfterHeaders) {
      const late = setTimeout(() => {
        if (!request.complete) stream.close(http2.constants.NGHTTP2_CANCEL)
      }, bounds.requestTimeout)
      stream.once('close', () => clearTimeout(late))
    }
    listener(request, response)
  })
  // The listener of node:https takes every connection for HTTP/1.1.
  const [first] = server.listeners('secureConnection')
  server.removeAllListeners('secureConnection')
  const goesOn = (socket: Socket): void => void first?.call(server, socket)
  server.on('secureConnection', (socket: TLSSocket) => {
    if (socket.alpnProtocol === 'h2') second.emit('connection', socket)
    else goesOn(socket)
  })
  const closeSessions = (): void => {
    for (const session of sessions) session.close()
  }
  return { server, closeSessions, goesOn }
}
