// Samples what is allocated while a request runs, by the functions that allocate.

import type { HeapProfiler, Session } from 'node:inspector'
import { clearTimeout, performance, setTimeout } from '../base/timing/builtins.ts'
import { libraryFile, normalizeRoot } from '../errors/frame-file.ts'
import { libraryRoot } from '../base/own-package.ts'
import { functionOf, type CpuFunction } from './cpu-profile.ts'
import type { KeptName } from '../http/recording/recording.ts'

export const allocationsName: KeptName<Allocations> = 'memory'

/** Bytes that a function allocated itself, and with what it called. Estimated from samples. */
export interface AllocatedBytes {
  selfBytes: number
  totalBytes: number
}

/** What the code of the application, with all that it called but this library, allocated in the process while one request ran. */
export interface Allocations {
  /** Those that allocated most, with what they called, first. */
  readonly functions: readonly (CpuFunction & Readonly<AllocatedBytes>)[]
  /** Functions that allocated too little to keep. */
  readonly dropped: number
  readonly totalBytes: number
  /** What this library allocated there, counted nowhere else. */
  readonly libraryBytes: number
  /** Whether sampling ended before the request did. */
  readonly isCut: boolean
  /** Milliseconds for which the process stood still to begin and to read the samples. */
  readonly startTookMs: number
  readonly stopTookMs: number
}

/** Functions kept at most. */
const maxAllocating = 200
/** About one sample for so many bytes. */
const samplingInterval = 8192
/** The longest time that a request is sampled, in milliseconds: V8 remembers each sample. */
const maxSampledMs = 60_000

type SampledNode = HeapProfiler.SamplingHeapProfileNode

export interface RunningHeapProfile {
  /** Ends it. Once only. */
  stop(): Allocations
}

/** One for each application. V8 samples for one request at a time. */
export class HeapSampler {
  #isRunning = false

  /** Begins to sample; `undefined` where that is done for another request. */
  start(): RunningHeapProfile | undefined {
    if (this.#isRunning) return undefined
    const askedMs = performance.now()
    // Loaded with the first request that asks.
    const { Session: Connection } = process.getBuiltinModule('node:inspector')
    const session = new Connection()
    session.connect()
    const collected = { includeObjectsCollectedByMajorGC: true, includeObjectsCollectedByMinorGC: true }
    session.post('HeapProfiler.startSampling', { samplingInterval, ...collected })
    this.#isRunning = true
    const startTookMs = performance.now() - askedMs
    let early: Sampled | undefined
    const end = (): Sampled => {
      clearTimeout(timer)
      this.#isRunning = false
      return stopSampling(session)
    }
    const timer = setTimeout(() => (early = end()), maxSampledMs)
    timer.unref()
    return {
      stop: () => {
        const { head, tookMs } = early ?? end()
        return { ...addUp(head), isCut: early !== undefined, startTookMs, stopTookMs: tookMs }
      },
    }
  }
}

interface Sampled {
  readonly head: SampledNode
  readonly tookMs: number
}

/** Throws where V8 does not sample any more. */
function stopSampling(session: Session): Sampled {
  const askedMs = performance.now()
  let head: SampledNode | undefined
  let failure: Error | null = null
  // Called before `post` returns.
  session.post('HeapProfiler.stopSampling', (error, result) => {
    failure = error
    head = result?.profile.head
  })
  session.disconnect()
  if (head === undefined) throw failure ?? new Error('V8 gave no samples')
  return { head, tookMs: performance.now() - askedMs }
}

type Sum = CpuFunction & AllocatedBytes

/** A function that calls itself counts once. What only Node and this library called is theirs. What the library calls of the language is the library's. */
function addUp(head: SampledNode): Pick<Allocations, 'functions' | 'dropped' | 'totalBytes' | 'libraryBytes'> {
  const sums = new Map<string, Sum>()
  const library = { selfBytes: 0, totalBytes: 0 }
  const path = new Set<AllocatedBytes>()
  const root = normalizeRoot(libraryRoot())
  const visit = ({ callFrame, selfSize, children }: SampledNode, isCalled: boolean, byLibrary: boolean): number => {
    const isLibrary = callFrame.url === '' ? byLibrary : libraryFile(callFrame.url, root) !== null
    const isCounted = isCalled || !(isLibrary || isNode(callFrame.url))
    const ownSize = isCounted ? selfSize : 0
    const sum = isLibrary ? library : sumOf(sums, callFrame)
    const isOuter = !path.has(sum)
    path.add(sum)
    const from = isLibrary ? 0 : ownSize
    const total = children.reduce((bytes, child) => bytes + visit(child, isCounted, isLibrary), from)
    sum.selfBytes += ownSize
    if (isOuter) {
      sum.totalBytes += total
      path.delete(sum)
    }
    return total
  }
  const totalBytes = head.children.reduce((bytes, child) => bytes + visit(child, false, false), 0)
  const weight = ({ location, selfBytes, totalBytes: all }: Sum): number => (isNode(location) ? selfBytes : all)
  const functions = [...sums.values()]
    .filter((sum) => weight(sum) > 0)
    .sort((one, other) => weight(other) - weight(one))
  return {
    functions: functions.slice(0, maxAllocating),
    dropped: Math.max(0, functions.length - maxAllocating),
    totalBytes,
    libraryBytes: library.selfBytes,
  }
}

const isNode = (url: string): boolean => url === '' || url.startsWith('node:')

function sumOf(sums: Map<string, Sum>, callFrame: SampledNode['callFrame']): Sum {
  const [key, called] = functionOf(callFrame)
  const sum = sums.get(key) ?? { ...called, selfBytes: 0, totalBytes: 0 }
  sums.set(key, sum)
  return sum
}
