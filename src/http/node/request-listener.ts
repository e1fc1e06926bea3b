// The listener of a Node server: reads each request, hands it to the application, sends what comes back.

import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  clearInterval,
  nextTick,
  setImmediate,
  setInterval,
  withBuiltins,
  OwnMap,
  OwnSet,
} from '../../base/timing/builtins.ts'
import type { Duplex } from 'node:stream'
import { emptyBody, type RequestBody } from '../../base/http/body.ts'
import { discard, isStream, type Reply, Upgrade } from '../../base/http/reply.ts'
import { isPromise } from '../../base/members.ts'
import { constantBytes, constantPage, writeReply } from './write-reply.ts'
import { foreignResponse, noteOwnResponse, watchSends } from './request-handler.ts'
import type { HandledRequest, Refusal, RequestHandler, Sent } from './request-handler.ts'
import { markOwn } from './own-mark.ts'
import {
  clientOf,
  outletOf,
  rawRequest,
  type AppListener,
  isGone,
  readRequest,
  readTarget,
  type ReadOptions,
} from './app-request.ts'
import type { Socket } from 'node:net'
import { listedFields } from '../../base/http/header-fields.ts'
import { http } from '../../base/http/node-http.ts'
import type { ClientConnection } from '../kernel/exchange.ts'

/** What a listener needs to know of its server; the server changes it. */
export interface ServerState {
  isClosing: boolean
  readonly writeTimeoutMs: number
  /** Whether a refused request is told why. */
  readonly explainsRefusals: boolean
  read: ReadOptions
  readonly running: RunningRequests
}

/** Header fields of one request; more get a 431. Node would drop the rest silently, perhaps a second Host. */
export const maxFields = 2000

/** How much of an unread body is dropped, and how often that is checked, for a connection that goes on. */
const patience = { bytes: 1024 * 1024, checks: 40 }
/** The same until the server closes the connection: a reset could take the response from a client that still writes. */
const lastPatience = { bytes: 64 * 1024 * 1024, checks: 240 }
/** Checks, not the time, are counted: a process that was held up has not read what came meanwhile. */
const checkEveryMs = 50

export interface Listeners {
  readonly request: AppListener
  readonly handshake: (handshake: Handshake) => void
  /** Whether a request on the connection was refused, so that nothing more is read from it. */
  readonly isRefused: (socket: Duplex) => boolean
}

/** Makes the listeners. `isShared`: other code may use the same responses. */
export function makeListeners<Handled extends HandledRequest>(
  handler: RequestHandler<Handled>,
  state: Readonly<ServerState>,
  isShared: boolean,
): Listeners {
  const refused = new WeakSet<Duplex>()
  const watches = isShared && handler.watchesSends === true
  const served: typeof begin = handler.watchesSends === true ? (...given) => withBuiltins(() => begin(...given)) : begin
  const listener: AppListener = (given, answer) => {
    // Those of HTTP/2 have the same members, but for what app-request.ts knows.
    const request = given as IncomingMessage
    const response = answer as ServerResponse
    if (isShared) markOwn(request)
    if (watches) watchSends(response)
    if (response.socket !== null) void served(request, response)
    else whenItsTurnComes(response, () => void served(request, response))
  }
  markOwn(listener)
  return {
    request: listener,
    handshake: (handshake) => void served(handshake.response.req, handshake.response, handshake),
    isRefused: (socket) => refused.has(socket),
  }

  function begin(request: IncomingMessage, response: ServerResponse, handshake?: Handshake): Promise<void> | undefined {
    const { socket } = request
    // Over HTTP/1 what follows a refused request on its connection may be a part of it.
    const isSecond = request.httpVersionMajor === 2
    if (refused.has(socket) && !isSecond) return undefined
    state.running.begin(isSecond ? (outletOf(response) ?? socket) : socket, response)
    const read = readRequest(rawRequest(request, handshake === undefined), state.read)
    if (read === null || request.rawHeaders.length > maxFields * 2) {
      refused.add(socket)
      const status = read === null ? 400 : 431
      handler.refused?.(refusalOf(request, status))
      if (state.explainsRefusals) void explain(response, status)
      else refuse(response, status)
      return undefined
    }
    const { body } = read
    try {
      const handled = handler.handle(read, handshake ?? clientOf(response))
      // The rest of a body mostly comes with the head.
      if (isPromise(handled) || body !== emptyBody) {
        state.running.handled.add(response)
        return Promise.resolve(handled).then(
          (later) => {
            state.running.handled.delete(response)
            send(response, body, later, handshake)
          },
          () => {
            state.running.handled.delete(response)
            refuse(response, 500)
          },
        )
      }
      send(response, body, handled, handshake)
    } catch {
      refuse(response, 500)
    }
    return undefined
  }

  function send(response: ServerResponse, body: RequestBody, handled: Handled, handshake?: Handshake): void {
    const { req: request } = response
    const reply = handled.reply ?? constantPage(500)
    if (response.headersSent || response.writableEnded) {
      leaveToOther(handler, response, handled)
      return
    }
    if (reply.body instanceof Upgrade && handshake !== undefined) {
      state.running.forget(request.socket)
      takeOver(handler, handled, handshake, reply, reply.body)
      return
    }
    if (watches) noteOwnResponse(response)
    const isHead = request.method === 'HEAD'
    const unread = body === emptyBody || request.httpVersionMajor === 2 ? null : holdOpen(response, state.isClosing)
    if (unread === null) {
      const report =
        handler.hearsEnds === false && !isStream(reply.body)
          ? null
          : (sent: Sent): void => handler.terminate(handled, sent)
      writeReply(response, reply, isHead, state.isClosing, report)
    } else {
      writeReply(response, reply, isHead, false, (sent) => {
        drainUnread(request, unread, () => refused.add(request.socket))
        handler.terminate(handled, sent)
      })
    }
    dropStalled(response, reply, state.writeTimeoutMs)
    // The rest of a body that nobody read still comes.
    if (unread === null || request.complete) state.running.written(response)
  }
}

function refusalOf({ method, url = '', socket }: IncomingMessage, status: number): Refusal {
  return { method: method ?? null, path: readTarget(url)?.path ?? null, status, client: socket.remoteAddress ?? '' }
}

/** Bytes that a client does not take stay in memory. Node restarts the time with each byte that leaves. */
function dropStalled(response: ServerResponse, { body }: Reply, timeoutMs: number): void {
  const outlet = outletOf(response)
  if (outlet === null || (outlet.writableLength === 0 && !isStream(body))) return
  response.setTimeout(timeoutMs, () => {
    // A stream that has nothing to send is not the client's fault.
    if (outlet.writableLength > 0) outlet.destroy()
  })
}

// Pipelined requests are served one after the other: a later one may depend on what an earlier one does (RFC 9112, section 9.3.2),
// and its response would wait in memory. Node gives a response its socket when those before it have left.
function whenItsTurnComes(response: ServerResponse, begin: () => void): void {
  response.once('socket', (socket) => {
    // Other connections get a turn in between.
    setImmediate(() => {
      if (!socket.destroyed) begin()
    })
  })
}

function leaveToOther<Handled extends HandledRequest>(
  handler: RequestHandler<Handled>,
  response: ServerResponse,
  handled: Handled,
): void {
  const sent = foreignResponse(response)
  discard(handled.reply?.body ?? null)
  if (sent !== null) handler.respondedElsewhere?.(handled, sent)
  handler.terminate(handled, { bytes: 0, aborted: sent === null })
}

/** A taker that throws leaves a connection that nobody serves. */
function takeOver<Handled extends HandledRequest>(
  handler: RequestHandler<Handled>,
  handled: Handled,
  handshake: Handshake,
  reply: Reply,
  upgrade: Upgrade,
): void {
  const { socket } = handshake
  if (socket.destroyed) {
    handler.terminate(handled, { bytes: 0, aborted: true })
    return
  }
  const before = socket.bytesWritten
  try {
    handshake.takeOver(upgrade, reply)
    if (handler.hearsEnds === false) return
    const ended = (): void => handler.terminate(handled, { bytes: 0, aborted: false })
    // The taker hears of the end first.
    socket.once('close', () => nextTick(ended))
  } catch (error) {
    if (socket.bytesWritten === before) socket.end(constantBytes(500), () => socket.destroy())
    else socket.destroy()
    handler.terminate(handled, { bytes: 0, aborted: true, error })
  }
}

async function explain(response: ServerResponse, status: number): Promise<void> {
  const { req: request } = response
  try {
    const { refusalPage } = await import('./refusal-page.ts')
    const page = refusalPage(status, [whyRefused(request)], request.headers.accept)
    writeReply(response, page, request.method === 'HEAD', true, null)
  } catch {
    refuse(response, status)
  }
}

/** The same sentence for every Host that cannot be used (SPEC 8). */
function whyRefused({ rawHeaders }: IncomingMessage): string {
  if (rawHeaders.length / 2 > maxFields) return `The request has more than ${maxFields} header fields.`
  return 'Host is missing, there more than once, or cannot be used: it has to be a name or an address, with or without a port. Or the path does not start with /, or Transfer-Encoding cannot be used.'
}

/** Sends constant bytes and closes the connection. */
function refuse(response: ServerResponse, status: number): void {
  if (response.headersSent || response.writableEnded) return
  writeReply(response, constantPage(status), response.req.method === 'HEAD', true, null)
}

/** What becomes of the connection once an unread body is out of the way. */
interface UnreadBody {
  readonly closes: boolean
}

/**
 * Keeps Node from closing the connection with the response while the body still arrives: the client, still writing, would lose the
 * response to the reset. Call it before the head is written, which says whether another request may follow; `null` when the body has arrived.
 */
function holdOpen(response: ServerResponse, isClosing: boolean): UnreadBody | null {
  const { complete, headers, socket } = response.req
  if (complete) return null
  const isLong = Number(headers['content-length']) > patience.bytes
  const closes = isClosing || !response.shouldKeepAlive || isLong
  response.shouldKeepAlive = !closes
  // Node calls it when a last response has left.
  if (closes) socket.destroySoon = () => socket.end()
  return { closes }
}

/**
 * Drops the rest of a body once the response has left. When there is too much of it, the server ends its half of the connection; `onEnd` sees
 * to it that nothing more is served there.
 */
function drainUnread(request: IncomingMessage, { closes }: UnreadBody, onEnd: () => void): void {
  const { socket } = request
  if (!request.complete) request.resume()
  if (closes) onEnd()
  const firstByte = socket.bytesRead
  let checks = 0
  const timer = setInterval(check, checkEveryMs)
  check()
  function check(): void {
    checks += 1
    const isOver = (most: typeof patience): boolean => socket.bytesRead - firstByte > most.bytes || checks > most.checks
    if (!request.complete && !socket.destroyed && !isOver(lastPatience)) {
      if (!isOver(patience) || socket.writableEnded) return
      onEnd()
      socket.end()
      return
    }
    clearInterval(timer)
    if (request.complete && !socket.writableEnded) return
    Reflect.deleteProperty(socket, 'destroySoon')
    socket.destroySoon()
  }
}

/** A connection, or a stream of HTTP/2. */
interface Outlet {
  /** The newest one; `null` once it has left, because what a connection holds each collection of young objects copies. */
  response: ServerResponse | null
}

export class RunningRequests {
  readonly #outlets = new OwnMap<Duplex, Outlet>()
  /** Those whose handler has given a promise that has not settled. */
  readonly handled: OwnSet<ServerResponse> = new OwnSet()

  /** `outlet`: the connection, or the stream of HTTP/2. */
  begin(outlet: Duplex, response: ServerResponse): void {
    const known = this.#outlets.get(outlet)
    if (known !== undefined) {
      known.response = response
      return
    }
    this.#outlets.set(outlet, { response })
    outlet.once('close', () => this.#outlets.delete(outlet))
  }

  /** The response that is leaving on a connection, if there is one. */
  responseOn(outlet: Duplex): ServerResponse | null {
    return this.#outlets.get(outlet)?.response ?? null
  }

  /** The response was written, and has left if the operating system has all of it. */
  written(response: ServerResponse): void {
    const known = this.#outlets.get(response.req.socket)
    if (known?.response === response && response.writableEnded && response.writableLength === 0) known.response = null
  }

  /** The connection is no longer one of HTTP. */
  forget(outlet: Duplex): void {
    this.#outlets.delete(outlet)
  }

  /** Counts, each time it is called, those of the requests that run now which have not ended by then. */
  watch(): () => number {
    const leaving = [...this.#outlets.values()].flatMap(({ response }) => response ?? [])
    let watched = new Set([...this.handled, ...leaving])
    return () => {
      watched = new Set([...watched].filter((response) => this.handled.has(response) || isLeaving(response)))
      return watched.size
    }
  }
}

/** Node takes the connection from a response that has left. */
function isLeaving(response: ServerResponse): boolean {
  return response.socket !== null && !response.writableFinished && !isGone(response)
}

/** Whether a request wants to become a WebSocket. Of one with a body nobody could tell where it ends. */
export function asksForWebSocket({ method, headers }: IncomingMessage): boolean {
  const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket' && !hasBody
}

export class Handshake implements ClientConnection {
  readonly takesUpgrade = true
  readonly socket: Socket
  readonly response: ServerResponse
  readonly #head: Buffer

  /** `goesOn` gets the connection back when an ordinary response has left; `null`: it is closed then. Throws where the response to an earlier request is still on its way. */
  constructor(request: IncomingMessage, socket: Socket, head: Buffer, goesOn: ((socket: Socket) => void) | null) {
    const response = new http.ServerResponse(request)
    response.shouldKeepAlive = goesOn !== null && !/\bclose\b/i.test(request.headers.connection ?? '')
    response.assignSocket(socket)
    this.socket = socket
    this.response = response
    this.#head = head
    socket.on('error', this.#onError).on('drain', this.#onDrain).on('timeout', this.#onTimeout)
    response.on('finish', () => {
      this.#release()
      nextTick(() => response.emit('close'))
      if (goesOn === null || !response.shouldKeepAlive) {
        socket.destroySoon()
        return
      }
      if (head.length > 0) socket.unshift(head)
      goesOn(socket)
    })
  }

  get destroyed(): boolean {
    return this.socket.destroyed
  }

  get writableFinished(): boolean {
    return this.response.writableFinished
  }

  once(event: 'close', listener: () => void): unknown {
    return this.response.once(event, listener)
  }

  /** Hands the connection over. Throws what the taker throws. */
  takeOver({ accept }: Upgrade, reply: Reply): void {
    const { req: request } = this.response
    this.#release()
    this.socket.on('error', this.#onError)
    accept({ request, socket: this.socket, head: this.#head, headers: linesOf(reply) })
  }

  #release(): void {
    const { socket } = this
    this.response.detachSocket(socket)
    socket.off('error', this.#onError).off('drain', this.#onDrain).off('timeout', this.#onTimeout)
    socket.setTimeout(0)
  }

  readonly #onError = (): void => void this.socket.destroy()
  readonly #onDrain = (): void => void this.response.emit('drain')
  readonly #onTimeout = (): void => void this.response.emit('timeout')
}

/** Header fields as lines. Throws a TypeError for what would not be one line. */
function linesOf({ headers }: Reply): string[] {
  return Array.from(listedFields(headers), ([name, value]) => {
    http.validateHeaderName(name)
    http.validateHeaderValue(name, value)
    return `${name}: ${value}`
  })
}
