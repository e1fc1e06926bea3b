// Captures `fetch` and undici. A request is tied to its recording when it is created; later messages arrive in other contexts.

import { markCallSite } from './call-site.ts'
import { Channels } from './channels.ts'
import { httpClientName, type OutgoingRequests, type RunningOutgoing } from './outgoing-requests.ts'

/** Where outgoing requests of the running request go; `undefined` if it is not recorded. */
export type CurrentOutgoing = () => OutgoingRequests | undefined

/** The frames of undici come first, about twenty of them. A redirect has no caller on its stack. */
const stackFrames = 40

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
      'undici:request:headers': (message) => this.#answered(message as AnswerMessage),
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
      site: markCallSite(stackFrames),
    }))
    if (running !== undefined) {
      if (Array.isArray(request.headers)) running.requestHeaders = request.headers
      this.#running.set(request, running)
    }
    handOnTrace(request, outgoing)
  }

  #answered(message: AnswerMessage): void {
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

interface AnswerMessage {
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
