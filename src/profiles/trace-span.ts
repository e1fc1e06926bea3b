// A span of a trace that several services may have recorded, and the identifiers of our own spans.

import { runsOf } from '../base/members.ts'
import { createHash } from 'node:crypto'

/** All kinds, in the order of their numbers in OTLP, from 1. */
export const traceSpanKinds = ['internal', 'server', 'client', 'producer', 'consumer'] as const

type TraceSpanKind = (typeof traceSpanKinds)[number]

/** All states, in the order of their numbers in OTLP, from 0. */
export const traceSpanStatuses = ['unset', 'ok', 'error'] as const

type TraceSpanStatus = (typeof traceSpanStatuses)[number]

export type AttributeValue = string | number | boolean | readonly (string | number | boolean)[]

/** By the names of the OpenTelemetry semantic conventions if there is one. */
export type Attributes = Readonly<Record<string, AttributeValue>>

/** Something that happened at one moment of a span: an error, a log line. */
export interface TraceEvent {
  readonly name: string
  /** Milliseconds since 1970, with a fraction. */
  readonly time: number
  readonly attributes: Attributes
}

/** Plain JSON. */
export interface TraceSpan {
  /** 32 lower-case hexadecimal digits. */
  readonly traceId: string
  /** 16 lower-case hexadecimal digits. */
  readonly spanId: string
  /** The span that this one is part of, perhaps of another service; `null` for the first of a trace. */
  readonly parentSpanId: string | null
  readonly name: string
  readonly kind: TraceSpanKind
  /** Milliseconds since 1970 by the clock of its machine, with a fraction. */
  readonly startTime: number
  readonly durationMs: number
  readonly status: TraceSpanStatus
  /** Why the status is `error`; `null` if nothing is said. */
  readonly statusMessage: string | null
  readonly attributes: Attributes
  readonly events: readonly TraceEvent[]
}

/** Spans of one service in one trace, as they came in. Records with log lines alone have none. */
export interface ReceivedSpans {
  readonly spans: readonly TraceSpan[]
  /** Spans of the batch that were not kept. */
  readonly dropped: number
  /** What sent them: `service.name`, `telemetry.sdk.language`. */
  readonly resource: Attributes
}

/**
 * The `parentToken` of all records of a trace: the first half of its ID. Lists leave the records out as they leave out sub-requests,
 * and `parentToken` finds those of one trace.
 */
export function traceToken(traceId: string): string {
  return traceId.slice(0, 16)
}

/**
 * The span with a number in the profile of a token; 0 is the request. The same in every process, so that a span that is sent twice is
 * the same span.
 */
export function profileSpanId(token: string, number: number): string {
  return `${hashOf(token).slice(0, 10)}${number.toString(16).padStart(6, '0')}`
}

/** The trace of a request that none was known of. */
export function profileTraceId(token: string): string {
  return hashOf(token).slice(0, 32)
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}

/** Rows of them in their order: `least` or more that follow each other, are alike and have nothing that needs its own row share one. */
export function gathered<Span>(
  spans: readonly Span[],
  least: number,
  isPlain: (span: Span) => boolean,
  isAlike: (one: Span, other: Span) => boolean,
): readonly (readonly [Span, ...Span[]])[] {
  const rows = runsOf(spans, (one, other) => isPlain(one) && isPlain(other) && isAlike(one, other))
  return rows.flatMap((row) => (row.length < least ? row.map((span): [Span] => [span]) : [row]))
}
