// Hears of the calls that `fetch` and undici make. A call is tied to its request when it is created: later messages come in
// the context of whoever opened the connection.

import { Channels } from './channels.ts'
import { markCallSite } from './call-site.ts'
import { fetchSite, watchFetch } from './fetch-site.ts'
import type { OutgoingCall } from './outgoing-call.ts'
import { packReceived } from './packed-fields.ts'
import { httpClientName, type OutgoingCalls } from './outgoing-calls.ts'

/** Where the running request's calls are noted; `undefined` while nothing is recorded. */
export type CurrentCalls = () => OutgoingCalls | undefined

/** Of a call that did not come through the door: undici's own calls come first in the stack, some twenty of them. */
const stackFrames = 28

/** Captures `fetch`. */
export class FetchClient {
  readonly #currentCalls: CurrentCalls
  readonly #calls = new WeakMap<object, OutgoingCall>()
  readonly #channels: Channels
  #leaveFetch: (() => void) | undefined

  constructor(currentCalls: CurrentCalls) {
    this.#currentCalls = currentCalls
    this.#channels = new Channels(httpClientName, {
      'undici:request:create': (message) => this.#created((message as { request: UndiciRequest }).request),
      'undici:client:sendHeaders': (message) => this.#callOf(message)?.sent(),
      'undici:request:headers': (message) => this.#answered(message as AnswerMessage),
      'undici:request:bodyChunkReceived': (message) => this.#received(message as ChunkMessage),
      'undici:request:trailers': (message) => this.#endOf(message)?.ended(),
      'undici:request:error': (message) => this.#endOf(message)?.failed((message as { error: unknown }).error),
    })
  }

  /** Begins to listen. */
  start(): void {
    this.#channels.start()
    this.#leaveFetch ??= watchFetch()
  }

  /** Stops listening. Calls that run are not heard of again. */
  stop(): void {
    this.#channels.stop()
    this.#leaveFetch?.()
    this.#leaveFetch = undefined
  }

  #created(request: UndiciRequest): void {
    const calls = this.#currentCalls()
    if (calls === undefined) return
    if (calls.isFull) calls.drop()
    else {
      const origin = String(request.origin)
      const known = fetchSite()
      const call = calls.begin({
        client: 'fetch',
        method: request.method,
        url: `${origin}${request.path}`,
        host: hostOf(origin),
        requestBytes: request.body === null ? 0 : (request.contentLength ?? null),
        site: known?.site ?? markCallSite(stackFrames),
        caller: known?.caller,
      })
      if (Array.isArray(request.headers)) call.requestHeaders = request.headers
      this.#calls.set(request, call)
    }
    handOnTrace(request, calls)
  }

  #callOf(message: unknown): OutgoingCall | undefined {
    return this.#calls.get((message as { request: object }).request)
  }

  /** The same, for the last time: a weak map holds what points back to its key until the next full collection. */
  #endOf(message: unknown): OutgoingCall | undefined {
    const call = this.#callOf(message)
    if (call !== undefined) this.#calls.delete((message as { request: object }).request)
    return call
  }

  #answered(message: AnswerMessage): void {
    const { statusCode, headers } = message.response
    this.#callOf(message)?.answered(statusCode, packReceived(headers))
  }

  #received(message: ChunkMessage): void {
    this.#callOf(message)?.received(message.chunk.byteLength)
  }
}

/** undici's request, as far as it is looked at. */
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

function handOnTrace(request: UndiciRequest, calls: OutgoingCalls): void {
  if (namesTrace(request.headers)) return
  request.addHeader('traceparent', calls.traceparent())
  if (calls.tracestate !== null) request.addHeader('tracestate', calls.tracestate)
}

/** Whether the caller has set the header itself. */
function namesTrace(headers: UndiciRequest['headers']): boolean {
  if (typeof headers === 'string') return /^traceparent:/im.test(headers)
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index]
    if (typeof name === 'string' && name.length === 11 && name.toLowerCase() === 'traceparent') return true
  }
  return false
}

function hostOf(origin: string): string {
  return origin.slice(origin.indexOf('//') + 2)
}
