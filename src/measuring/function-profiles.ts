// Which functions used the CPU, and which allocated memory, while a request ran.

import { randomUUID } from 'node:crypto'
import type { InspectorNotification, Profiler, Session, HeapProfiler } from 'node:inspector'
import { clearTimeout, performance, setTimeout } from '../base/timing/builtins.ts'
import { libraryFile, normalizeRoot } from '../errors/frame-file.ts'
import { libraryRoot } from '../base/own-package.ts'
import type { KeptName } from '../http/recording/recording.ts'

/** A function as V8 names it. Lines and columns count from 1; 0 where V8 knows none. */
export interface CpuFunction {
  readonly name: string
  /** As V8 gives it: `file:///srv/app/prices.ts`, `node:fs`, or empty. */
  readonly location: string
  readonly line: number
  readonly column: number
}

export interface CpuCall {
  /** Index of the caller, which comes before; -1 for the outermost. */
  readonly parent: number
  /** Index of the function. */
  readonly of: number
  readonly selfMs: number
  readonly totalMs: number
}

export interface CpuTree {
  readonly functions: readonly CpuFunction[]
  /** Callers before what they call. */
  readonly calls: readonly CpuCall[]
  /** Milliseconds that all calls add up to. */
  readonly ownMs: number
  /** Milliseconds of the same time in which the loop ran for others. */
  readonly othersMs: number
  /** How many samples fell into the request's stretches. */
  readonly samples: number
  /** Calls that were too short to keep. */
  readonly droppedCalls: number
}

/** Calls kept at most: the longest. */
export const maxCalls = 1200

/** `stretches` are pairs of from and to, in order, on the clock of the process. */
export function cpuTree({ profile, startedMs }: TakenCpuProfile, stretches: readonly number[]): CpuTree {
  const weights = new Map<number, number>()
  let ownMs = 0
  let othersMs = 0
  let samples = 0
  let timeMs = startedMs
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]))
  const cut = new StretchCut(stretches)
  for (const [index, id] of (profile.samples ?? []).entries()) {
    const fromMs = timeMs
    timeMs += (profile.timeDeltas?.[index] ?? 0) / 1000
    if (nodes.get(id)?.callFrame.functionName === '(idle)') continue
    const insideMs = cut.within(fromMs, timeMs)
    othersMs += Math.max(0, timeMs - fromMs - insideMs)
    if (insideMs === 0) continue
    samples += 1
    ownMs += insideMs
    weights.set(id, (weights.get(id) ?? 0) + insideMs)
  }
  return { ...addUp(profile.nodes[0], nodes, weights), ownMs, othersMs, samples }
}

/** How much of a time lies in the stretches; asked in order. */
class StretchCut {
  readonly #stretches: readonly number[]
  #index = 0

  constructor(stretches: readonly number[]) {
    this.#stretches = stretches
  }

  within(fromMs: number, toMs: number): number {
    const at = this.#stretches
    while (this.#index < at.length && (at[this.#index + 1] ?? 0) <= fromMs) this.#index += 2
    let total = 0
    for (let index = this.#index; index < at.length && (at[index] ?? 0) < toMs; index += 2) {
      total += Math.max(0, Math.min(at[index + 1] ?? 0, toMs) - Math.max(at[index] ?? 0, fromMs))
    }
    return total
  }
}

interface Building {
  readonly parent: Building | undefined
  readonly node: Profiler.ProfileNode
  readonly selfMs: number
  totalMs: number
}

function addUp(
  root: Profiler.ProfileNode | undefined,
  nodes: ReadonlyMap<number, Profiler.ProfileNode>,
  weights: ReadonlyMap<number, number>,
): Pick<CpuTree, 'functions' | 'calls' | 'droppedCalls'> {
  const built: Building[] = []
  const visit: Building[] = []
  const begin = (node: Profiler.ProfileNode, parent: Building | undefined): void => {
    const selfMs = weights.get(node.id) ?? 0
    visit.push({ parent, node, selfMs, totalMs: selfMs })
  }
  // The root is the whole profile; its calls are the outermost ones.
  for (const child of root?.children ?? []) begin(nodes.get(child)!, undefined)
  for (let call = visit.pop(); call !== undefined; call = visit.pop()) {
    built.push(call)
    for (const child of call.node.children ?? []) begin(nodes.get(child)!, call)
  }
  // Callers come before what they call, so from the end each one is complete when it is added to its caller.
  for (const call of built.toReversed()) if (call.parent !== undefined) call.parent.totalMs += call.totalMs
  const seen = built.filter(({ totalMs }) => totalMs > 0)
  const kept = new Set(seen.toSorted((one, other) => other.totalMs - one.totalMs).slice(0, maxCalls))
  return {
    ...numbered(seen.filter((call) => hasCallers(call, kept))),
    droppedCalls: Math.max(0, seen.length - maxCalls),
  }
}

function hasCallers(call: Building, kept: ReadonlySet<Building>): boolean {
  for (let at: Building | undefined = call; at !== undefined; at = at.parent) if (!kept.has(at)) return false
  return true
}

function numbered(built: readonly Building[]): Pick<CpuTree, 'functions' | 'calls'> {
  const functions: CpuFunction[] = []
  const known = new Map<string, number>()
  const indices = new Map<Building, number>()
  const calls = built.map((call, index) => {
    indices.set(call, index)
    const [key, called] = functionOf(call.node.callFrame)
    const of = known.get(key) ?? functions.push(called) - 1
    known.set(key, of)
    const parent = call.parent === undefined ? -1 : (indices.get(call.parent) ?? -1)
    return { parent, of, selfMs: call.selfMs, totalMs: call.totalMs }
  })
  return { functions, calls }
}

/** The function of a sample, and what tells it apart. */
function functionOf(frame: Profiler.ProfileNode['callFrame']): readonly [key: string, called: CpuFunction] {
  const { functionName: name, url: location, lineNumber, columnNumber } = frame
  const called = { name, location, line: lineNumber + 1, column: columnNumber + 1 }
  return [`${location}:${lineNumber}:${columnNumber}:${name}`, called]
}

/** What V8 sampled, and the offset of its clock to that of the process. */
interface TakenCpuProfile {
  readonly profile: Profiler.Profile
  /** When it began, on the clock of the process, in milliseconds. */
  readonly startedMs: number
}

export interface RunningCpuProfile {
  /** How long starting it blocked the process, in milliseconds. */
  readonly startTookMs: number
  /** Ends it. Once only. Throws if sampling has ended. */
  stop(): TakenCpuProfile
}

/** How long sampling continues after the last request, in milliseconds; it costs a few percent. */
const heldOpenMs = 5000
/** Requests that are sampled at a time, at most. */
const maxRunning = 4

/** One for each application. */
export class CpuSampler {
  #session: Session | undefined
  #running = 0
  #timer: NodeJS.Timeout | undefined

  /** Begins a profile; `undefined` where enough are running. */
  start(): RunningCpuProfile | undefined {
    if (this.#running >= maxRunning) return undefined
    const askedMs = performance.now()
    clearTimeout(this.#timer)
    // Loaded with the first request that asks.
    const { console, Session: Connection } = process.getBuiltinModule('node:inspector')
    this.#session ??= startSampling(new Connection())
    const session = this.#session
    this.#running += 1
    const title = `fanlight ${randomUUID()}`
    const startedMs = performance.now()
    // A session takes one profile by command, and any number by the console.
    console.profile(title)
    return {
      startTookMs: performance.now() - askedMs,
      stop: () => {
        this.#running -= 1
        if (this.#running === 0) this.#closeLater()
        return { profile: endProfile(session, () => console.profileEnd(title)), startedMs }
      },
    }
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#session?.disconnect()
    this.#session = undefined
  }

  #closeLater(): void {
    this.#timer = setTimeout(() => this.close(), heldOpenMs)
    this.#timer.unref()
  }
}

/** Whether somebody counts the coverage of this process already, and would lose it. */
export function countsCoverage(): boolean {
  return process.env['NODE_V8_COVERAGE'] !== undefined || process.execArgv.includes('--experimental-test-coverage')
}

/** The first profile makes V8 look at every function of the process; while it runs, further ones begin at once. */
function startSampling(session: Session): Session {
  session.connect()
  session.post('Profiler.enable')
  session.post('Profiler.start')
  // Optimized code does not tell which functions it took in: V8 drops it to count calls.
  if (!countsCoverage()) {
    session.post('Profiler.startPreciseCoverage', { callCount: true })
    session.post('Profiler.stopPreciseCoverage')
  }
  return session
}

/** What a session tells while `end` runs. */
function endProfile(session: Session, end: () => void): Profiler.Profile {
  let taken: Profiler.Profile | undefined
  const event = 'Profiler.consoleProfileFinished'
  const take = ({ params }: InspectorNotification<Profiler.ConsoleProfileFinishedEventDataType>): void => {
    taken = params.profile
  }
  session.once(event, take)
  end()
  session.off(event, take)
  if (taken === undefined) throw new Error('V8 gave no profile')
  return taken
}

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
        return { ...addSizes(head), isCut: early !== undefined, startTookMs, stopTookMs: tookMs }
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
function addSizes(head: SampledNode): Pick<Allocations, 'functions' | 'dropped' | 'totalBytes' | 'libraryBytes'> {
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
