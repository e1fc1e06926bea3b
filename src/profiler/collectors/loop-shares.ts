// How the wall time of a request divides: what ran for it, what it waited for. Own time is measured; the wait for the loop is
// the longest it can have been, and the wait for input and output is the rest.

import type { GarbagePause } from '../measuring/process-samples.ts'
import type { Measurement, Hindrance } from '../measuring/request-meter.ts'
import type { Redactor } from '../../framework/redact/redactor.ts'

/** Characters of another request's path that are shown. */
const maxShownPath = 200

/** A request that was in another's way, or had another in its own. Times are milliseconds since this request began. */
export interface LoopHindrance {
  /** Profile of the other request; `null` where it was work outside every recorded request. */
  readonly token: string | null
  readonly method: string | null
  /** Path without its query, masked, at most 200 characters. */
  readonly path: string | null
  /** Below 0 where it was before this request could begin. */
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

/** Facts of the loop. Everything is `null` or empty for a sub-request, whose work counts with its parent's, and before the end. */
export interface LoopShares {
  /** Sum of the stretches in which code ran for this request; wall time, garbage pauses within included. */
  readonly ownCpuMs: number | null
  /** At most so long other code ran while this request could have gone on. */
  readonly loopWaitMs: number | null
  /** The rest: waiting for the network, for files, for timers, for the client. */
  readonly ioWaitMs: number | null
  /** How long the loop had been with others when the request could be read; comes on top of its duration, for the client. */
  readonly heldBackMs: number | null
  /** The longest stretch. */
  readonly longestStretchMs: number | null
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
  readonly memory: MemoryShares | null
  /** Pauses that fell into the request, whoever made the garbage. */
  readonly garbagePauses: readonly GarbagePause[]
  /** What the profiler itself took before the first listener, in milliseconds; a CPU profile that began included. */
  readonly profilerMs: number | null
}

/** Divides `durationMs`. */
export function loopShares(measured: Measurement | undefined, durationMs: number, redactor: Redactor): LoopShares {
  if (measured === undefined) return notMeasured
  const { startedMs, ownMs, loopWaitMs, memoryBefore, memoryAfter } = measured
  const profilerMs = measured.measuredMs - startedMs
  const sinceStart = (ms: number): number => rounded(ms - startedMs)
  const blocked = measured.victims.map((found) => maskHindrance(relativeTo(found, startedMs), redactor))
  return {
    ownCpuMs: rounded(ownMs),
    loopWaitMs: rounded(loopWaitMs),
    ioWaitMs: rounded(Math.max(0, durationMs - ownMs - loopWaitMs - profilerMs)),
    profilerMs: rounded(profilerMs),
    heldBackMs: rounded(measured.heldBackMs),
    longestStretchMs: rounded(measured.longestMs),
    stretchCount: measured.stretches,
    stretches: measured.times.map(sinceStart),
    blockedBy: measured.blockers.map((found) =>
      maskHindrance(beforeOrDuring(relativeTo(found, startedMs), profilerMs), redactor),
    ),
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

// What ended when the measuring began was over before the request, which began a moment earlier.
function beforeOrDuring(found: Hindrance, profilerMs: number): Hindrance {
  const { request, fromMs, toMs } = found
  return toMs > profilerMs ? found : { request, fromMs: fromMs - profilerMs, toMs: Math.min(0, toMs - profilerMs) }
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
function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000
}

const notMeasured: LoopShares = {
  ownCpuMs: null,
  loopWaitMs: null,
  ioWaitMs: null,
  heldBackMs: null,
  longestStretchMs: null,
  stretchCount: 0,
  stretches: [],
  blockedBy: [],
  blocked: [],
  blockedOthersMs: 0,
  droppedHindrances: 0,
  memory: null,
  garbagePauses: [],
  profilerMs: null,
}
