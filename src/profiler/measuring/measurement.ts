// What was measured of one request. Not masked yet.

import type { CpuTree } from './cpu-tree.ts'
import type { RunningCpuProfile } from './cpu-sampler.ts'
import type { GarbagePause, GarbagePauses } from './garbage-pauses.ts'
import type { MemorySample } from './memory-samples.ts'
import type { Hindrance, RequestMeter } from './request-meter.ts'

/** Under what a measurement is kept. */
export const measurementName = 'measurement'
/** Under what the calls of a request are kept that asked for them. */
export const cpuCallsName = 'cpu'

/** One request that has ended. Times are on the clock of the process, in milliseconds. */
export interface Measurement {
  /** When the recording began. */
  readonly startedMs: number
  /** When measuring began: what came before was the profiler's own work. */
  readonly measuredMs: number
  readonly heldBackMs: number
  readonly ownMs: number
  readonly loopWaitMs: number
  readonly stretches: number
  readonly longestMs: number
  /** Start and end of each stretch, one after the other. */
  readonly times: readonly number[]
  readonly memoryBefore: MemorySample
  readonly memoryAfter: MemorySample
  readonly blockers: readonly Hindrance[]
  readonly victims: readonly Hindrance[]
  readonly droppedHindrances: number
  readonly garbagePauses: readonly GarbagePause[]
}

/** The calls of one request, and what taking them cost. */
export interface CpuCalls {
  readonly tree: CpuTree
  /** Milliseconds for which the process stood still to begin and to read the profile. */
  readonly startTookMs: number
  readonly stopTookMs: number
}

/** A request that is being measured. */
export interface RunningMeasurement {
  /** The clock of the process when the recording began. */
  readonly startedMs: number
  readonly meter: RequestMeter
  readonly memoryBefore: MemorySample
  /** `undefined` while the request runs. */
  memoryAfter: MemorySample | undefined
  readonly garbage: GarbagePauses
  /** The CPU profile of the request, if it asked for one. */
  readonly running: RunningCpuProfile | undefined
}

/** The measurement of a recorded request; `undefined` if there is none, or the request is still running. */
export function measurementOf(recording: { kept(name: string): unknown }): Measurement | undefined {
  // Only the measuring keeps something under the name.
  const kept = recording.kept(measurementName) as RunningMeasurement | undefined
  if (kept?.memoryAfter === undefined) return undefined
  const { startedMs, meter, memoryBefore, memoryAfter, garbage } = kept
  return {
    startedMs,
    measuredMs: meter.startedMs,
    heldBackMs: meter.heldBackMs,
    ownMs: meter.ownMs,
    loopWaitMs: meter.loopWaitMs,
    stretches: meter.stretches,
    longestMs: meter.longestMs,
    times: meter.times,
    memoryBefore,
    memoryAfter,
    blockers: meter.blockers,
    victims: meter.victims,
    droppedHindrances: meter.droppedHindrances,
    garbagePauses: garbage.between(meter.startedMs, meter.endedMs ?? meter.startedMs),
  }
}
