// The HTTP requests that one request sent to other services: what clients report, and what its record says of them.

import { FirstBytes, maxKeptBytes } from '../base/http/first-bytes.ts'
import type { RecordedOutgoings, RecordedOutgoing } from '../observe/request-record.ts'
import { fieldValue, listedFields } from '../base/http/header-fields.ts'
import { statusText } from '../base/http/node-http.ts'
import { describeFailure } from '../http/kernel/describe-failure.ts'
import { currentExchange } from '../http/kernel/current-exchange.ts'
import { recordPassed, type RecordedBody } from '../http/recording/captured-body.ts'
import { bodyRule, keeperOf, type BodyRule } from '../http/recording/body-rule.ts'
import type { Recording, WorkFacts, WorkSource } from '../http/recording/recording.ts'
import type { RunningSpan } from '../base/timing/stopwatch.ts'
import type { CallSites } from '../observe/call-site.ts'
import {
  httpClientData,
  valueOf,
  type HttpClientData,
  type KeptOutgoing,
} from '../observe/outgoing/http-client-data.ts'
import type { OutgoingFollower, OutgoingStart } from '../observe/outgoing/http-client-data.ts'
import type { CaptureTools } from '../observe/outgoing/queries.ts'
import { createSpanId, parseTraceparent, traceparentOf, type TraceContext } from '../observe/outgoing/trace-context.ts'

/** Outgoing requests kept per request. */
export const maxOutgoing = 200

/** Names and values kept of one list of headers. */
const maxHeaderEntries = 200

export class OutgoingRequests implements WorkSource, KeptOutgoing {
  readonly #recording: Recording
  readonly #tools: CaptureTools
  readonly #trace: TraceContext
  readonly #requests: RunningOutgoing[] = []
  /** For the bodies of all of them that no route asks for. */
  readonly #room = { left: 2 * maxKeptBytes }
  #dropped = 0

  constructor(recording: Recording, trace: TraceContext, tools: CaptureTools) {
    this.#recording = recording
    this.#tools = tools
    this.#trace = trace
    recording.workSources.push(this)
  }

  workFacts(): WorkFacts {
    const details = this.toData().calls.map(({ status, error, callSite }, index) => ({
      spanId: this.#requests[index]?.spanId ?? 0,
      callSite,
      error,
      result: status === null ? null : `${status} ${statusText(status)}`,
    }))
    return { details, repeats: [] }
  }

  /** Adds an outgoing request that starts now; beyond the limit it is only counted. */
  begin(start: () => OutgoingStart): RunningOutgoing | undefined {
    if (this.#requests.length >= maxOutgoing) {
      this.#dropped += 1
      return undefined
    }
    const given = start()
    const { outgoingBodies = 'none' } = this.#tools
    const request = new RunningOutgoing(
      this.#recording,
      given,
      this.#tools.redactor.url(given.url),
      outgoingBodies === 'all' ? 'all' : bodyRule(currentExchange(), outgoingBodies),
      this.#room,
      this.#tools.followOutgoing?.(given),
    )
    this.#requests.push(request)
    return request
  }

  tally(): { readonly made: number; readonly failed: number } {
    return {
      made: this.#requests.length + this.#dropped,
      failed: this.#requests.filter((request) => request.hasFailed).length,
    }
  }

  /** Gives `traceparent`, with a new span, and `tracestate` if there is one: headers of an outgoing request. */
  eachTraceHeader(request: RunningOutgoing | undefined, add: (name: string, value: string) => void): void {
    const spanId = createSpanId()
    if (request !== undefined) request.sentSpanId = spanId
    add('traceparent', traceparentOf(this.#trace, spanId))
    if (this.#trace.state !== null) add('tracestate', this.#trace.state)
  }

  toRecord(): RecordedOutgoings {
    return {
      calls: this.#requests.map((request) => request.toRecord(this.#tools.callSites)),
      dropped: this.#dropped,
      traceId: this.#trace.traceId,
      parentSpanId: this.#trace.parentSpanId,
      durationMs: this.#recording.durationMs,
    }
  }

  /** Masked data, as the profile will hold it. */
  toData(): HttpClientData {
    return httpClientData(this.toRecord(), this.#tools.redactor)
  }
}

/** An outgoing request that runs or has ended. */
export class RunningOutgoing {
  /** As sent. */
  url: string
  /** Names and values in turn, as the client keeps them; read when the record is made. */
  requestHeaders: readonly unknown[] = []
  /** The span that `traceparent` names; `null` where the caller set the header itself. */
  sentSpanId: string | null = null
  readonly #start: OutgoingStart
  readonly #recording: Recording
  readonly #span: RunningSpan
  readonly #rule: BodyRule
  readonly #room: { left: number }
  #sent: FirstBytes | undefined
  #received: FirstBytes | undefined
  #isAllWritten = false
  readonly #facts: { -readonly [Name in keyof RecordedOutgoing]: RecordedOutgoing[Name] }
  #follower: OutgoingFollower | undefined

  /** `maskedUrl` is for the span. */
  constructor(
    recording: Recording,
    start: OutgoingStart,
    maskedUrl: string,
    rule: BodyRule,
    room: { left: number },
    follower: OutgoingFollower | undefined,
  ) {
    this.#follower = follower
    const { client, method, url, host, requestBytes } = start
    const port = /:(\d{1,5})$/.exec(host)
    this.url = start.url
    this.#start = start
    this.#recording = recording
    this.#rule = rule
    this.#room = room
    this.#facts = {
      client,
      method,
      url,
      status: null,
      error: null,
      startMs: recording.stopwatch.elapsedMs(),
      waitMs: null,
      firstByteMs: null,
      durationMs: null,
      requestBytes,
      responseBytes: null,
      requestHeaders: [],
      responseHeaders: [],
      callSite: null,
      spanId: null,
    }
    this.#span = recording.startSpan({
      startMs: this.#facts.startMs,
      name: `${method} ${host}`,
      kind: 'client',
      category: 'http',
      attributes: {
        'http.request.method': method,
        'url.full': maskedUrl,
        'server.address': port === null ? host : host.slice(0, port.index),
        ...(port === null ? {} : { 'server.port': Number(port[1]) }),
      },
    })
  }

  get spanId(): number {
    return this.#span.id
  }

  /** Whether it failed, or got a status of 400 or above. */
  get hasFailed(): boolean {
    return this.#facts.error !== null || (this.#facts.status ?? 0) >= 400
  }

  get isOver(): boolean {
    return this.#facts.durationMs !== null
  }

  /** The request headers were written. */
  sent(): void {
    this.#facts.waitMs ??= this.#elapsedMs()
  }

  /** The response headers arrived: names and values in turn. */
  answered(status: number, headers: readonly string[]): void {
    this.#facts.status = status
    this.#facts.responseHeaders = headers.slice(0, maxHeaderEntries)
    this.#facts.firstByteMs ??= this.#elapsedMs()
    this.#received ??= this.#keeperOf(headers)
    if (this.#facts.error === null) this.#span.setAttribute('http.response.status_code', status)
    this.#follower?.answered(status, headers)
  }

  /** A piece of the response body arrived. */
  received(chunk: Uint8Array): void {
    this.#facts.responseBytes = (this.#facts.responseBytes ?? 0) + chunk.byteLength
    this.#received?.add(chunk)
    this.#follower?.received(chunk)
  }

  /** A piece of the body was sent. */
  wrote(chunk: Uint8Array): void {
    this.#sent ??= this.#keeperOf(this.requestHeaders)
    this.#sent?.add(chunk)
    this.#follower?.wrote(chunk)
  }

  wroteAll(): void {
    this.#isAllWritten = true
    if (this.#follower?.wroteAll() === false) this.#follower = undefined
  }

  /** Whether somebody wants to see what is sent and what comes back. */
  get hasSeenBodies(): boolean {
    return this.#rule !== 'none' || this.#follower !== undefined
  }

  /** The response is complete. Only the first end counts. */
  ended(): void {
    if (this.isOver) return
    this.#finish((this.#facts.status ?? 0) >= 400 ? 'error' : 'ok')
    this.#follower?.ended()
  }

  /** The request failed, or its response broke off. Only the first end counts. */
  failed(thrown: unknown): void {
    if (this.isOver) return
    const { type, text } = failureOf(thrown)
    this.#facts.error = text
    this.#span.setAttribute('error.type', type)
    this.#finish('error')
    this.#follower?.failed(thrown)
  }

  toRecord(callSites: CallSites): RecordedOutgoing {
    const requestHeaders = this.requestHeaders
      .slice(0, maxHeaderEntries)
      .map((value: unknown) => (Array.isArray(value) ? value.join(', ') : String(value)))
    const named = parseTraceparent(fieldValue(listedFields(requestHeaders), 'traceparent') ?? '')
    const isDone = this.isOver && this.#facts.error === null
    return {
      ...this.#facts,
      url: this.url,
      requestBody: this.#bodyRecord(this.#sent, requestHeaders, this.#isAllWritten),
      responseBody: this.#bodyRecord(this.#received, this.#facts.responseHeaders, isDone),
      requestHeaders,
      callSite: callSites.find(this.#start.site),
      spanId: this.sentSpanId ?? named?.parentSpanId ?? null,
    }
  }

  #bodyRecord(body: FirstBytes | undefined, headers: readonly string[], isComplete: boolean): RecordedBody | undefined {
    if (body === undefined || body.bytes === 0) return undefined
    const [contentType, encoding] = [valueOf(headers, 'content-type'), valueOf(headers, 'content-encoding')]
    return recordPassed(body, { rule: this.#rule, contentType, encoding, declaredBytes: null, isComplete })
  }

  /** A client that has not told its headers yet gives none. */
  #keeperOf(headers: readonly unknown[]): FirstBytes | undefined {
    if (this.#rule === 'none') return undefined
    if (this.#rule === 'named' && headers.length === 0) return new FirstBytes(maxKeptBytes, this.#room)
    return keeperOf(this.#rule, (name) => valueOf(headers.map(String), name), this.#room) ?? new FirstBytes(0)
  }

  #elapsedMs(): number {
    return this.#recording.stopwatch.elapsedMs() - this.#facts.startMs
  }

  #finish(status: 'ok' | 'error'): void {
    this.#facts.durationMs = this.#elapsedMs()
    this.#span.end(status, this.#facts.durationMs)
  }
}

/** Prefers the code, which says more than the class: `ECONNREFUSED`. If several addresses failed, reports the first. */
function failureOf(thrown: unknown): { type: string; text: string } {
  const first: unknown = thrown instanceof AggregateError && thrown.message === '' ? thrown.errors[0] : thrown
  const { errorClass, message } = describeFailure(first)
  const code = first instanceof Error && 'code' in first && typeof first.code === 'string' ? first.code : null
  const type = code ?? errorClass
  return { type, text: message.includes(type) ? message : `${type}: ${message}` }
}
