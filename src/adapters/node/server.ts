// An application on `node:http`: the server with every option set, from request to answer. Closing is in drain.ts.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { TrustedProxies } from '../../http/trusted-proxies.ts'
import { isPromise } from '../../kernel/awaitable.ts'
import type { Exchange } from '../../kernel/exchange.ts'
import { constantPage } from './constant-pages.ts'
import { closeServer, type CloseReport } from './drain.ts'
import type { Answered, Front } from './front.ts'
import { readHost } from './read-host.ts'
import { readRequest, type ReadOptions } from './read-request.ts'
import { answerBareSockets } from './refusals.ts'
import { drainUnread } from './unread-body.ts'
import { writeReply } from './write-reply.ts'

/** Where and how to serve. */
export interface ServeOptions {
  /** Address to listen on. Default `127.0.0.1`. */
  readonly host?: string
  /** Port to listen on; 0 takes any free one. Default 8000. */
  readonly port?: number
  /** Whose forwarded headers are believed. Default: nobody's. */
  readonly trustedProxies?: TrustedProxies
  /** Largest request body, in bytes. Default 1 MiB. */
  readonly maxBodyBytes?: number
  /** Connections at a time; further ones are closed at once. Default 16384. */
  readonly maxConnections?: number
  /** Host of requests of HTTP/1.0 that name none, `example.org:8000`. Default: the address listened on. */
  readonly defaultHost?: string
}

/** A server that listens. */
export interface RunningServer {
  readonly server: Server
  readonly host: string
  /** The port listened on, also where 0 was asked for. */
  readonly port: number
  /** `http://127.0.0.1:8000` */
  readonly url: string
  /**
   * Stops: accepts nothing more, closes idle connections, lets running requests end, and after `deadlineMs` (default 10000)
   * closes the rest by force. Later calls wait for the first one.
   */
  close(options?: { readonly deadlineMs?: number }): Promise<CloseReport>
}

/** Serves an application. Rejects with a ListenError when the address cannot be listened on. */
export async function serve<Answer extends Answered = Exchange>(
  front: Front<Answer>,
  options: ServeOptions = {},
): Promise<RunningServer> {
  const { host = '127.0.0.1', port = 8000 } = options
  const server = createServer(serverOptions)
  server.maxConnections = options.maxConnections ?? 16_384
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  answerBareSockets(server)
  await listen(server, host, port)
  const actualPort = (server.address() as AddressInfo).port
  const authority = `${host.includes(':') ? `[${host}]` : host}:${actualPort}`
  const state = { isClosing: false }
  const readOptions: ReadOptions = {
    trustedProxies: options.trustedProxies ?? new TrustedProxies(),
    maxBodyBytes: options.maxBodyBytes ?? 1024 * 1024,
    defaultHost: readDefaultHost(options.defaultHost ?? authority),
  }
  server.on('request', makeRequestListener(front, readOptions, state))
  let closing: Promise<CloseReport> | undefined
  return {
    server,
    host,
    port: actualPort,
    url: `http://${authority}`,
    close({ deadlineMs = 10_000 } = {}) {
      state.isClosing = true
      closing ??= closeServer(server, sockets, deadlineMs)
      return closing
    },
  }
}

/** The address cannot be listened on: in use, not permitted, not of this machine. */
export class ListenError extends Error {
  static {
    Object.defineProperty(this.prototype, 'name', { value: 'ListenError', configurable: true, writable: true })
  }
  /** Stable code to tell errors apart by. */
  get code(): 'ERR_LISTEN' {
    return 'ERR_LISTEN'
  }
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

function makeRequestListener<Answer extends Answered>(
  front: Front<Answer>,
  options: ReadOptions,
  state: { readonly isClosing: boolean },
): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    const { socket } = request
    const method = request.method ?? ''
    const read = readRequest(
      {
        method,
        target: request.url ?? '',
        httpVersion: request.httpVersion,
        rawHeaders: request.rawHeaders,
        peerAddress: socket.remoteAddress ?? '',
        isEncrypted: 'encrypted' in socket && socket.encrypted === true,
        stream: request,
      },
      options,
    )
    const isHead = method === 'HEAD'
    if (read === null) {
      writeReply(response, constantPage(400), { isHead, isLast: true }, () => drainUnread(request))
      return
    }
    const send = (answer: Answer): void => {
      const reply = answer.reply ?? constantPage(500)
      writeReply(response, reply, { isHead, isLast: state.isClosing }, (sent) => {
        if (!request.complete) drainUnread(request)
        front.terminate(answer, sent)
      })
    }
    const fail = (): void => {
      writeReply(response, constantPage(500), { isHead, isLast: true }, () => drainUnread(request))
    }
    try {
      const answer = front.handle(read.context, read.body)
      if (isPromise(answer)) answer.then(send, fail)
      else send(answer)
    } catch {
      fail()
    }
  }
}

function readDefaultHost(text: string): { host: string; port: number | null } {
  const host = readHost(text)
  if (host === null)
    throw new TypeError(`defaultHost "${text}" is no host; allowed is such as example.org or example.org:8000`)
  return host
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', fail)
    server.listen({ host, port }, () => {
      server.off('error', fail)
      resolve()
    })
    function fail(cause: Error): void {
      reject(new ListenError(`Cannot listen on ${host} port ${port}: ${explain(cause)}`, { cause }))
    }
  })
}

function explain(error: Error): string {
  switch ('code' in error ? error.code : undefined) {
    case 'EADDRINUSE':
      return 'the port is in use by another process'
    case 'EACCES':
      return 'it is not permitted (ports below 1024 need more rights)'
    case 'EADDRNOTAVAIL':
      return 'the address is not one of this machine'
    case 'ENOTFOUND':
      return 'the host name does not resolve'
    default:
      return error.message
  }
}
