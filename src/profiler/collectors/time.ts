// Where the time went: the spans of the request, how long its sub-requests took, and what was measured of the process.

import type { Redactor } from '../../framework/redact/redactor.ts'
import type { Span } from '../../framework/timing/span.ts'
import type { ChildRecord, RecordCollector } from '../request-record.ts'
import { measurementName, measurementOf } from '../measuring/measurement.ts'
import { cutList } from './cut-list.ts'
import { loopShares, type LoopShares } from './loop-shares.ts'
import { nestSpans, type SpanNesting } from './nest-spans.ts'

/** A sub-request on the time line of its parent. */
export interface SubRequestTime {
  readonly token: string
  readonly handler: string
  /** Milliseconds from the start of the parent. */
  readonly startMs: number
  readonly durationMs: number
}

/** Facts of time. */
export interface TimeData extends LoopShares {
  readonly durationMs: number
  /** In the order they began; parents as `nestSpans` knows them. */
  readonly spans: readonly Span[]
  /** Spans that were not kept: too many, or too large for the profile. */
  readonly droppedSpans: number
  readonly subRequests: readonly SubRequestTime[]
  /** What listeners of the profiler took while the request ran, in milliseconds: they have no spans. */
  readonly instrumentationMs: number
}

/** Code that runs this long without a pause blocks the event loop, in milliseconds; so do waits of others that add up to it. */
const blockingMs = 50

/** Gathers the spans. `nest` may remember: another collector asks for the same. */
export function timeCollector(redactor: Redactor, nest: SpanNesting = nestSpans): RecordCollector<TimeData> {
  return {
    name: 'time',
    reads: [measurementName],
    collect: ({ recording, children }) => {
      if (recording === undefined) return undefined
      const { stopwatch, durationMs } = recording
      return {
        durationMs,
        spans: nest(stopwatch.spans()).map((span) => maskSpan(span, redactor)),
        droppedSpans: stopwatch.droppedSpans,
        subRequests: children.flatMap((child) => subRequestTime(child, stopwatch.startedMs) ?? []),
        instrumentationMs: stopwatch.instrumentationMs,
        ...loopShares(measurementOf(recording), durationMs, redactor),
      }
    },
    summarize: ({ ownCpuMs, longestStretchMs, blockedOthersMs }) => {
      const isBlocking = (longestStretchMs ?? 0) >= blockingMs || blockedOthersMs >= blockingMs
      return { ownCpuMs, findings: isBlocking ? ['blocked'] : [] }
    },
    cut: (data, maxBytes) => {
      const droppedAtMost = data.droppedSpans + data.spans.length
      const restBytes = Buffer.byteLength(JSON.stringify({ ...data, spans: [], droppedSpans: droppedAtMost }))
      const spans = cutList(data.spans, Math.max(0, maxBytes - restBytes))
      return { ...data, spans, droppedSpans: data.droppedSpans + data.spans.length - spans.length }
    },
  }
}

// The kernel names its own spans after code; whatever else starts one may put the request's data into it.
function maskSpan(span: Span, redactor: Redactor): Span {
  const isOurs = span.category === 'listener' || span.category === 'controller'
  const name = isOurs ? span.name : redactor.text(span.name)
  const entries = Object.entries(span.attributes)
  if (entries.length === 0) return name === span.name ? span : { ...span, name }
  const masked = redactor.record(span.attributes)
  return { ...span, name, attributes: Object.fromEntries(entries.map(([key]) => [key, plainAttribute(masked[key])])) }
}

function plainAttribute(value: unknown): string | number | boolean {
  return typeof value === 'number' || typeof value === 'boolean' ? value : String(value)
}

function subRequestTime({ recording, handlerName }: ChildRecord, parentStartedMs: number): SubRequestTime | undefined {
  if (recording === undefined) return undefined
  const { token, stopwatch, durationMs } = recording
  return { token, handler: handlerName, startMs: stopwatch.startedMs - parentStartedMs, durationMs }
}
