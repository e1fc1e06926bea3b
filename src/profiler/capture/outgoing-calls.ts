// The calls to other services that one request made: a bounded list, kept on its recording for the collector `http-client`.

import type { HttpRequest } from '../../framework/http/request.ts'
import type { Recording } from '../../framework/recording/recording.ts'
import type { DataTools } from './data-tools.ts'
import { httpClientData } from './http-client-data.ts'
import { CallsWriter, type PackedCalls } from './packed-calls.ts'
import { OutgoingCall, type HttpCall, type OutgoingCallStart } from './outgoing-call.ts'
import { createSpanId, traceContextOf, traceparentOf, type TraceContext } from './trace-context.ts'

/** The name of collector and panel, and what the calls are kept under. */
export const httpClientName = 'http-client'

/** Calls of one request that are kept. */
export const maxCalls = 200

/** The calls of one request, as the profile keeps them. */
export interface HttpClientData {
  /** In the order they began. */
  readonly calls: readonly HttpCall[]
  /** Calls that were not kept: too many, or too large for the profile. */
  readonly dropped: number
  /** Name of the trace across services. */
  readonly traceId: string
  /** Span of the service that called this one; `null` where the trace begins here. */
  readonly parentSpanId: string | null
  /** Length of the request, for the scale. */
  readonly durationMs: number
}

/** The calls of one request. */
export class OutgoingCalls {
  readonly #recording: Recording
  readonly #tools: DataTools
  readonly #trace: TraceContext
  readonly #calls: OutgoingCall[] = []
  #dropped = 0

  constructor(recording: Recording, request: HttpRequest, tools: DataTools) {
    this.#recording = recording
    this.#tools = tools
    this.#trace = traceContextOf(request)
  }

  /** Whether the next call is only counted. */
  get isFull(): boolean {
    return this.#calls.length >= maxCalls
  }

  /** Notes a call that begins now. Ask `isFull` first. */
  begin(start: OutgoingCallStart): OutgoingCall {
    const call = new OutgoingCall(this.#recording.stopwatch, this.#tools, start)
    this.#calls.push(call)
    return call
  }

  /** Counts a call that is not kept. */
  drop(): void {
    this.#dropped += 1
  }

  /** How many were made, those beyond the bound included, and how many of the kept ones went wrong. */
  tally(): { readonly made: number; readonly failed: number } {
    return { made: this.#calls.length + this.#dropped, failed: this.#calls.filter((call) => call.hasFailed).length }
  }

  /** The header `traceparent` for the next call: a new span each time. */
  traceparent(): string {
    return traceparentOf(this.#trace, createSpanId())
  }

  /** The header `tracestate` that goes with it; `null` for none. */
  get tracestate(): string | null {
    return this.#trace.state
  }

  /** Plain, masked data. */
  toData(): HttpClientData {
    return httpClientData(this.pack(), this.#tools.redactor)
  }

  /** The same as plain facts that are not masked yet; `httpClientData` reads them, in whatever thread. */
  pack(): PackedCalls {
    const out = new CallsWriter()
    out.figure(this.#dropped)
    out.figure(this.#recording.durationMs)
    out.text(this.#trace.traceId)
    out.text(this.#trace.parentSpanId)
    for (let index = 0; index < this.#calls.length; index += 1) this.#calls[index]?.packInto(out, this.#tools.callSites)
    return out.packed()
  }
}
