// What was measured of one request, as it is kept with its recording: plain data, so that it can be looked into later and in
// another thread; flat, because each object on that way costs. Not masked yet.

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

/** A measurement on its way: a fixed number of figures, then the times; and who was in whose way, where somebody was. */
export interface PackedMeasurement {
  readonly figures: readonly number[]
  readonly more: Pick<Measurement, 'blockers' | 'victims' | 'garbagePauses'> | null
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

/** A measurement as it is kept, from its begin on: packed when somebody wants it, many in a row. */
export class KeptMeasurement {
  readonly start: MeasurementStart
  #memoryAfter: MemorySample | undefined
  #read: Measurement | undefined

  constructor(start: MeasurementStart) {
    this.start = start
  }

  /** Ends it. What it says of the time is the meter's. */
  end(memory: MemorySample): void {
    this.#memoryAfter = memory
  }

  /** Plain facts as they are now, for one reader: what nobody holds is forgotten soonest. `undefined` while the request runs. */
  pack(): PackedMeasurement | undefined {
    return this.#memoryAfter === undefined ? undefined : packMeasurement(this.start, this.#memoryAfter)
  }

  /** For readers in this thread, the same each time. */
  read(): Measurement | undefined {
    const packed = this.#read === undefined ? this.pack() : undefined
    if (packed !== undefined) this.#read = unpackMeasurement(packed)
    return this.#read
  }
}

/** What was measured of a recorded request, if anything was. Only the measuring keeps something under the name. */
export function measurementOf(recording: { kept(name: string): unknown }): Measurement | undefined {
  const kept = recording.kept(measurementName) as KeptMeasurement | PackedMeasurement | undefined
  if (kept === undefined) return undefined
  return kept instanceof KeptMeasurement ? kept.read() : unpackMeasurement(kept)
}

function packMeasurement(start: MeasurementStart, memoryAfter: MemorySample): PackedMeasurement {
  const { startedMs, meter, memory } = start
  const garbagePauses = start.garbage.between(meter.startedMs, meter.endedMs ?? meter.startedMs)
  const { heldBackMs, ownMs, loopWaitMs, stretches, longestMs, times, blockers, victims, droppedHindrances } = meter
  const figures = [
    startedMs,
    meter.startedMs - startedMs,
    heldBackMs,
    ownMs,
    loopWaitMs,
    stretches,
    longestMs,
    memory.heapUsed,
    memoryAfter.heapUsed,
    memoryAfter.heapLimit,
    memoryAfter.resident,
    droppedHindrances,
  ].concat(times)
  const isAlone = blockers.length + victims.length + garbagePauses.length === 0
  // Copies: the lists go on growing while others find out whom they waited for.
  return { figures, more: isAlone ? null : { blockers: [...blockers], victims: [...victims], garbagePauses } }
}

/** How many figures come before the times. */
const fixedFigures = 12

function unpackMeasurement({ figures, more }: PackedMeasurement): Measurement {
  const [startedMs = 0, profilerMs = 0, heldBackMs = 0, ownMs = 0, loopWaitMs = 0, stretches = 0, longestMs = 0] =
    figures
  const [heapBefore = 0, heapAfter = 0, heapLimit = 0, resident = 0, droppedHindrances = 0] = figures.slice(7)
  const sinceStart = (hindrance: Hindrance): Hindrance => ({
    request: hindrance.request,
    fromMs: hindrance.fromMs - startedMs,
    toMs: hindrance.toMs - startedMs,
  })
  return {
    profilerMs,
    heldBackMs,
    ownMs,
    loopWaitMs,
    stretches,
    longestMs,
    times: figures.slice(fixedFigures).map((time) => time - startedMs),
    memory: { heapBefore, heapAfter, heapLimit, resident },
    blockers: (more?.blockers ?? []).map(sinceStart),
    victims: (more?.victims ?? []).map(sinceStart),
    droppedHindrances,
    garbagePauses: (more?.garbagePauses ?? []).map(({ kind, startMs, durationMs }) => ({
      kind,
      startMs: startMs - startedMs,
      durationMs,
    })),
  }
}
