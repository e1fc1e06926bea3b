// One trace as it is shown: the spans of all services nested, on one axis. Plain JSON.

import type { MissingParts } from '../../profiles/profile-store.ts'
import type { TraceEvent, TraceSpan } from '../../profiles/trace-span.ts'

/** Where a span comes from. */
export interface SpanSource {
  /** Name of the service; `null` where none was told. */
  readonly service: string | null
  /** Token of the profile, or of the record of another service, that holds the span. */
  readonly token: string
  /** Whether a page of a profile shows more of it: not for spans that another service sent. */
  readonly hasProfile: boolean
}

export interface SourcedSpan {
  readonly span: TraceSpan
  readonly source: SpanSource
}

export interface PlacedSpan extends Omit<TraceSpan, 'traceId' | 'startTime'>, SpanSource {
  /** Since the trace began, in milliseconds, clocks corrected. */
  readonly startMs: number
  /** How many spans it is inside. */
  readonly depth: number
  /** How many spans are inside it, at any depth. */
  readonly inside: number
  /** How many of those have the status `error`. */
  readonly errorsInside: number
  /** `missing`: it names a parent that is not there; `circle`: its parents lead back to it. Both are shown at depth 0. */
  readonly parent: 'none' | 'there' | 'missing' | 'circle'
}

export interface TraceService {
  readonly name: string | null
  readonly spanCount: number
  /** Spans with the status `error`. */
  readonly errorCount: number
  /** Milliseconds that its spans are shown later than its clock said; the largest correction. 0 if its clock agrees. */
  readonly clockShiftMs: number
}

/** A log line of another service. */
export interface TraceLine extends TraceEvent {
  readonly service: string | null
}

export interface Trace {
  readonly traceId: string
  /** When the first span began, milliseconds since 1970; 0 if there is none. */
  readonly startTime: number
  /** From the begin of the first span to the end of the last. */
  readonly durationMs: number
  /** In the order of their first spans. */
  readonly services: readonly TraceService[]
  /** Each before the spans inside it, which are in the order they began. */
  readonly spans: readonly PlacedSpan[]
  /** Log lines that name no span of the trace. */
  readonly lines: readonly TraceLine[]
  /** Profiles and records that were read. */
  readonly profileCount: number
  /** What the trace has and its view does not. */
  readonly leftOut: {
    /** Profiles and records that were not read: the bounds are 500 and 10,000 spans. */
    readonly profiles: number
    /** Spans of profiles that were read. */
    readonly spans: number
    /** Spans that were not recorded, or not kept when they were received. */
    readonly unrecordedSpans: number
    /** Log lines beyond the bound of 500. */
    readonly lines: number
  }
  /** Parts of the store that did not respond. Default: all responded. */
  readonly missing?: MissingParts | undefined
}
