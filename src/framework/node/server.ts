// An application on `node:http`: a server with every option set, which listens and closes gracefully.

import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { http } from '../http/node-http.ts'
import { TrustedProxies } from '../http/trusted-proxies.ts'
import type { Exchange } from '../kernel/exchange.ts'
import { constantBytes, constantPage } from './constant-pages.ts'
import { asksForWebSocket, Handshake } from './handshake.ts'
import type { HandledRequest, RequestHandler } from './request-handler.ts'
import { readHost, type HostAndPort } from './read-request.ts'
import type { RefusedBytes } from './refusal-page.ts'
import { markOwn } from './own-mark.ts'
import { makeListeners, maxFields, type ServerState } from './request-listener.ts'
import { writeReply } from './write-reply.ts'

export interface NodeServerOptions {
  /** Proxies whose forwarded headers are trusted. Default: none. */
  readonly trustedProxies?: TrustedProxies
  /** Largest request body, in bytes. Default: 1 MiB. */
  readonly maxBodyBytes?: number
  /** Largest request line and header fields together, in bytes. Default: 16,384. */
  readonly maxHeaderBytes?: number
  /** Whether a refused request is told which limit or rule it broke: in debug. Default: false. */
  readonly explainsRefusals?: boolean
  /** Open connections; further ones are closed at once. Default: 16384. */
  readonly maxConnections?: number
  /** Host for HTTP/1.0 requests that name none, `example.org:8000`. Default: the address listened on, else `localhost`. */
  readonly defaultHost?: string
  /** A client that takes nothing of a response that waits for it is dropped after this time, in milliseconds. Default: 30000. */
  readonly writeTimeoutMs?: number
  /** How long `close()` waits for running requests before it cuts them, in milliseconds. Default: 10000. */
  readonly drainMs?: number
}

/** Where a server listens. */
export interface ListenAddress {
  /** The address it listens on: `127.0.0.1`, `0.0.0.0` for all. */
  readonly host: string
  /** The actual port, also if 0 was asked for. */
  readonly port: number
  /** `http://127.0.0.1:8000` */
  readonly url: string
}

/** How a server was closed. */
export interface CloseReport {
  /** Connections that were still open at the deadline and were cut. */
  readonly forced: number
}

/** A server for one application. It listens itself, or lends its handler to another server. */
export class NodeServer<Handled extends HandledRequest = Exchange> {
  /** For `http.createServer(handler)`. Never throws. */
  readonly handler: RequestListener
  readonly #server: Server
  readonly #state: ServerState
  readonly #drainMs: number
  readonly #hasOwnDefaultHost: boolean
  readonly #sockets = new Set<Socket>()
  #hasListened = false
  #closing: Promise<CloseReport> | undefined

  /** Throws a TypeError for a `defaultHost` that is not a host. */
  constructor(handler: RequestHandler<Handled>, options: NodeServerOptions = {}) {
    this.#state = {
      isClosing: false,
      writeTimeoutMs: options.writeTimeoutMs ?? 30_000,
      responses: new WeakMap<Duplex, ServerResponse>(),
      explainsRefusals: options.explainsRefusals ?? false,
      read: {
        trustedProxies: options.trustedProxies ?? new TrustedProxies(),
        maxBodyBytes: options.maxBodyBytes ?? 1024 * 1024,
        defaultHost: readDefaultHost(options.defaultHost ?? 'localhost'),
      },
    }
    this.#drainMs = options.drainMs ?? 10_000
    this.#hasOwnDefaultHost = options.defaultHost !== undefined
    this.handler = makeListeners(handler, this.#state, true).request
    const maxHeaderSize = options.maxHeaderBytes ?? 16_384
    const listeners = makeListeners(handler, this.#state, false)
    this.#server = http.createServer(
      { ...serverOptions, maxHeaderSize, shouldUpgradeCallback: asksForWebSocket },
      listeners.request,
    )
    markOwn(this.#server)
    this.#server.on('upgrade', (request, socket: Duplex, head) => {
      try {
        const goesOn = (free: Socket): void => void this.#server.emit('connection', free)
        // A server of node:http has no other connections.
        listeners.handshake(new Handshake(request, socket as Socket, head, goesOn))
      } catch {
        socket.destroy()
      }
    })
    this.#server.maxConnections = options.maxConnections ?? 16_384
    this.#server.maxHeadersCount = maxFields + 1
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket))
    })
    const hasBegunResponse = (socket: Duplex): boolean => {
      // A response that has left no longer has its socket.
      const response = this.#state.responses.get(socket)
      return response?.socket === socket && response.headersSent
    }
    const explain = options.explainsRefusals === true ? { maxHeaderBytes: maxHeaderSize } : null
    refuseBareSockets(this.#server, hasBegunResponse, explain)
  }

  /** Listens. Rejects with the error of the socket: `EADDRINUSE`, `EACCES`, `EADDRNOTAVAIL`. A closed server cannot listen again. */
  async listen({ host = '127.0.0.1', port = 8000 }: { host?: string; port?: number } = {}): Promise<ListenAddress> {
    if (this.#hasListened || this.#state.isClosing) throw new Error('This server is listening already, or was closed')
    this.#hasListened = true
    const actualPort = await startListening(this.#server, host, port)
    const name = host.includes(':') ? `[${host}]` : host
    const defaultHost = readHost(`${name}:${actualPort}`)
    if (!this.#hasOwnDefaultHost && defaultHost !== null) this.#state.read = { ...this.#state.read, defaultHost }
    return { host, port: actualPort, url: `http://${name}:${actualPort}` }
  }

  /**
   * Stops accepting, closes idle connections, lets running requests end with `Connection: close`, and cuts the rest at the deadline.
   * Later calls wait for the first. Never rejects.
   */
  close(): Promise<CloseReport> {
    this.#state.isClosing = true
    this.#closing ??= this.#server.listening
      ? closeServer(this.#server, this.#sockets, this.#drainMs)
      : Promise.resolve({ forced: 0 })
    return this.#closing
  }
}

// Set explicitly, also where it is Node's default today. A missing Host is refused by readRequest with the usual page.
const serverOptions = {
  insecureHTTPParser: false,
  requireHostHeader: false,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1000,
  keepAliveTimeout: 5000,
  maxRequestsPerSocket: 1000,
  optimizeEmptyRequests: true,
  joinDuplicateHeaders: false,
  noDelay: true,
} as const

function readDefaultHost(text: string): HostAndPort {
  const host = readHost(text)
  if (host === null) throw new TypeError(`defaultHost "${text}" is not a host; use example.org or example.org:8000`)
  return host
}

function startListening(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port }, () => {
      server.off('error', reject)
      resolve((server.address() as AddressInfo).port)
    })
  })
}

const idleCheckMs = 50

/** Settles when the last connection is gone. Never rejects. */
function closeServer(server: Server, sockets: ReadonlySet<Socket>, deadlineMs: number): Promise<CloseReport> {
  return new Promise((resolve) => {
    let forced = 0
    // A response that began before the close promised to keep its connection, which becomes idle later.
    const idle = setInterval(() => server.closeIdleConnections(), idleCheckMs)
    const deadline = setTimeout(() => {
      forced = sockets.size
      server.closeAllConnections()
      for (const socket of sockets) socket.destroy()
    }, deadlineMs)
    server.close(() => {
      clearInterval(idle)
      clearTimeout(deadline)
      resolve({ forced })
    })
    server.closeIdleConnections()
    // Node does not count a connection as idle before its first byte.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
  })
}

/**
 * Responds to what never becomes a request (bytes that are not HTTP, timeouts, CONNECT, expectations) and closes the connection. `hasBegunResponse` tells whether bytes of a response
 * have left on a socket; `explain` is null where nothing is explained. Other upgrades than WebSockets are ordinary requests.
 */
function refuseBareSockets(
  server: Server,
  hasBegunResponse: (socket: Duplex) => boolean,
  explain: { readonly maxHeaderBytes: number } | null,
): void {
  server.on('clientError', (error: ParserError, socket) => {
    const { code = '', reason = '', rawPacket: bytes = noBytes } = error
    // In the middle of a response the client would take a refusal for a part of it.
    if (code === 'ECONNRESET' || !socket.writable || hasBegunResponse(socket)) socket.destroy()
    else if (explain === null) endWith(socket, bytesByCode.get(code) ?? badRequestBytes)
    else void endExplained(socket, statusByCode.get(code) ?? 400, { code, reason, bytes }, explain.maxHeaderBytes)
  })
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    socket.on('error', () => socket.destroy())
    endWith(socket, connectBytes)
  })
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    writeReply(response, constantPage(417), request.method === 'HEAD', true, null)
  })
}

interface ParserError extends Error {
  readonly code?: string
  readonly reason?: string
  readonly rawPacket?: Uint8Array
}

const noBytes = new Uint8Array(0)
const badRequestBytes = constantBytes(400)
const connectBytes = constantBytes(405, ['allow', 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'])

/** By code of the parser's error; all others are a 400. */
const statusByCode: ReadonlyMap<string, number> = new Map([
  ['ERR_HTTP_REQUEST_TIMEOUT', 408],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', 413],
  ['HPE_HEADER_OVERFLOW', 431],
])

const bytesByCode: ReadonlyMap<string, string> = new Map(
  [...statusByCode].map(([code, status]) => [code, constantBytes(status)]),
)

/** Loads what explains with the first refusal: no start waits for it. */
async function endExplained(
  socket: Duplex,
  status: number,
  refused: RefusedBytes,
  maxHeaderBytes: number,
): Promise<void> {
  let bytes = constantBytes(status)
  try {
    const { refusalBytes } = await import('./refusal-page.ts')
    bytes = refusalBytes(status, refused, { ...serverOptions, maxHeaderBytes })
  } catch {
    // The constant page says enough.
  }
  if (socket.writable) endWith(socket, bytes)
  else socket.destroy()
}

// A client that never closes its half would keep the socket after `end()` alone.
function endWith(socket: Duplex, bytes: string): void {
  socket.end(bytes, () => socket.destroy())
}
