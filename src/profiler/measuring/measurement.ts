// What was measured of one request. Not masked yet.

import type { CpuTree } from './cpu-tree.ts'
import type { RunningCpuProfile } from './cpu-sampler.ts'
import type { GarbagePause } from './garbage-pauses.ts'
import type { MemorySample } from './memory-samples.ts'
import type { Hindrance, RequestMeter } from './request-meter.ts'

/** Under what a measurement is kept. */
export const measurementName = 'measurement'
/** Under what the calls of a request are kept that asked for them. */
export const cpuCallsName = 'cpu'

/** Of one request that has ended. Times are milliseconds since its recording began. */
export interface Measurement {
  /** What the profiler did between the begin of the recording and that of the measuring. */
  readonly profilerMs: number
  readonly heldBackMs: number
  readonly ownMs: number
  readonly loopWaitMs: number
  readonly stretches: number
  readonly longestMs: number
  /** From and to of each stretch, one after the other. */
  readonly times: readonly number[]
  readonly memory: {
    readonly heapBefore: number
    readonly heapAfter: number
    readonly heapLimit: number
    readonly resident: number
  }
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

/** What a measurement begins with. */
export interface MeasurementStart {
  /** The clock of the process when the recording began. */
  readonly startedMs: number
  readonly meter: RequestMeter
  readonly memory: MemorySample
  /** Asked late for the pauses that fell into the request, when all of them are known. */
  readonly garbage: { between(fromMs: number, toMs: number): readonly GarbagePause[] }
  /** Takes a CPU profile of the request. Default: none is taken. */
  readonly running: RunningCpuProfile | undefined
}

/** The measurement of a request, from its start on. */
export class RunningMeasurement {
  readonly start: MeasurementStart
  #memoryAfter: MemorySample | undefined

  constructor(start: MeasurementStart) {
    this.start = start
  }

  /** Ends it; the meter has ended before. */
  end(memory: MemorySample): void {
    this.#memoryAfter = memory
  }

  /** Plain facts as they are now; `undefined` while the request is running. */
  toRecord(): Measurement | undefined {
    const memoryAfter = this.#memoryAfter
    if (memoryAfter === undefined) return undefined
    const { startedMs, meter, memory, garbage } = this.start
    const sinceStart = ({ request, fromMs, toMs }: Hindrance): Hindrance => ({
      request,
      fromMs: fromMs - startedMs,
      toMs: toMs - startedMs,
    })
    const pauses = garbage.between(meter.startedMs, meter.endedMs ?? meter.startedMs)
    return {
      profilerMs: meter.startedMs - startedMs,
      heldBackMs: meter.heldBackMs,
      ownMs: meter.ownMs,
      loopWaitMs: meter.loopWaitMs,
      stretches: meter.stretches,
      longestMs: meter.longestMs,
      times: meter.times.map((time) => time - startedMs),
      memory: {
        heapBefore: memory.heapUsed,
        heapAfter: memoryAfter.heapUsed,
        heapLimit: memoryAfter.heapLimit,
        resident: memoryAfter.resident,
      },
      blockers: meter.blockers.map(sinceStart),
      victims: meter.victims.map(sinceStart),
      droppedHindrances: meter.droppedHindrances,
      garbagePauses: pauses.map(({ kind, startMs, durationMs }) => ({
        kind,
        startMs: startMs - startedMs,
        durationMs,
      })),
    }
  }
}

/** The measurement of a recorded request, or `undefined`. */
export function measurementOf(recording: { kept(name: string): unknown }): Measurement | undefined {
  // Only the measuring keeps something under the name.
  return (recording.kept(measurementName) as RunningMeasurement | undefined)?.toRecord()
}
