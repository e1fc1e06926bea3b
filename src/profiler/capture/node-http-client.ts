// Captures requests sent with `node:http` and `node:https`, by any library.

import { IncomingMessage, type ClientRequest } from 'node:http'
import { markCallSite } from './call-site.ts'
import { Channels } from './channels.ts'
import type { CurrentOutgoing } from './fetch-client.ts'
import { httpClientName, type OutgoingStart, type RunningOutgoing } from './outgoing-requests.ts'

/** A handful of Node's own frames comes first. */
const stackFrames = 16

/** Captures `node:http` and `node:https`. */
export class NodeHttpClient {
  readonly #current: CurrentOutgoing
  readonly #running = new WeakMap<ClientRequest, RunningOutgoing>()
  readonly #channels: Channels

  constructor(current: CurrentOutgoing) {
    this.#current = current
    this.#channels = new Channels(httpClientName, {
      'http.client.request.created': (message) => this.#created(requestOf(message)),
      'http.client.request.start': (message) => this.#started(requestOf(message)),
      'http.client.response.finish': (message) => this.#answered(message as AnswerMessage),
      'http.client.request.error': (message) => {
        this.#running.get(requestOf(message))?.failed((message as { error: unknown }).error)
      },
    })
  }

  start(): void {
    this.#channels.start()
  }

  stop(): void {
    this.#channels.stop()
  }

  #created(request: ClientRequest): void {
    const outgoing = this.#current()
    if (outgoing === undefined) return
    const running = outgoing.begin(() => startOf(request))
    if (running !== undefined) {
      this.#running.set(request, running)
      // A request closes when its response breaks off, or when its connection is handed over.
      request.once('close', () => {
        this.#running.delete(request)
        settle(running, responseOf(request))
      })
    }
    // If the headers were given as a list, they are written at once, and nothing can be added.
    if (request.headersSent || request.hasHeader('traceparent')) return
    request.setHeader('traceparent', outgoing.traceparent())
    if (outgoing.tracestate !== null) request.setHeader('tracestate', outgoing.tracestate)
  }

  #started(request: ClientRequest): void {
    const running = this.#running.get(request)
    if (running === undefined) return
    running.requestHeaders = request.getRawHeaderNames().flatMap((name) => [name, request.getHeader(name)])
    whenConnected(request, () => {
      running.sent()
      // Headers given as a list cannot be read back: the connection tells the port.
      if (!request.hasHeader('host')) running.url = urlOf(request, `${request.host}:${request.socket?.remotePort}`)
    })
  }

  #answered({ request, response }: AnswerMessage): void {
    const running = this.#running.get(request)
    if (running === undefined) return
    running.answered(response.statusCode ?? 0, response.rawHeaders)
    // A connection that is not kept alive closes only after the caller has read the response.
    response.once('end', () => settle(running, response))
  }
}

/** `upgrade` is set if the connection switched to another protocol. */
type AnyAnswer = IncomingMessage & { readonly upgrade?: boolean | null }

interface AnswerMessage {
  readonly request: ClientRequest
  readonly response: IncomingMessage
}

function requestOf(message: unknown): ClientRequest {
  return (message as { request: ClientRequest }).request
}

function startOf(request: ClientRequest): OutgoingStart {
  const authority = authorityOf(request)
  return {
    client: 'node:http',
    method: request.method,
    url: urlOf(request, authority),
    host: authority,
    requestBytes: bodyBytes(request),
    site: markCallSite(stackFrames),
  }
}

function settle(running: RunningOutgoing, response: AnyAnswer | null): void {
  if (running.isOver) return
  const isHandedOver = response !== null && (response.upgrade || response.statusCode === 101)
  if (isHandedOver) running.answered(response.statusCode ?? 0, response.rawHeaders)
  if (isHandedOver || response?.complete === true) running.ended()
  else running.failed(new Error(response === null ? 'closed without an answer' : 'the answer broke off'))
}

/** The response of a request. No channel reports that of an upgrade, and listening to the event would change it. */
function responseOf(request: ClientRequest): AnyAnswer | null {
  const response: unknown = Reflect.get(request, 'res')
  return response instanceof IncomingMessage ? response : null
}

function urlOf({ protocol, path }: ClientRequest, authority: string): string {
  return `${protocol}//${authority}${path}`
}

/** Host and port; without the port if the headers were given as a list. */
function authorityOf(request: ClientRequest): string {
  const host = request.getHeader('host')
  return typeof host === 'string' ? host : request.host
}

/** Size of the body as the caller declares it; 0 for a method without a body. */
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
