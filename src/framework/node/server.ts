// An application on `node:http`: the server with every option set, from request to answer. Closing is in drain.ts.

import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { emptyBody, type RequestBody } from '../http/body.ts'
import { nodeHttp } from '../http/node-http.ts'
import { TrustedProxies } from '../http/trusted-proxies.ts'
import { isPromise } from '../kernel/awaitable.ts'
import type { Exchange } from '../kernel/exchange.ts'
import { constantPage } from './constant-pages.ts'
import { closeServer, type CloseReport } from './drain.ts'
import { foreignAnswer, noteOwnAnswer, watchSends } from './first-send.ts'
import type { Answered, Front, Sent } from './front.ts'
import { HeadWriter } from './head-writer.ts'
import { isBehindAnother, whenItsTurnComes } from './pipelined-requests.ts'
import { HostReader, readHost } from './read-host.ts'
import { readRequest as readRaw, type ReadOptions, type ReadRequest } from './read-request.ts'
import { answerBareSockets } from './refusals.ts'
import { drainUnread, holdOpen } from './unread-body.ts'
import { discard, writeReply } from './write-reply.ts'

/** How to serve. */
export interface NodeServerOptions {
  /** Whose forwarded headers are believed. Default: nobody's. */
  readonly trustedProxies?: TrustedProxies
  /** Largest request body, in bytes. Default 1 MiB. */
  readonly maxBodyBytes?: number
  /** Connections at a time; further ones are closed at once. Default 16384. */
  readonly maxConnections?: number
  /** Host of requests of HTTP/1.0 that name none, `example.org:8000`. Default: the address listened on, else `localhost`. */
  readonly defaultHost?: string
  /** How long `close()` waits for running requests, in milliseconds; afterwards they are cut. Default 10000. */
  readonly drainMs?: number
}

/** Where a server listens. */
export interface ListenAddress {
  readonly host: string
  /** The port listened on, also where 0 was asked for. */
  readonly port: number
  /** `http://127.0.0.1:8000` */
  readonly url: string
}

/** A server for one application. It listens itself, or lends its handler to a server of somebody else's. */
export class NodeServer<Answer extends Answered = Exchange> {
  /** For `http.createServer(handler)`: reads, answers and reports requests. Never throws. */
  readonly handler: RequestListener
  /** The same for the server that listens here: nobody else has its responses. */
  readonly #ownHandler: RequestListener
  readonly #state: ServerState
  readonly #drainMs: number
  readonly #maxConnections: number
  readonly #sockets = new Set<Socket>()
  #server: Server | undefined
  #closing: Promise<CloseReport> | undefined
  readonly #hasOwnDefaultHost: boolean

  /** Throws a TypeError for a `defaultHost` that is no host. */
  constructor(front: Front<Answer>, options: NodeServerOptions = {}) {
    this.#state = {
      isClosing: false,
      read: {
        hosts: new HostReader(),
        trustedProxies: options.trustedProxies ?? new TrustedProxies(),
        maxBodyBytes: options.maxBodyBytes ?? 1024 * 1024,
        defaultHost: readDefaultHost(options.defaultHost ?? 'localhost'),
      },
    }
    this.#drainMs = options.drainMs ?? 10_000
    this.#maxConnections = options.maxConnections ?? 16_384
    this.#hasOwnDefaultHost = options.defaultHost !== undefined
    this.#ownHandler = makeRequestListener(front, this.#state, new HeadWriter(front.changingFields))
    const shared = makeRequestListener(front, this.#state)
    this.handler = front.watchesSends === true ? watching(shared) : shared
  }

  /** Listens. Rejects with the error of the socket: `EADDRINUSE`, `EACCES`, `EADDRNOTAVAIL`. A closed server does not listen again. */
  async listen({ host = '127.0.0.1', port = 8000 }: { host?: string; port?: number } = {}): Promise<ListenAddress> {
    if (this.#server !== undefined || this.#state.isClosing)
      throw new Error('This server listens already, or was closed')
    const server = nodeHttp.createServer(serverOptions, this.#ownHandler)
    this.#server = server
    server.maxConnections = this.#maxConnections
    server.maxHeadersCount = maxFields + 1
    server.on('connection', (socket) => {
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket))
    })
    answerBareSockets(server)
    const actualPort = await startListening(server, host, port)
    const name = host.includes(':') ? `[${host}]` : host
    const defaultHost = readHost(`${name}:${actualPort}`)
    if (!this.#hasOwnDefaultHost && defaultHost !== null) this.#state.read = { ...this.#state.read, defaultHost }
    return { host, port: actualPort, url: `http://${name}:${actualPort}` }
  }

  /**
   * Stops: accepts nothing more, closes idle connections, lets running requests end with `Connection: close`, and cuts the
   * rest at the deadline. Later calls wait for the first one. Never rejects.
   */
  close(): Promise<CloseReport> {
    this.#state.isClosing = true
    this.#closing ??=
      this.#server?.listening === true
        ? closeServer(this.#server, this.#sockets, this.#drainMs)
        : Promise.resolve({ forced: 0 })
    return this.#closing
  }
}

interface ServerState {
  isClosing: boolean
  read: ReadOptions
}

// Each one is said, also where it is Node's default today. A missing Host is refused by readRequest, with the same page as a
// doubled or malformed one; Node itself would send an empty one.
const serverOptions = {
  insecureHTTPParser: false,
  requireHostHeader: false,
  maxHeaderSize: 16_384,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1000,
  keepAliveTimeout: 5000,
  maxRequestsPerSocket: 1000,
  optimizeEmptyRequests: true,
  joinDuplicateHeaders: false,
  noDelay: true,
} as const

/** Header fields of one request. More are a 431: Node would leave the rest out without a word, a second Host among them. */
const maxFields = 2000

function makeRequestListener<Answer extends Answered>(
  front: Front<Answer>,
  state: Readonly<ServerState>,
  heads?: HeadWriter,
): RequestListener {
  const refused = new WeakSet<Socket>()
  let hasRefused = false
  return (request, response) => {
    if (isBehindAnother(response)) whenItsTurnComes(response, () => begin(request, response))
    else begin(request, response)
  }

  function begin(request: IncomingMessage, response: ServerResponse): void {
    // What follows a refused request on its connection may be a part of it, read one way here and another way elsewhere.
    if (hasRefused && refused.has(request.socket)) return
    const read = readRequest(request, state.read)
    if (read === null || request.rawHeaders.length > maxFields * 2) {
      hasRefused = true
      refused.add(request.socket)
      refuse(response, read === null ? 400 : 431)
      return
    }
    const { body } = read
    try {
      const answer = front.handle(read.context, body, request.socket)
      if (isPromise(answer)) {
        answer.then(
          (later) => send(response, body, later),
          () => refuse(response, 500),
        )
      } else send(response, body, answer)
    } catch {
      refuse(response, 500)
    }
  }

  function send(response: ServerResponse, body: RequestBody, answer: Answer): void {
    const { req: request } = response
    const reply = answer.reply ?? constantPage(500)
    if (response.headersSent || response.writableEnded) {
      leaveToOther(front, response, answer)
      return
    }
    if (front.watchesSends === true && heads === undefined) noteOwnAnswer(response)
    const isHead = request.method === 'HEAD'
    const unread = body === emptyBody ? null : holdOpen(request, response, state.isClosing)
    if (unread === null) {
      const report = front.hearsEnds === false ? null : (sent: Sent): void => front.terminate(answer, sent)
      writeReply(response, reply, isHead, state.isClosing, report, heads)
      return
    }
    writeReply(response, reply, isHead, false, (sent) => {
      drainUnread(request, unread)
      front.terminate(answer, sent)
    })
  }
}

function readRequest(request: IncomingMessage, options: ReadOptions): ReadRequest | null {
  const { socket } = request
  return readRaw(
    {
      method: request.method ?? '',
      target: request.url ?? '',
      httpVersion: request.httpVersion,
      rawHeaders: request.rawHeaders,
      peerAddress: socket.remoteAddress ?? '',
      isEncrypted: 'encrypted' in socket && socket.encrypted === true,
      stream: request,
    },
    options,
  )
}

function watching(handler: RequestListener): RequestListener {
  return (request, response) => {
    watchSends(response)
    return handler(request, response)
  }
}

/** The answer stays where it is: somebody else's has left, or is on its way. */
function leaveToOther<Answer extends Answered>(front: Front<Answer>, response: ServerResponse, answer: Answer): void {
  const sent = foreignAnswer(response)
  if (sent !== null) front.answeredElsewhere?.(answer, sent)
  discard(answer.reply?.body ?? null)
  front.terminate(answer, { bytes: 0, aborted: true })
}

/** Constant bytes, and the end of the connection. */
function refuse(response: ServerResponse, status: number): void {
  if (response.headersSent || response.writableEnded) return
  writeReply(response, constantPage(status), response.req.method === 'HEAD', true, null)
}

function readDefaultHost(text: string): { host: string; port: number | null } {
  const host = readHost(text)
  if (host === null)
    throw new TypeError(`defaultHost "${text}" is no host; allowed is such as example.org or example.org:8000`)
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
