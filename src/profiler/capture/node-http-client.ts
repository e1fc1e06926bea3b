// Hears of the calls that are made with `node:http` and `node:https`, by whatever library.

import { IncomingMessage, type ClientRequest } from 'node:http'
import { Channels } from './channels.ts'
import { markCallSite } from './call-site.ts'
import type { CurrentCalls } from './fetch-client.ts'
import type { OutgoingCall } from './outgoing-call.ts'
import { packFields } from './packed-fields.ts'
import { httpClientName, type OutgoingCalls } from './outgoing-calls.ts'

/** Node's own calls come first in the stack, a handful of them. */
const stackFrames = 14

/** Captures `node:http` and `node:https`. */
export class NodeHttpClient {
  readonly #currentCalls: CurrentCalls
  readonly #calls = new WeakMap<ClientRequest, OutgoingCall>()
  readonly #channels: Channels

  constructor(currentCalls: CurrentCalls) {
    this.#currentCalls = currentCalls
    this.#channels = new Channels(httpClientName, {
      'http.client.request.created': (message) => this.#created(requestOf(message)),
      'http.client.request.start': (message) => this.#started(requestOf(message)),
      'http.client.response.finish': (message) => this.#answered(message as AnswerMessage),
      'http.client.request.error': (message) => {
        this.#calls.get(requestOf(message))?.failed((message as { error: unknown }).error)
      },
    })
  }

  /** Begins to listen. */
  start(): void {
    this.#channels.start()
  }

  /** Stops listening. */
  stop(): void {
    this.#channels.stop()
  }

  #created(request: ClientRequest): void {
    const calls = this.#currentCalls()
    if (calls === undefined) return
    if (calls.isFull) calls.drop()
    else {
      const call = begin(request, calls)
      this.#calls.set(request, call)
      // A request closes when its answer has broken off, or when its connection is handed over.
      request.once('close', () => {
        this.#calls.delete(request)
        settle(call, responseOf(request))
      })
    }
    // A request whose headers were given as a list is written at once; nothing can be added to it.
    if (request.headersSent || request.hasHeader('traceparent')) return
    request.setHeader('traceparent', calls.traceparent())
    if (calls.tracestate !== null) request.setHeader('tracestate', calls.tracestate)
  }

  #started(request: ClientRequest): void {
    const call = this.#calls.get(request)
    if (call === undefined) return
    call.requestHeaders = request.getRawHeaderNames().flatMap((name) => [name, request.getHeader(name)])
    whenConnected(request, () => call.sent())
  }

  #answered({ request, response }: AnswerMessage): void {
    const call = this.#calls.get(request)
    if (call === undefined) return
    call.answered(response.statusCode ?? 0, packFields(response.rawHeaders))
    // A connection that is not kept open closes only after the caller has read the answer.
    response.once('end', () => settle(call, response))
  }
}

/** `upgrade` says that the connection now speaks another protocol. */
type AnyAnswer = IncomingMessage & { readonly upgrade?: boolean | null }

interface AnswerMessage {
  readonly request: ClientRequest
  readonly response: IncomingMessage
}

function requestOf(message: unknown): ClientRequest {
  return (message as { request: ClientRequest }).request
}

function begin(request: ClientRequest, calls: OutgoingCalls): OutgoingCall {
  const authority = authorityOf(request)
  return calls.begin({
    client: 'node:http',
    method: request.method,
    url: `${request.protocol}//${authority}${request.path}`,
    host: authority,
    requestBytes: bodyBytes(request),
    site: markCallSite(stackFrames),
  })
}

function settle(call: OutgoingCall, response: AnyAnswer | null): void {
  if (call.isOver) return
  const isHandedOver = response !== null && (response.upgrade || response.statusCode === 101)
  if (isHandedOver) call.answered(response.statusCode ?? 0, packFields(response.rawHeaders))
  if (isHandedOver || response?.complete === true) call.ended()
  else call.failed(new Error(response === null ? 'closed without an answer' : 'the answer broke off'))
}

/** The answer that a request has got. For an upgrade no channel tells of it, and listening to the event would change it. */
function responseOf(request: ClientRequest): AnyAnswer | null {
  const response: unknown = Reflect.get(request, 'res')
  return response instanceof IncomingMessage ? response : null
}

/** Host and port. Headers that were given as a list stand in the head that is written already, and nowhere else. */
function authorityOf(request: ClientRequest): string {
  const host = request.getHeader('host')
  if (typeof host === 'string') return host
  const head: unknown = Reflect.get(request, '_header')
  return (typeof head === 'string' ? /^host: ?(.+)$/im.exec(head)?.[1]?.trim() : undefined) ?? request.host
}

/** What the caller says about the body; a method without one sends none. */
function bodyBytes(request: ClientRequest): number | null {
  const length = request.getHeader('content-length')
  if (length === undefined) return request.useChunkedEncodingByDefault ? null : 0
  const bytes = Number(length)
  return Number.isSafeInteger(bytes) && bytes >= 0 ? bytes : null
}

/** Calls back once the request has a connection that is open. */
function whenConnected(request: ClientRequest, then: () => void): void {
  const whenSocket = (): void => {
    const { socket } = request
    if (socket === null) return
    if (socket.connecting) socket.once('encrypted' in socket ? 'secureConnect' : 'connect', then)
    else then()
  }
  if (request.socket === null) request.once('socket', whenSocket)
  else whenSocket()
}
