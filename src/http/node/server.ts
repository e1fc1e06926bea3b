// An application on Node's servers: one with every option set, which listens, responds to what never becomes a request, and closes gracefully.

import type { IncomingMessage, Server, ServerResponse, Server as Http1Server, ServerOptions } from 'node:http'
import type { Server as SecureServer } from 'node:https'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { nextTick, OwnSet, clearTimeout, setTimeout } from '../../base/timing/builtins.ts'
import type { HttpRequest } from '../../base/http/request.ts'
import { TrustedProxies } from '../../base/http/trusted-proxies.ts'
import { isPromise, type Awaitable, membersOf } from '../../base/members.ts'
import type { Exchange } from '../kernel/exchange.ts'
import { rawRequest, type AppListener, readHost, readRequest, readTarget, rememberHost } from './app-request.ts'
import {
  asksForWebSocket,
  Handshake,
  makeListeners,
  maxFields,
  type Listeners,
  type ServerState,
  RunningRequests,
} from './request-listener.ts'
import type { HandledRequest, Refusal, RequestHandler } from './request-handler.ts'
import { markOwn } from './own-mark.ts'
import { constantBytes, constantPage, writeReply } from './write-reply.ts'
import type { RefusedBytes } from './refusal-page.ts'
import type { ServerHttp2Session } from 'node:http2'
import type { TlsOptions as NodeTlsOptions, TLSSocket } from 'node:tls'
import { http } from '../../base/http/node-http.ts'

export interface NodeServerOptions {
  /** Proxies whose forwarded headers are trusted. Default: none. */
  readonly trustedProxies?: TrustedProxies
  /** Largest request body, in bytes. Default: 1 MiB. */
  readonly maxBodyBytes?: number
  /** Largest request line and header fields together, in bytes. Default: 16,384. */
  readonly maxHeaderBytes?: number
  /** Whether a refused request is told which limit or rule it broke: in debug. Default: false. */
  readonly explainsRefusals?: boolean
  /** A client that takes nothing of a response that waits for it is dropped after this time, in milliseconds. Default: 30000. */
  readonly writeTimeoutMs?: number
  /** How long `close()` waits for running requests before it cuts them, in milliseconds. Default: 10000. */
  readonly drainMs?: number
}

/** Open connections; further ones are closed at once. */
const maxConnections = 16_384
/** Requests of one connection; the response to the last one closes it. */
const maxRequestsPerSocket = 1000
/** Of one connection. Node counts its requests from the beginning with each that gives it back. */
const maxHandshakes = 100

/** A server whose requests another framework handles. */
export type GuardedServer = Server | SecureServer

/** Decides which requests of another server are turned away. */
export interface ServerGuard {
  /** Whether none is; asked for each request. */
  readonly isOpen: boolean
  /** Never rejects. */
  turnsAway(request: HttpRequest): Awaitable<boolean>
}

/** Where a server listens. */
export interface ListenAddress {
  /** The address it listens on: `127.0.0.1`, `0.0.0.0` for all. */
  readonly host: string
  /** The actual port, also if 0 was asked for. */
  readonly port: number
  /** `http://127.0.0.1:8000`; with TLS `https://…`. */
  readonly url: string
}

interface ListenOptions {
  /** Default `127.0.0.1`. */
  readonly host?: string
  /** Default 8000; 0 takes any free one. */
  readonly port?: number
  /** Default: plain HTTP/1.1. */
  readonly tls?: TlsOptions | undefined
}

/** How a server was closed. */
interface CloseReport {
  /** Connections that were still open at the deadline and were cut. */
  readonly forced: number
}

/** A server for one application. It listens itself, or lends its handler to another server. */
export class NodeServer<Handled extends HandledRequest = Exchange> {
  /** For `http.createServer(handler)`, and for servers of HTTP/2. Never throws. */
  readonly handler: AppListener
  readonly #state: ServerState
  readonly #drainMs: number
  readonly #sockets = new OwnSet<Socket>()
  readonly #handshakes = new WeakMap<Duplex, number>()
  readonly #listeners: Listeners
  readonly #maxHeaderSize: number
  readonly #refused: (refusal: Refusal) => void
  #made: MadeServer | undefined
  #closing: Promise<CloseReport> | undefined

  constructor(handler: RequestHandler<Handled>, options: NodeServerOptions = {}) {
    this.#state = {
      isClosing: false,
      writeTimeoutMs: options.writeTimeoutMs ?? 30_000,
      running: new RunningRequests(),
      explainsRefusals: options.explainsRefusals ?? false,
      read: {
        trustedProxies: options.trustedProxies ?? new TrustedProxies(),
        maxBodyBytes: options.maxBodyBytes ?? 1024 * 1024,
        defaultHost: { host: 'localhost', port: null },
        readHost: rememberHost(),
      },
    }
    this.#drainMs = options.drainMs ?? 10_000
    this.handler = makeListeners(handler, this.#state, true).request
    this.#maxHeaderSize = options.maxHeaderBytes ?? 16_384
    this.#refused = (refusal) => handler.refused?.(refusal)
    this.#listeners = makeListeners(handler, this.#state, false)
  }

  /**
   * Listens, with TLS over HTTP/1.1 and HTTP/2. Rejects with the error of the socket: `EADDRINUSE`, `EACCES`, `EADDRNOTAVAIL`, and with
   * that of a key or certificate that cannot be used. A closed server cannot listen again.
   */
  async listen({ host = '127.0.0.1', port = 8000, tls }: ListenOptions = {}): Promise<ListenAddress> {
    if (this.#made !== undefined || this.#state.isClosing)
      throw new Error('This server is listening already, or was closed')
    this.#made = this.#make(tls)
    const actualPort = await startListening(this.#made.server, host, port)
    const name = host.includes(':') ? `[${host}]` : host
    const defaultHost = readHost(`${name}:${actualPort}`)
    if (defaultHost !== null) this.#state.read = { ...this.#state.read, defaultHost }
    return { host, port: actualPort, url: `${tls === undefined ? 'http' : 'https'}://${name}:${actualPort}` }
  }

  #make(tls: TlsOptions | undefined): MadeServer {
    const maxHeaderSize = this.#maxHeaderSize
    const bounds = { ...serverOptions, maxHeaderSize, maxFields, shouldUpgradeCallback: asksForWebSocket }
    const made = makeServer(bounds, this.#listeners.request, tls)
    const { server, goesOn } = made
    markOwn(server)
    server.on('upgrade', (request, socket, head) => this.#shakeHands(request, socket, head, goesOn))
    server.maxConnections = maxConnections
    server.maxHeadersCount = maxFields + 1
    // Not an option of createServer().
    server.maxRequestsPerSocket = maxRequestsPerSocket
    server.on('connection', (socket) => {
      // A refused handshake gives its connection back.
      if (this.#sockets.has(socket)) return
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket))
    })
    const hasBegunResponse = (socket: Duplex): boolean => {
      // A response that has left no longer has its socket; what comes then may be the rest of the body.
      const response = this.#state.running.responseOn(socket)
      return response !== null && response.headersSent && (response.socket === socket || !response.req.complete)
    }
    // A blocked event loop reads what came in time after the timers: an idle connection with a request is none.
    server.on('timeout', (socket) => {
      const { bytesRead } = socket
      setImmediate(() => {
        const isIdle = this.#state.running.responseOn(socket)?.socket !== socket
        if (isIdle && socket.bytesRead === bytesRead) socket.destroy()
      })
    })
    const { isRefused } = this.#listeners
    const explain = this.#state.explainsRefusals ? { maxHeaderBytes: maxHeaderSize } : null
    refuseBareSockets(server, hasBegunResponse, isRefused, explain, this.#refused)
    return made
  }

  #shakeHands(request: IncomingMessage, socket: Duplex, head: Buffer, goesOn: (socket: Socket) => void): void {
    const count = (this.#handshakes.get(socket) ?? 0) + 1
    this.#handshakes.set(socket, count)
    try {
      // Servers of node:http and node:https have no other connections.
      const next = count < maxHandshakes ? goesOn : null
      this.#listeners.handshake(new Handshake(request, socket as Socket, head, next))
    } catch {
      socket.destroy()
    }
  }

  /**
   * Takes over those requests, tunnels and WebSocket handshakes of another server that the guard turns away; the others go to the listeners
   * that it has by now.
   */
  guard(server: GuardedServer, guard: ServerGuard): void {
    // One is how node:http2 itself makes requests of streams.
    if (server.listenerCount('stream') > Math.min(1, server.listenerCount('request')))
      throw new TypeError('app.guardServer() turns requests away, and this server of HTTP/2 listens to streams')
    const decide = (request: IncomingMessage, turnAway: () => void, letThrough: () => void): void => {
      if (guard.isOpen) return letThrough()
      const asked = readRequest(rawRequest(request, false), this.#state.read)
      const verdict = asked === null || guard.turnsAway(asked)
      if (!isPromise(verdict)) return verdict ? turnAway() : letThrough()
      // What the other framework throws must not become a rejection.
      void verdict.then((isAway) => nextTick(isAway ? turnAway : letThrough))
    }
    for (const event of requestEvents) {
      // What nobody listens to is an ordinary request for Node, or responded to by it.
      if (event !== 'request' && server.listenerCount(event) === 0) continue
      const onRequest = takeListeners(server, event)
      server.on(event, (request: IncomingMessage, response: ServerResponse) => {
        const letThrough = (): void => {
          this.#state.running.begin(request.socket, response)
          onRequest(request, response)
        }
        decide(request, () => this.handler(request, response), letThrough)
      })
    }
    for (const event of socketEvents) {
      if (server.listenerCount(event) === 0) continue
      const onSocket = takeListeners(server, event)
      server.on(event, (request: IncomingMessage, socket: Duplex, head: Buffer) => {
        const drop = (): void => void socket.destroy()
        // Until somebody has the socket.
        socket.on('error', drop)
        const handOver = (take: () => void) => (): void => {
          socket.off('error', drop)
          take()
        }
        const turnAway = (): void => this.#shakeHands(request, socket, head, (refused) => refused.destroySoon())
        decide(
          request,
          handOver(turnAway),
          handOver(() => onSocket(request, socket, head)),
        )
      })
    }
  }

  /** Counts, each time it is called, those of the requests that run now which have not ended by then. */
  watchRunning(): () => number {
    return this.#state.running.watch()
  }

  /** Serves on for a time, so that each connection is closed by its next response. Call `close()` then. */
  async linger(ms: number): Promise<void> {
    this.#state.isClosing = true
    if (!this.#made?.server.listening) return
    this.#made.closeSessions()
    await delay(ms)
  }

  /**
   * Stops accepting, closes idle connections, lets running requests end with `Connection: close`, and cuts the rest at the deadline.
   * Later calls wait for the first. Never rejects.
   */
  close(): Promise<CloseReport> {
    this.#state.isClosing = true
    this.#closing ??= this.#made?.server.listening
      ? closeServer(this.#made, this.#sockets, this.#drainMs)
      : Promise.resolve({ forced: 0 })
    return this.#closing
  }
}

/** The events by which Node hands over a request with its response, and one with its bare connection. */
const requestEvents = ['request', 'checkContinue', 'checkExpectation'] as const
const socketEvents = ['upgrade', 'connect'] as const

/** Removes the listeners of an event, and gives what calls them. */
function takeListeners(server: GuardedServer, event: string): (...args: readonly unknown[]) => void {
  const listeners = server.listeners(event)
  server.removeAllListeners(event)
  return (...args) => {
    for (const listener of listeners) Reflect.apply(listener, server, args)
  }
}

function startListening(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port }, () => {
      server.off('error', reject)
      resolve(Number(membersOf(server.address())['port']))
    })
  })
}

const idleCheckMs = 50

/** Settles when the last connection is gone. Never rejects. */
function closeServer(
  { server, closeSessions }: MadeServer,
  sockets: ReadonlySet<Socket>,
  deadlineMs: number,
): Promise<CloseReport> {
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
      // Node tells what reads a connection of its end in the next turn.
      setImmediate(() => setImmediate(() => resolve({ forced })))
    })
    server.closeIdleConnections()
    closeSessions()
    // Node does not count a connection as idle before its first byte.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
  })
}

// Set explicitly, even if it is Node's default today. A missing Host is refused by readRequest with the usual page.
const serverOptions = {
  insecureHTTPParser: false,
  requireHostHeader: false,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1000,
  keepAliveTimeout: 5000,
  optimizeEmptyRequests: true,
  joinDuplicateHeaders: false,
  noDelay: true,
} as const

/**
 * Responds to what never becomes a request (bytes that are not HTTP, timeouts, CONNECT, expectations) and closes the connection. `hasBegunResponse` tells whether bytes of a response
 * have left on a socket, `isRefused` whether a request on it is being refused; `explain` is null if nothing is explained; `refused` hears of each. Other upgrades than WebSockets are ordinary requests.
 */
function refuseBareSockets(
  server: Server,
  hasBegunResponse: (socket: Duplex) => boolean,
  isRefused: (socket: Duplex) => boolean,
  explain: { readonly maxHeaderBytes: number } | null,
  refused: (refusal: Refusal) => void,
): void {
  server.on('clientError', (error: ParserError, socket) => {
    const { code = '', reason = '', rawPacket: bytes = noBytes } = error
    // What follows a refused request on its connection gets no response of its own: the one of the refusal closes it.
    if (isRefused(socket) && !hasBegunResponse(socket)) return
    // In the middle of a response the client would take a refusal for a part of it.
    if (code === 'ECONNRESET' || !socket.writable || hasBegunResponse(socket)) {
      socket.destroy()
      return
    }
    const status = statusByCode.get(code) ?? 400
    refused({ method: null, path: null, status, client: addressOf(socket) })
    if (explain === null) endWith(socket, constantBytes(status))
    else void endExplained(socket, status, { code, reason, bytes }, explain.maxHeaderBytes)
  })
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    socket.on('error', () => socket.destroy())
    refused({ method: 'CONNECT', path: null, status: 405, client: addressOf(socket) })
    endWith(socket, connectBytes)
  })
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const { method = null, url = '', socket } = request
    refused({ method, path: readTarget(url)?.path ?? null, status: 417, client: addressOf(socket) })
    writeReply(response, constantPage(417), method === 'HEAD', true, null)
  })
}

function addressOf(socket: Duplex): string {
  const { remoteAddress } = membersOf(socket)
  return typeof remoteAddress === 'string' ? remoteAddress : ''
}

interface ParserError extends Error {
  readonly code?: string
  readonly reason?: string
  readonly rawPacket?: Uint8Array
}

const noBytes = new Uint8Array(0)
const connectBytes = constantBytes(405, ['allow', 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'])

/** By code of the parser's error; all others are a 400. */
const statusByCode: ReadonlyMap<string, number> = new Map([
  ['ERR_HTTP_REQUEST_TIMEOUT', 408],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', 413],
  ['HPE_HEADER_OVERFLOW', 431],
])

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

/** What `node:tls` takes, above all `key` and `cert`; the protocols are chosen here. */
export type TlsOptions = Omit<NodeTlsOptions, 'ALPNProtocols' | 'ALPNCallback'>

/** A server that does not listen yet. */
interface MadeServer {
  readonly server: Http1Server
  /** Lets requests of HTTP/2 end and takes no more of them. */
  readonly closeSessions: () => void
  /** Gives a connection of the server back to HTTP/1.1. */
  readonly goesOn: (socket: Socket) => void
}

interface ServerBounds extends ServerOptions {
  /** Bytes of the header fields of one request. */
  readonly maxHeaderSize: number
  /** Milliseconds until the whole request is there. */
  readonly requestTimeout: number
  /** Header fields of one request. */
  readonly maxFields: number
}

function makeServer(bounds: ServerBounds, listener: AppListener, tls: TlsOptions | undefined): MadeServer {
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
