// What was measured of one request. Not masked yet.

import { performance } from '../base/timing/builtins.ts'
import type { CpuTree, RunningCpuProfile, RunningHeapProfile } from './function-profiles.ts'
import type { KeptName, Recording } from '../http/recording/recording.ts'

/** Who a meter belongs to, for the pages of others. */
export interface MeteredRequest {
  readonly token: string
  readonly method: string
  /** Path as sent, cut at the length that pages show. Not masked: pages do that. */
  readonly path: string
}

/** Characters of a path that are kept: more than are shown, so that a secret on that edge is recognised as a whole. */
export const maxPathLength = 1224

/** A request, or work outside every recorded request (`null`), and how long it was in the way. */
export interface Hindrance {
  readonly request: MeteredRequest | null
  /** On the clock of the process. */
  readonly fromMs: number
  readonly toMs: number
}

/** Stretches kept of one request; further ones are only added up. */
export const maxStretches = 256
/** Requests that are named on either side, at most. */
export const maxHindrances = 50
/** Two stretches with less between them, in milliseconds, are one to the eye. */
const joinMs = 0.05

/** Of one request. Times are milliseconds on the clock of the process. */
export class RequestMeter {
  readonly request: MeteredRequest
  /** The account it counts for: several applications of one process each have their own. */
  readonly account: object
  readonly startedMs: number
  /** When it ended; what runs for it later is not measured. */
  endedMs: number | undefined = undefined
  /** How long others had kept the loop from reading this request. */
  heldBackMs = 0
  /** Whether this library has worked for it, as it does before each response. */
  hasPaused = false
  /** Sum of the stretches that have ended. */
  ownMs = 0
  /** At most this long other work ran while this request could have gone on. */
  loopWaitMs = 0
  /** How many stretches ended. */
  stretches = 0
  /** Of the longest stretch, without what the system ran meanwhile. */
  longestMs = 0
  /** How long the loop stood still for want of a processor from its start to its end, as far as that is known; not valid before the end. */
  delayedMs = 0
  /** When its last stretch ended. */
  offMs: number
  /** From and to of each stretch, one after the other: pairs, so that a request of many awaits makes no objects. */
  readonly times: number[] = []
  /** How long the clock of the request had stood still, in milliseconds: so far, and when each of these began. */
  stoodMs = 0
  readonly stood: number[] = []
  /** Requests that were in its way, in order. */
  readonly blockers: Hindrance[] = []
  /** Requests that it was in the way of. */
  readonly victims: Hindrance[] = []
  /** Those that were not kept. */
  droppedHindrances = 0

  constructor(request: MeteredRequest, account: object, startedMs: number) {
    this.request = request
    this.account = account
    this.startedMs = startedMs
    this.offMs = startedMs
  }

  /** `workMs`: how much of that was work. */
  ran(fromMs: number, toMs: number, workMs: number): void {
    if (this.endedMs !== undefined) return
    this.ownMs += toMs - fromMs
    this.stretches += 1
    this.offMs = toMs
    if (workMs > this.longestMs) this.longestMs = workMs
    const { times, stood, stoodMs } = this
    const last = times.length - 1
    const sinceMs = stoodMs - (stood[stood.length - 1] ?? 0)
    if (last > 0 && fromMs - sinceMs - (times[last] ?? 0) < joinMs) times[last] = toMs - sinceMs
    else if (last + 1 < 2 * maxStretches) {
      times.push(fromMs, toMs)
      stood.push(stoodMs)
    }
  }

  waited(forMs: number): void {
    if (this.endedMs === undefined) this.loopWaitMs += forMs
  }

  /** Keeps a hindrance on one of the two lists. Others may be found to have waited after the end. */
  note(list: 'blockers' | 'victims', hindrance: Hindrance): void {
    if (list === 'blockers' && this.endedMs !== undefined) return
    if (this[list].length < maxHindrances) this[list].push(hindrance)
    else this.droppedHindrances += 1
  }
}

export const measurementName: KeptName<RunningMeasurement> = 'measurement'
export const cpuCallsName: KeptName<CpuCalls> = 'cpu'

export interface MemorySample {
  /** When it was read, on the clock of the process, in milliseconds. */
  readonly atMs: number
  readonly heapUsed: number
  readonly heapLimit: number
  /** Resident memory, as it was at most a second ago. */
  readonly resident: number
}

export interface GarbagePause {
  readonly kind: 'minor' | 'major' | 'incremental' | 'weak callbacks'
  /** On the clock of the process, in milliseconds. */
  readonly startMs: number
  readonly durationMs: number
}

type MeteredFacts = Readonly<
  Omit<
    RequestMeter,
    'request' | 'account' | 'startedMs' | 'endedMs' | 'offMs' | 'hasPaused' | 'stoodMs' | 'ran' | 'waited' | 'note'
  >
>

/** One request that has ended. Times are on the clock of the process, in milliseconds. */
export interface Measurement extends MeteredFacts {
  readonly startedMs: number
  /** When measuring began: what came before was the profiler's own work. */
  readonly measuredMs: number
  readonly memoryBefore: MemorySample
  readonly memoryAfter: MemorySample
  readonly garbagePauses: readonly GarbagePause[]
}

/** The calls of one request, and what taking them cost. */
export interface CpuCalls {
  readonly tree: CpuTree
  /** Milliseconds for which the process stood still to begin and to read the profile. */
  readonly startTookMs: number
  readonly stopTookMs: number
}

export interface RunningMeasurement {
  /** The clock of the process when the recording began. */
  readonly startedMs: number
  readonly meter: RequestMeter
  readonly memoryBefore: MemorySample
  /** `undefined` while the request runs. */
  memoryAfter: MemorySample | undefined
  readonly garbage: { between(fromMs: number, toMs: number): readonly GarbagePause[] }
  readonly memory: { read(nowMs: number): MemorySample }
  readonly watch: { ownMs(meter: RequestMeter): number }
  readonly running: RunningProfiles
}

export interface RunningTrace {
  /** Ends it, the first time. Throws what the inspector throws. */
  stop(): object
}

export interface RunningProfiles {
  readonly cpu?: RunningCpuProfile | undefined
  readonly heap?: RunningHeapProfile | undefined
  readonly code?: RunningTrace | undefined
}

/** The measurement of a recorded request; `undefined` if there is none, or the request is still running. */
export function measurementOf(recording: Pick<Recording, 'kept'>): Measurement | undefined {
  const kept = recording.kept(measurementName)
  if (kept?.memoryAfter === undefined) return undefined
  const { startedMs, meter, memoryBefore, memoryAfter, garbage } = kept
  const {
    request: _request,
    account: _account,
    startedMs: measuredMs,
    endedMs = measuredMs,
    offMs: _off,
    hasPaused: _paused,
    stoodMs: _stood,
    ...facts
  } = meter
  const garbagePauses = garbage.between(measuredMs, endedMs)
  return { ...facts, startedMs, measuredMs, memoryBefore, memoryAfter, garbagePauses }
}

/** What a running request has used so far: milliseconds, and bytes of the process. */
export interface UsedSoFar {
  readonly ownMs: number
  readonly loopWaitMs: number
  readonly heapBefore: number
  readonly heapUsed: number
  readonly resident: number
}

/** `undefined` if the request is not measured. */
export function usedSoFar(recording: Pick<Recording, 'kept'>): UsedSoFar | undefined {
  const kept = recording.kept(measurementName)
  if (kept === undefined) return undefined
  const { meter, memory, memoryBefore, watch } = kept
  const { heapUsed, resident } = memory.read(performance.now())
  return {
    ownMs: watch.ownMs(meter),
    loopWaitMs: meter.loopWaitMs,
    heapBefore: memoryBefore.heapUsed,
    heapUsed,
    resident,
  }
}
