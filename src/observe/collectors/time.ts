// Where the time went: the spans of the request, how long its sub-requests took, and what was measured of the process.

import type { Redactor } from '../../base/redact/redactor.ts'
import type { Span } from '../../base/timing/stopwatch.ts'
import type { SequentialWait, SequentialWaits } from '../outgoing/sequential-waits.ts'
import type { BuiltInCollector, RecordedChild, RequestRecord } from '../request-record.ts'
import { cutList } from '../profile-parts.ts'
import type { GarbagePause, Hindrance, Measurement } from '../../measuring/request-meter.ts'
import { nestSpans } from './events.ts'

export interface TimeData extends Partial<LoopShares> {
  readonly durationMs: number
  /** In the order they began; parents as `nestSpans` knows them. */
  readonly spans: readonly Span[]
  /** Spans that were not kept: too many, or too large for the profile. */
  readonly droppedSpans: number
  readonly subRequests: readonly RecordedChild[]
  /** Waits that could run side by side, most expensive first; absent where none were found. */
  readonly sequentialWaits?: readonly SequentialWait[]
}

/** Code that runs this long without a pause blocks the event loop, in milliseconds; so do waits of others that add up to it. */
const blockingMs = 50

/** `waits`: finds those that could run side by side. Default: nobody looks for them. */
export function timeCollector(redactor: Redactor, waits?: SequentialWaits): BuiltInCollector<TimeData> {
  return {
    name: 'time',
    collect: ({ durationMs, asideMs, spans, droppedSpans, children, parts }) => ({
      durationMs,
      spans: nestSpans(spans).map((span) => maskSpan(span, redactor)),
      droppedSpans,
      subRequests: children,
      ...foundWaits(waits?.find(parts) ?? []),
      ...loopShares(parts.measurement, { durationMs, asideMs }, redactor),
    }),
    summarize: ({ ownCpuMs = null, longestStretchMs = 0, blockedOthersMs = 0 }) => {
      const isBlocking = longestStretchMs >= blockingMs || blockedOthersMs >= blockingMs
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

function foundWaits(sequentialWaits: readonly SequentialWait[]): Pick<TimeData, 'sequentialWaits'> {
  return sequentialWaits.length === 0 ? {} : { sequentialWaits }
}

// The kernel names its own spans after code; whatever else starts one may put the request's data into it.
function maskSpan(span: Span, redactor: Redactor): Span {
  const isOurs = span.category === 'listener' || span.category === 'controller'
  const name = isOurs ? span.name : redactor.text(span.name)
  if (Object.keys(span.attributes).length === 0) return name === span.name ? span : { ...span, name }
  const attributes = Object.entries(redactor.record(span.attributes))
  return {
    ...span,
    name,
    attributes: Object.fromEntries(attributes.map(([key, value]) => [key, plainAttribute(value)])),
  }
}

function plainAttribute(value: unknown): string | number | boolean {
  return typeof value === 'number' || typeof value === 'boolean' ? value : String(value)
}

/** Characters of another request's path that are shown. */
const maxShownPath = 200

/** A request that was in another's way, or had another in its own. Times are milliseconds since this request began. */
export interface LoopHindrance {
  /** Profile of the other request; `null` if it was work outside every recorded request. */
  readonly token: string | null
  readonly method: string | null
  /** Path without its query, masked, at most 200 characters. */
  readonly path: string | null
  /** Below 0 if it was before this request could begin. */
  readonly fromMs: number
  readonly durationMs: number
}

/** Memory of the process, in bytes: that of all its requests together. */
export interface MemoryShares {
  readonly heapBefore: number
  readonly heapAfter: number
  readonly heapLimit: number
  /** As it was at most a second before the end. */
  readonly resident: number
}

/** Facts of the loop. None are there for a sub-request, whose work counts with its parent's, and before the end. */
export interface LoopShares {
  /** Sum of the stretches in which code ran for this request; wall time, garbage pauses within included. */
  readonly ownCpuMs: number
  /** At most so long other code ran while this request could have gone on. */
  readonly loopWaitMs: number
  /** The rest: waiting for the network, for files, for timers, for the client. */
  readonly ioWaitMs: number
  /** How long the loop had been with others when the request could be read; comes on top of its duration, for the client. */
  readonly heldBackMs: number
  readonly longestStretchMs: number
  readonly stretchCount: number
  /** From and to of the stretches, one after the other: the first 256. */
  readonly stretches: readonly number[]
  /** Long stretches of others that this request waited for. */
  readonly blockedBy: readonly LoopHindrance[]
  /** Requests that waited for long stretches of this one. */
  readonly blocked: readonly LoopHindrance[]
  /** Sum of those waits. */
  readonly blockedOthersMs: number
  /** Others on the two lists that were not kept. */
  readonly droppedHindrances: number
  readonly memory: MemoryShares
  /** Pauses during the request, even for garbage of other requests. */
  readonly garbagePauses: readonly GarbagePause[]
  /** How long the request waited for this library, in milliseconds, the error page and the start of a CPU profile included: no part of its duration. */
  readonly profilerMs: number
}

/** Divides `durationMs`. */
function loopShares(
  measured: Measurement | undefined,
  { durationMs, asideMs }: Pick<RequestRecord, 'durationMs' | 'asideMs'>,
  redactor: Redactor,
): Partial<LoopShares> {
  if (measured === undefined) return {}
  const { startedMs, ownMs, loopWaitMs, memoryBefore, memoryAfter } = measured
  const sinceStart = (ms: number): number => rounded(ms - startedMs)
  const blocked = measured.victims.map((found) => maskHindrance(relativeTo(found, startedMs), redactor))
  return {
    ownCpuMs: rounded(ownMs),
    loopWaitMs: rounded(loopWaitMs),
    ioWaitMs: rounded(Math.max(0, durationMs - ownMs - loopWaitMs)),
    profilerMs: rounded(asideMs),
    heldBackMs: rounded(measured.heldBackMs),
    longestStretchMs: rounded(measured.longestMs),
    stretchCount: measured.stretches,
    stretches: measured.times.map((ms, index) => sinceStart(ms - (measured.stood[index >> 1] ?? 0))),
    blockedBy: measured.blockers.map((found) => maskHindrance(relativeTo(found, startedMs), redactor)),
    blocked,
    blockedOthersMs: rounded(blocked.reduce((sum, { durationMs: ms }) => sum + ms, 0)),
    droppedHindrances: measured.droppedHindrances,
    memory: {
      heapBefore: memoryBefore.heapUsed,
      heapAfter: memoryAfter.heapUsed,
      heapLimit: memoryAfter.heapLimit,
      resident: memoryAfter.resident,
    },
    garbagePauses: measured.garbagePauses.map((pause) => ({ ...pause, startMs: pause.startMs - startedMs })),
  }
}

function relativeTo({ request, fromMs, toMs }: Hindrance, startedMs: number): Hindrance {
  return { request, fromMs: fromMs - startedMs, toMs: toMs - startedMs }
}

function maskHindrance({ request, fromMs, toMs }: Hindrance, redactor: Redactor): LoopHindrance {
  return {
    token: request?.token ?? null,
    method: request?.method ?? null,
    path: request === null ? null : redactor.url(request.path).slice(0, maxShownPath),
    fromMs: rounded(fromMs),
    durationMs: rounded(toMs - fromMs),
  }
}

/** To microseconds: the clock knows no more. */
export function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000
}
