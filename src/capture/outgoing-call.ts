// One call to another service in the making: what the clients tell of it, step by step, and the plain data it becomes.

import { describeFailure } from '../kernel/describe-failure.ts'
import type { Recording } from '../recording/recording.ts'
import type { Redactor } from '../redact/redactor.ts'
import type { RunningSpan } from '../timing/span.ts'
import { calledProfile, type CalledProfile } from './called-profile.ts'
import type { CallSiteMark, CallSites } from './call-site.ts'
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

/** Header fields that are looked at in each direction. */
const maxFields = 100

/** A call as plain facts. */
export interface PackedCall {
  readonly line: readonly [
    client: HttpCall['client'],
    method: string,
    /** As sent. */
    url: string,
    maskedUrl: string,
    status: number | null,
    error: string | null,
    startMs: number,
    waitMs: number | null,
    firstByteMs: number | null,
    durationMs: number | null,
    requestBytes: number | null,
    responseBytes: number | null,
    callSite: string | null,
  ]
  /** Names and values in turn. */
  readonly requestHeaders: readonly string[]
  readonly responseHeaders: readonly string[]
}

/** The call of plain facts, masked; in whatever thread. */
export function httpCall({ line, requestHeaders, responseHeaders }: PackedCall, redactor: Redactor): HttpCall {
  const [client, method, url, maskedUrl, status, error, startMs, waitMs, firstByteMs, durationMs, ...rest] = line
  const [requestBytes, responseBytes, callSite] = rest
  return {
    client,
    method,
    url: maskedUrl,
    status,
    error: error === null ? null : redactor.text(error, 1000),
    startMs,
    waitMs,
    firstByteMs,
    durationMs,
    requestBytes,
    responseBytes: responseBytes ?? contentLength(responseHeaders),
    requestHeaders: redactor.headers(requestHeaders),
    responseHeaders: redactor.responseHeaders(responseHeaders),
    profile: calledProfile(url, responseHeaders, redactor),
    callSite,
  }
}

/** A call that runs, or has ended. */
export class OutgoingCall {
  /** Names and values in turn, as the client keeps them; read when the profile is made. */
  requestHeaders: readonly unknown[] = []
  #status: number | null = null
  #error: string | null = null
  #waitMs: number | null = null
  #firstByteMs: number | null = null
  #durationMs: number | null = null
  #responseBytes: number | null = null
  #responseHeaders: readonly string[] = []
  readonly #start: OutgoingCallStart
  readonly #maskedUrl: string
  readonly #recording: Recording
  readonly #startMs: number
  readonly #span: RunningSpan

  constructor(recording: Recording, redactor: Redactor, start: OutgoingCallStart) {
    this.#recording = recording
    this.#start = start
    this.#startMs = recording.stopwatch.elapsedMs()
    this.#maskedUrl = redactor.url(start.url)
    this.#span = recording.startSpan({
      name: `${start.method} ${start.host}`,
      kind: 'client',
      category: 'http',
      attributes: {
        'http.request.method': start.method,
        'url.full': this.#maskedUrl,
        ...serverOf(start.host),
      },
    })
  }

  /** Whether it ended with an error, or was answered with a status of 400 and above. */
  get hasFailed(): boolean {
    return this.#error !== null || (this.#status !== null && this.#status >= 400)
  }

  /** The head of the request is on its way. */
  sent(): void {
    this.#waitMs ??= this.#elapsedMs()
  }

  /** The head of the answer is here; `headers` are names and values in turn. */
  answered(status: number, headers: readonly string[]): void {
    this.#status = status
    this.#responseHeaders = headers
    this.#firstByteMs ??= this.#elapsedMs()
    this.#span.setAttribute('http.response.status_code', status)
  }

  /** A piece of the body is here. */
  received(bytes: number): void {
    this.#responseBytes = (this.#responseBytes ?? 0) + bytes
  }

  /** The answer is complete. The first end counts. */
  ended(): void {
    if (this.#durationMs !== null) return
    this.#durationMs = this.#elapsedMs()
    this.#span.end(this.#status !== null && this.#status >= 400 ? 'error' : 'ok')
  }

  /** There is no answer, or its rest is missing. The first end counts. */
  failed(thrown: unknown): void {
    if (this.#durationMs !== null) return
    this.#durationMs = this.#elapsedMs()
    const { type, text } = failureOf(thrown)
    this.#error = text
    this.#span.setAttribute('error.type', type)
    this.#span.end('error')
  }

  /** Whether it has come to an end. */
  get isOver(): boolean {
    return this.#durationMs !== null
  }

  /** Everything that is known by now; error and headers are not masked yet. */
  pack(callSites: CallSites): PackedCall {
    const { client, method, url, requestBytes, site, caller } = this.#start
    return {
      line: [
        client,
        method,
        url,
        this.#maskedUrl,
        this.#status,
        this.#error,
        this.#startMs,
        this.#waitMs,
        this.#firstByteMs,
        this.#durationMs,
        requestBytes,
        this.#responseBytes,
        callSites.find(site, caller),
      ],
      requestHeaders: this.requestHeaders.slice(0, 2 * maxFields).map(textOf),
      responseHeaders: this.#responseHeaders.slice(0, 2 * maxFields),
    }
  }

  #elapsedMs(): number {
    return this.#recording.stopwatch.elapsedMs() - this.#startMs
  }
}

/** `prices.example:8443` in the words of OpenTelemetry. */
function serverOf(authority: string): Record<string, string | number> {
  const port = /:(\d{1,5})$/.exec(authority)
  if (port === null) return { 'server.address': authority }
  return { 'server.address': authority.slice(0, port.index), 'server.port': Number(port[1]) }
}

function textOf(value: unknown): string {
  return Array.isArray(value) ? value.join(', ') : String(value)
}

function contentLength(headers: readonly string[]): number | null {
  for (let index = 0; index < headers.length; index += 2) {
    if (headers[index]?.toLowerCase() !== 'content-length') continue
    const bytes = Number(headers[index + 1])
    return Number.isSafeInteger(bytes) && bytes >= 0 ? bytes : null
  }
  return null
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
