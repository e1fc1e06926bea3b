// One call to another service in the making: what the clients tell of it, step by step, and the plain data it becomes.

import { describeFailure } from '../kernel/describe-failure.ts'
import type { Stopwatch } from '../timing/stopwatch.ts'
import type { CalledHost } from './called-hosts.ts'
import type { CalledProfile } from './called-profile.ts'
import type { CallSiteMark, CallSites } from './call-site.ts'
import type { DataTools } from './data-tools.ts'
import { notKnown } from './known-figure.ts'
import { noFields, packFields, type PackedFields } from './packed-fields.ts'
import type { UsualCaller } from './usual-caller.ts'

/** Names and values, masked. */
export type Fields = readonly (readonly [name: string, value: string])[]

/** One call, as the profile keeps it. Times are milliseconds since the request began. */
export interface HttpCall {
  /** What made it: the global `fetch` (undici), or `node:http` and `node:https`. */
  readonly client: 'fetch' | 'node:http'
  readonly method: string
  /** Full URL, masked. */
  readonly url: string
  /** `null` while there is no answer. */
  readonly status: number | null
  /** Why there is no answer, or not all of it; `null` where there is. */
  readonly error: string | null
  readonly startMs: number
  /** Until the request was written: waiting for a free connection, or for a new one. `null` where it never was. */
  readonly waitMs: number | null
  /** Until the head of the answer had come; `null` where it has not. */
  readonly firstByteMs: number | null
  /** Until the whole answer had come, or the call had failed; `null` where it was still running. */
  readonly durationMs: number | null
  /** Bytes of the body sent; `null` where unknown. */
  readonly requestBytes: number | null
  /** Bytes of the body received, compressed where it is; `null` where unknown. */
  readonly responseBytes: number | null
  readonly requestHeaders: Fields
  readonly responseHeaders: Fields
  /** The profile that the called service keeps of its side; `null` where it names none. */
  readonly profile: CalledProfile | null
  /** `src/prices.ts:12`, with ` (assumed)` behind it where the stack was not caught; `null` where unknown. */
  readonly callSite: string | null
}

/** What a call begins with. */
export interface OutgoingCallStart {
  readonly client: HttpCall['client']
  readonly method: string
  /** As sent. */
  readonly url: string
  /** With the port, where it is not the scheme's own: `prices.example:8443`. */
  readonly host: string
  readonly requestBytes: number | null
  readonly site: CallSiteMark
  /** Learns where such calls are made. */
  readonly caller?: UsualCaller | undefined
}

/** Numbers that stand for one call, before the places of its fields. */
export const callFigures = 9
/** Texts that stand for one call. */
export const callTexts = 8

/** A call that runs, or has ended. */
export class OutgoingCall {
  /** Names and values in turn, as the client keeps them; read when the profile is made. */
  requestHeaders: readonly unknown[] = []
  #status: number = notKnown
  #error: string | null = null
  #waitMs: number = notKnown
  #firstByteMs: number = notKnown
  #durationMs: number = notKnown
  #responseBytes: number = notKnown
  #responseHeaders: PackedFields = noFields
  readonly #start: OutgoingCallStart
  readonly #maskedUrl: string
  readonly #stopwatch: Stopwatch
  readonly #startMs: number
  readonly #span: number
  /** Those of the span, which takes what is set here later. */
  readonly #attributes: Record<string, string | number>

  constructor(
    stopwatch: Stopwatch,
    { redactor, hosts }: Pick<DataTools, 'redactor' | 'hosts'>,
    start: OutgoingCallStart,
  ) {
    this.#stopwatch = stopwatch
    this.#start = start
    this.#startMs = stopwatch.elapsedMs()
    this.#maskedUrl = redactor.url(start.url)
    this.#attributes = attributesOf(start.method, this.#maskedUrl, hosts.of(start.host))
    const name = hosts.spanName(start.method, start.host)
    this.#span = stopwatch.startClient(name, 'http', this.#startMs, this.#attributes)
  }

  /** Whether it ended with an error, or was answered with a status of 400 and above. */
  get hasFailed(): boolean {
    return this.#error !== null || this.#status >= 400
  }

  /** The head of the request is on its way. */
  sent(): void {
    if (this.#waitMs === notKnown) this.#waitMs = this.#elapsedMs()
  }

  /** The head of the answer is here. */
  answered(status: number, headers: PackedFields): void {
    this.#status = status
    this.#responseHeaders = headers
    if (this.#firstByteMs === notKnown) this.#firstByteMs = this.#elapsedMs()
    this.#attributes['http.response.status_code'] = status
  }

  /** A piece of the body is here. */
  received(bytes: number): void {
    this.#responseBytes = Math.max(0, this.#responseBytes) + bytes
  }

  /** The answer is complete. The first end counts. */
  ended(): void {
    if (this.isOver) return
    this.#durationMs = this.#elapsedMs()
    this.#stopwatch.end(this.#span, this.#status >= 400 ? 'error' : 'ok')
  }

  /** There is no answer, or its rest is missing. The first end counts. */
  failed(thrown: unknown): void {
    if (this.isOver) return
    this.#durationMs = this.#elapsedMs()
    const { type, text } = failureOf(thrown)
    this.#error = text
    this.#attributes['error.type'] = type
    this.#stopwatch.end(this.#span, 'error')
  }

  /** Whether it has come to an end. */
  get isOver(): boolean {
    return this.#durationMs !== notKnown
  }

  /** Adds what is known by now to lists; error and headers are not masked yet. http-client-data.ts reads them in this order. */
  packInto(figures: number[], texts: (string | null)[], callSites: CallSites): void {
    const { client, method, url, requestBytes, site, caller } = this.#start
    const sent = packFields(this.requestHeaders)
    const received = this.#responseHeaders
    const maskedUrl = this.#maskedUrl === url ? null : this.#maskedUrl
    figures.push(this.#status, this.#startMs, this.#waitMs, this.#firstByteMs, this.#durationMs)
    figures.push(requestBytes ?? notKnown, this.#responseBytes, sent.places.length, received.places.length)
    for (const place of sent.places) figures.push(place)
    for (const place of received.places) figures.push(place)
    texts.push(client, method, url, maskedUrl, this.#error, callSites.find(site, caller), sent.text, received.text)
  }

  #elapsedMs(): number {
    return this.#stopwatch.elapsedMs() - this.#startMs
  }
}

/** In the words of OpenTelemetry. */
function attributesOf(
  method: string,
  maskedUrl: string,
  { address, port }: CalledHost,
): Record<string, string | number> {
  const attributes = { 'http.request.method': method, 'url.full': maskedUrl, 'server.address': address }
  return port === null ? attributes : { ...attributes, 'server.port': port }
}

/** A code says more than a class: `ECONNREFUSED`. Of several addresses that all failed, the first one speaks. */
function failureOf(thrown: unknown): { type: string; text: string } {
  const first: unknown = thrown instanceof AggregateError && thrown.message === '' ? thrown.errors[0] : thrown
  const { errorClass, message } = describeFailure(first)
  const type = codeOf(first) ?? errorClass
  return { type, text: message.includes(type) ? message : `${type}: ${message}` }
}

function codeOf(thrown: unknown): string | null {
  if (!(thrown instanceof Error) || !('code' in thrown)) return null
  return typeof thrown.code === 'string' ? thrown.code : null
}
