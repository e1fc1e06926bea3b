// One call to another service in the making: what the clients tell of it, step by step, and the plain data it becomes.

import { describeFailure } from '../../framework/kernel/describe-failure.ts'
import type { Stopwatch } from '../../framework/timing/stopwatch.ts'
import type { CalledHost } from './called-hosts.ts'
import type { CalledProfile } from './called-profile.ts'
import type { CallKind } from './call-kind.ts'
import type { CallSiteMark, CallSites } from './call-site.ts'
import type { DataTools } from './data-tools.ts'
import { notKnown } from './known-figure.ts'
import type { CallsWriter } from './packed-calls.ts'
import { noFields, textOf, type PackedFields } from './packed-fields.ts'
import type { UsualCaller } from './usual-caller.ts'

/** Names and values, masked. */
export type Fields = readonly (readonly [name: string, value: string])[]

/** One call, as the profile keeps it. Times are milliseconds since the request began. */
export interface HttpCall {
  readonly client: CallKind['client']
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

/** Where among the numbers of a call which one stands; http-client-data.ts reads them in this order. */
const figureAt = { status: 0, start: 1, wait: 2, firstByte: 3, duration: 4, requestBytes: 5, responseBytes: 6 } as const

/** A call that runs, or has ended. */
export class OutgoingCall {
  /** Names and values in turn, as the client keeps them; read when the profile is made. */
  requestHeaders: readonly unknown[] = []
  #error: string | null = null
  #responseHeaders: PackedFields = noFields
  readonly #start: OutgoingCallStart
  readonly #host: CalledHost
  readonly #maskedUrl: string
  readonly #stopwatch: Stopwatch
  readonly #span: number
  /** One list, in the order of `figureAt`: a field for each number costs more. */
  readonly #figures: number[]

  constructor(
    stopwatch: Stopwatch,
    { redactor, hosts }: Pick<DataTools, 'redactor' | 'hosts'>,
    start: OutgoingCallStart,
  ) {
    const { method, url } = start
    const host = hosts.of(start.host)
    const maskedUrl = host.masked(url, redactor)
    const startMs = stopwatch.elapsedMs()
    this.#stopwatch = stopwatch
    this.#start = start
    this.#host = host
    this.#figures = [notKnown, startMs, notKnown, notKnown, notKnown, start.requestBytes ?? notKnown, notKnown]
    this.#maskedUrl = maskedUrl
    this.#span = stopwatch.startClient(host.spanName(method), 'http', startMs, host.attributes(method, maskedUrl, null))
  }

  /** Whether it ended with an error, or was answered with a status of 400 and above. */
  get hasFailed(): boolean {
    return this.#error !== null || this.#status >= 400
  }

  /** The head of the request is on its way. */
  sent(): void {
    this.#reached(figureAt.wait)
  }

  /** The head of the answer is here. */
  answered(status: number, headers: PackedFields): void {
    this.#figures[figureAt.status] = status
    this.#responseHeaders = headers
    this.#reached(figureAt.firstByte)
    const attributes = this.#host.attributes(this.#start.method, this.#maskedUrl, status)
    if (this.#error === null) this.#stopwatch.replaceAttributes(this.#span, attributes)
  }

  /** A piece of the body is here. */
  received(bytes: number): void {
    const known = this.#figures[figureAt.responseBytes] ?? notKnown
    this.#figures[figureAt.responseBytes] = Math.max(0, known) + bytes
  }

  /** The answer is complete. The first end counts. */
  ended(): void {
    if (this.isOver) return
    this.#over(this.#status >= 400 ? 'error' : 'ok')
  }

  /** There is no answer, or its rest is missing. The first end counts. */
  failed(thrown: unknown): void {
    if (this.isOver) return
    const { type, text } = failureOf(thrown)
    this.#error = text
    this.#stopwatch.setAttribute(this.#span, 'error.type', type)
    this.#over('error')
  }

  /** Whether it has come to an end. */
  get isOver(): boolean {
    return this.#figures[figureAt.duration] !== notKnown
  }

  /** Writes what is known by now; error and headers are not masked yet. http-client-data.ts reads it in this order. */
  packInto(out: CallsWriter, callSites: CallSites): void {
    const { client, method, url, site, caller } = this.#start
    const kind = this.#host.kindOf(client, method, this.requestHeaders)
    out.kind(kind)
    out.text(url)
    out.text(this.#maskedUrl === url ? null : this.#maskedUrl)
    out.text(this.#error)
    out.text(callSites.find(site, caller))
    for (let index = 0; index < this.#figures.length; index += 1) out.figure(this.#figures[index] ?? notKnown)
    const { sent } = kind
    for (let index = 0; index < sent.length; index += 1) {
      if (sent[index] === null) out.text(textOf(this.requestHeaders[index]))
    }
    const { text, lengths, gap } = this.#responseHeaders
    out.text(text)
    out.figure(gap)
    out.figure(lengths.length)
    for (let index = 0; index < lengths.length; index += 1) out.figure(lengths[index] ?? 0)
  }

  get #status(): number {
    return this.#figures[figureAt.status] ?? notKnown
  }

  /** Notes how long it took until here. The first time counts. */
  #reached(figure: number): void {
    if (this.#figures[figure] !== notKnown) return
    this.#figures[figure] = this.#stopwatch.elapsedMs() - (this.#figures[figureAt.start] ?? 0)
  }

  #over(status: 'ok' | 'error'): void {
    const nowMs = this.#stopwatch.elapsedMs()
    this.#figures[figureAt.duration] = nowMs - (this.#figures[figureAt.start] ?? 0)
    this.#stopwatch.end(this.#span, status, nowMs)
  }
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
