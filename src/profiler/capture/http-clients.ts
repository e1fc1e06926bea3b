// Captures HTTP requests of `fetch`, undici, `node:http` and `node:https`. A request is tied to its recording when it is created;
// later messages arrive in other contexts.

import { IncomingMessage, type ClientRequest } from 'node:http'
import { markCallSite } from './call-site.ts'
import { Channels } from './sources/tracing-source.ts'
import { httpClientName, type OutgoingRequests, type OutgoingStart, type RunningOutgoing } from './outgoing-requests.ts'

/** Where outgoing requests of the running request go; `undefined` if it is not recorded. */
export type CurrentOutgoing = () => OutgoingRequests | undefined

/** The frames of undici come first, about twenty of them. A redirect has no caller on its stack. */
const undiciFrames = 40

/** Captures `fetch`. */
export class FetchClient {
  readonly #current: CurrentOutgoing
  readonly #running = new WeakMap<object, RunningOutgoing>()
  readonly #channels: Channels

  constructor(current: CurrentOutgoing) {
    this.#current = current
    this.#channels = new Channels(httpClientName, {
      'undici:request:create': (message) => this.#created((message as { request: UndiciRequest }).request),
      'undici:client:sendHeaders': (message) => this.#find(message)?.sent(),
      'undici:request:headers': (message) => this.#responded(message as HeadersMessage),
      'undici:request:bodyChunkReceived': (message) =>
        this.#find(message)?.received((message as ChunkMessage).chunk.byteLength),
      'undici:request:trailers': (message) => this.#take(message)?.ended(),
      'undici:request:error': (message) => this.#take(message)?.failed((message as { error: unknown }).error),
    })
  }

  start(): void {
    this.#channels.start()
  }

  stop(): void {
    this.#channels.stop()
  }

  #created(request: UndiciRequest): void {
    const outgoing = this.#current()
    if (outgoing === undefined) return
    const origin = String(request.origin)
    const running = outgoing.begin(() => ({
      client: 'fetch',
      method: request.method,
      url: `${origin}${request.path}`,
      host: origin.slice(origin.indexOf('//') + 2),
      requestBytes: request.body === null ? 0 : (request.contentLength ?? null),
      site: markCallSite(undiciFrames),
    }))
    if (running !== undefined) {
      if (Array.isArray(request.headers)) running.requestHeaders = request.headers
      this.#running.set(request, running)
    }
    handOnTrace(request, outgoing)
  }

  #responded(message: HeadersMessage): void {
    const { statusCode, headers } = message.response
    // Copied: the buffers belong to undici.
    this.#find(message)?.answered(
      statusCode,
      headers.map((field) => field.toString('latin1')),
    )
  }

  #find(message: unknown): RunningOutgoing | undefined {
    return this.#running.get((message as { request: object }).request)
  }

  #take(message: unknown): RunningOutgoing | undefined {
    const running = this.#find(message)
    this.#running.delete((message as { request: object }).request)
    return running
  }
}

/** The part of undici's request that is read. */
interface UndiciRequest {
  readonly origin: string | URL
  readonly method: string
  /** With the query. */
  readonly path: string
  /** Names and values in turn, without `host` and `content-length`; one text in old versions. */
  readonly headers: readonly unknown[] | string
  readonly contentLength?: number | null
  /** `null` for a request without a body. */
  readonly body?: unknown
  addHeader(name: string, value: string): unknown
}

interface HeadersMessage {
  readonly response: { readonly statusCode: number; readonly headers: readonly Buffer[] }
}

interface ChunkMessage {
  readonly chunk: Uint8Array
}

function handOnTrace(request: UndiciRequest, outgoing: OutgoingRequests): void {
  if (namesTrace(request.headers)) return
  request.addHeader('traceparent', outgoing.traceparent())
  if (outgoing.tracestate !== null) request.addHeader('tracestate', outgoing.tracestate)
}

/** Whether the caller set the header itself. */
function namesTrace(headers: UndiciRequest['headers']): boolean {
  if (typeof headers === 'string') return /^traceparent:/im.test(headers)
  return headers.some(
    (name, index) => index % 2 === 0 && typeof name === 'string' && name.toLowerCase() === 'traceparent',
  )
}

/** A handful of Node's own frames comes first. */
const nodeFrames = 16

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
      'http.client.response.finish': (message) => this.#responded(message as FinishedMessage),
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

  #responded({ request, response }: FinishedMessage): void {
    const running = this.#running.get(request)
    if (running === undefined) return
    running.answered(response.statusCode ?? 0, response.rawHeaders)
    // A connection that is not kept alive closes only after the caller has read the response.
    response.once('end', () => settle(running, response))
  }
}

/** `upgrade` is set if the connection switched to another protocol. */
type AnyResponse = IncomingMessage & { readonly upgrade?: boolean | null }

interface FinishedMessage {
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
    site: markCallSite(nodeFrames),
  }
}

function settle(running: RunningOutgoing, response: AnyResponse | null): void {
  if (running.isOver) return
  const isHandedOver = response !== null && (response.upgrade || response.statusCode === 101)
  if (isHandedOver) running.answered(response.statusCode ?? 0, response.rawHeaders)
  if (isHandedOver || response?.complete === true) running.ended()
  else running.failed(new Error(response === null ? 'closed without a response' : 'the response broke off'))
}

/** The response of a request. No channel reports that of an upgrade, and listening to the event would change it. */
function responseOf(request: ClientRequest): AnyResponse | null {
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
