// Where the time went: the spans of the request, how long its sub-requests took, and what was measured of the process.

import type { Redactor } from '../../framework/redact/redactor.ts'
import type { Span } from '../../framework/timing/span.ts'
import type { BuiltInCollector } from '../request-record.ts'
import { cutList } from '../profile-parts.ts'
import { loopShares, type LoopShares } from './loop-shares.ts'
import { nestSpans } from './nest-spans.ts'

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

/** Gathers the spans. */
export function timeCollector(redactor: Redactor): BuiltInCollector<TimeData> {
  return {
    name: 'time',
    collect: ({ durationMs, spans, droppedSpans, children, instrumentationMs, parts }) => ({
      durationMs,
      spans: nestSpans(spans).map((span) => maskSpan(span, redactor)),
      droppedSpans,
      subRequests: children.map((child) => ({
        token: child.token,
        handler: child.handler,
        startMs: child.startMs,
        durationMs: child.durationMs,
      })),
      instrumentationMs,
      ...loopShares(parts.measurement, durationMs, redactor),
    }),
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
