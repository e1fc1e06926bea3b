// Measures what a recorded request costs the process: time on the loop, memory, garbage pauses, CPU.

import { createHook } from 'node:async_hooks'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { constants, performance as hooks, PerformanceObserver, type PerformanceEntry } from 'node:perf_hooks'
import { promiseHooks, getHeapStatistics } from 'node:v8'
import { performance, threadMs } from '../base/timing/builtins.ts'
import type { HttpRequest } from '../base/http/request.ts'
import type { Awaitable } from '../base/members.ts'
import { currentExchange, runOutsideExchanges } from '../http/kernel/current-exchange.ts'
import type { Exchange } from '../http/kernel/exchange.ts'
import type { Listener } from '../http/kernel/listener.ts'
import { type Recording, profileHeader } from '../http/recording/recording.ts'
import {
  CpuSampler,
  type RunningCpuProfile,
  cpuTree,
  allocationsName,
  HeapSampler,
  type RunningHeapProfile,
} from './function-profiles.ts'
import { longStretchMs, LoopWatch, type AcceptedConnection, type ProcessorTimes } from './loop-watch.ts'
import type {
  CpuCalls,
  GarbagePause,
  RunningMeasurement,
  RequestMeter,
  RunningProfiles,
  RunningTrace,
  MemorySample,
} from './request-meter.ts'
import { cpuCallsName, measurementName, maxPathLength } from './request-meter.ts'
import { closeSync, openSync, readSync } from 'node:fs'

interface MeasuringOptions {
  /** Whether a request that asks for a CPU profile gets one: those who may open profiles do. */
  readonly maySample: (context: HttpRequest) => Promise<boolean>
  readonly codeTracer: {
    /** What a request asks for it with, and what the trace is kept under. */
    readonly name: string
    /** When a request first asks. */
    readonly load: () => Promise<CodeTracing>
  }
}

/** Traces the code of the application that one request runs. */
export interface CodeTracing {
  /** `request` names what is sent twice. `problem` says why nothing is traced. */
  start(request: string, recording: Recording): RunningTrace | { readonly problem: string }
}

/** Node tells here of each connection that a server accepts. */
const connectionChannel = 'net.server.socket'

/** One for each application in debug. */
export class Measuring implements Listener {
  readonly name = 'measuring'
  readonly isInstrumentation = true
  readonly #options: MeasuringOptions
  readonly #watch: LoopWatch
  readonly #garbage = new GarbagePauses()
  readonly #memory = new MemorySamples()
  readonly #sampler = new CpuSampler()
  readonly #heap = new HeapSampler()
  readonly #processor = new ProcessorClock()
  /** By socket. */
  readonly #accepted = new WeakMap<object, AcceptedConnection>()
  readonly #onConnection = (message: unknown): void => {
    this.#accepted.set((message as { readonly socket: object }).socket, this.#watch.accept())
  }
  #unfollow: (() => void) | undefined
  /** The recording that was asked for last, and its meter. */
  #lastAsked: Recording | undefined
  #lastMeter: RequestMeter | undefined

  constructor(options: MeasuringOptions) {
    this.#options = options
    const timing = hooks.nodeTiming
    this.#watch = new LoopWatch({
      now: () => performance.now(),
      idle: () => timing.idleTime,
      processor: () => this.#processor.read(),
      onTurn: (turned) => void runOutsideExchanges(() => setImmediate(turned).unref()),
    })
  }

  start(): void {
    this.#garbage.start()
    subscribe(connectionChannel, this.#onConnection)
    this.#unfollow ??= followContinuations(this.#watch, () => this.#currentMeter())
  }

  /** Ends that: nothing is left behind in the process. */
  stop(): void {
    unsubscribe(connectionChannel, this.#onConnection)
    this.#unfollow?.()
    this.#unfollow = undefined
    this.#garbage.stop()
    this.#sampler.close()
    this.#processor.close()
  }

  /** Begins to measure. What came before, since the recording began, was the profiler's own work. */
  onRequest(exchange: Exchange): Awaitable<void> {
    const { recording, request } = exchange
    if (recording === undefined || this.#unfollow === undefined) return undefined
    const { name } = this.#options.codeTracer
    const field = request.header(profileHeader)
    const asked = field === 'values' ? name : field
    if (asked !== 'cpu' && asked !== 'memory' && asked !== name) return this.#begin(exchange, recording, {})
    return this.#options.maySample(request).then(async (may) => {
      const heap = may && asked === 'memory' ? this.#startHeap(recording) : undefined
      this.#begin(exchange, recording, {
        heap,
        cpu: may && asked === 'cpu' ? this.#startSampling(recording) : undefined,
        code: may && asked === name ? await this.#startTrace(request, recording) : undefined,
      })
    })
  }

  #begin({ request, client }: Exchange, recording: Recording, running: RunningProfiles): void {
    const { method, path } = request
    const metered = { token: recording.token, method, path: path.slice(0, maxPathLength) }
    const { startedMs } = recording.stopwatch
    const connection = this.#accepted.get(client?.socket ?? this)
    const meter = this.#watch.begin(metered, { arrivedMs: startedMs, connection })
    recording.begins(meter.startedMs)
    recording.pauseWatcher = (isPaused) => {
      if (isPaused) return this.#watch.pause(meter)
      meter.stoodMs = recording.stopwatch.stoodMs
      if (meter.endedMs === undefined) this.#watch.goOn(meter)
    }
    const memoryBefore = this.#memory.read(meter.startedMs)
    recording.keep(measurementName, {
      startedMs,
      meter,
      memoryBefore,
      memoryAfter: undefined,
      garbage: this.#garbage,
      memory: this.#memory,
      watch: this.#watch,
      running,
    } satisfies RunningMeasurement)
    this.#lastAsked = recording
    this.#lastMeter = meter
  }

  /**
   * Ends the account of a request and keeps its measurement. Where it held the loop for long, what is given resolves when
   * those it held up have gone on and are in the measurement.
   */
  end({ recording, client }: Exchange): Promise<void> | undefined {
    const kept = recording === undefined ? undefined : this.#keptOf(recording)
    if (recording === undefined || kept === undefined || kept.meter.endedMs !== undefined) return undefined
    const { meter, running } = kept
    this.#watch.end(meter)
    const connection = this.#accepted.get(client?.socket ?? this)
    if (connection !== undefined) connection.freeMs = performance.now()
    kept.memoryAfter = this.#memory.read(meter.endedMs ?? meter.startedMs)
    const { code, cpu, heap } = running
    if (cpu !== undefined) keep(recording, 'cpu', cpuCallsName, () => callsOf(cpu, meter))
    if (heap !== undefined) keep(recording, 'memory', allocationsName, () => heap.stop())
    if (code !== undefined) keep(recording, 'code', this.#options.codeTracer.name, () => code.stop())
    return meter.longestMs < longStretchMs ? undefined : othersHaveGoneOn()
  }

  #startSampling(recording: Recording): RunningCpuProfile | undefined {
    const span = recording.startSpan({ name: 'CPU profile begins', category: 'kernel' })
    const running = this.#sampler.start()
    span.end()
    if (running === undefined) recording.note('recording', 'No CPU profile: others are being taken at this moment.')
    return running
  }

  #startHeap(recording: Recording): RunningHeapProfile | undefined {
    const running = this.#heap.start()
    if (running === undefined) {
      recording.note('recording', 'No allocations: they are being sampled for another request at this moment.')
    }
    return running
  }

  /** What is sent again has the same method and address. */
  async #startTrace({ method, fullUrl }: HttpRequest, recording: Recording): Promise<RunningTrace | undefined> {
    try {
      const tracer = await this.#options.codeTracer.load()
      const running = tracer.start(`${method} ${fullUrl}`, recording)
      if ('stop' in running) return running
      recording.note('collector code', running.problem)
    } catch (thrown) {
      recording.note('collector code', `failed: ${String(thrown).slice(0, 300)}`)
    }
    return undefined
  }

  /** Asked at each callback: mostly for the request of the one before. */
  #currentMeter(): RequestMeter | undefined {
    const recording = currentExchange()?.recording
    if (recording === undefined || recording.isPaused) return undefined
    if (recording === this.#lastAsked) return this.#lastMeter
    this.#lastAsked = recording
    this.#lastMeter = this.#keptOf(recording)?.meter
    return this.#lastMeter
  }

  #keptOf(recording: Recording): RunningMeasurement | undefined {
    const kept = recording.kept(measurementName)
    return kept?.meter.account === this.#watch ? kept : undefined
  }
}

function callsOf(running: RunningCpuProfile, meter: RequestMeter): CpuCalls {
  const stoppedMs = performance.now()
  const tree = cpuTree(running.stop(), meter.times)
  return { tree, startTookMs: running.startTookMs, stopTookMs: performance.now() - stoppedMs }
}

function keep(recording: Recording, collector: string, name: string, take: () => unknown): void {
  try {
    recording.keep(name, take())
  } catch (thrown) {
    recording.note(`collector ${collector}`, `failed: ${String(thrown).slice(0, 300)}`)
  }
}

/** What was ready runs in the next turn of the loop; a connection that could not be accepted is read in the one after. */
async function othersHaveGoneOn(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) {
    await new Promise<void>((resolve) => {
      runOutsideExchanges(() => setImmediate(resolve))
    })
  }
}

/**
 * Tells `watch` whenever other code begins to run. `meterOf` is asked each time and must be cheap. Gives what ends it.
 * Promises are hooked by V8 alone: Node's own hook on them numbers each one, which costs several times as much.
 */
export function followContinuations(watch: LoopWatch, meterOf: () => RequestMeter | undefined): () => void {
  // A callback that is called from inside another one (AsyncResource) counts with its caller: the context changes later.
  const callbacks = createHook({ before: () => watch.enterFromLoop(meterOf()), trackPromises: false })
  const stopPromises: unknown = promiseHooks.onBefore(() => watch.enter(meterOf()))
  callbacks.enable()
  return () => {
    callbacks.disable()
    if (typeof stopPromises === 'function') stopPromises()
    watch.enter(undefined)
  }
}

/** Pauses kept at most. */
const maxPauses = 200

/** Remembers pauses from `start` to `stop`. */
class GarbagePauses {
  readonly #pauses: GarbagePause[] = []
  #observer: PerformanceObserver | undefined

  start(): void {
    if (this.#observer !== undefined) return
    this.#observer = new PerformanceObserver((list) => this.#keep(list.getEntries()))
    this.#observer.observe({ entryTypes: ['gc'] })
  }

  /** Listens no more, and forgets. */
  stop(): void {
    this.#observer?.disconnect()
    this.#observer = undefined
    this.#pauses.length = 0
  }

  /** The pauses between two times, also those nobody was told of yet; in the order they came. */
  between(fromMs: number, toMs: number): readonly GarbagePause[] {
    const unheard = this.#observer?.takeRecords() ?? []
    if (unheard.length > 0) this.#keep(unheard)
    // From the end: requests ask for what came last.
    let first = this.#pauses.length
    for (; first > 0; first -= 1) {
      const pause = this.#pauses[first - 1]
      if (pause === undefined || pause.startMs + pause.durationMs <= fromMs) break
    }
    return first === this.#pauses.length ? [] : this.#pauses.slice(first).filter(({ startMs }) => startMs < toMs)
  }

  #keep(entries: readonly PerformanceEntry[]): void {
    for (const entry of entries) {
      this.#pauses.push({ kind: kindOf(entry), startMs: entry.startTime, durationMs: entry.duration })
    }
    if (this.#pauses.length > maxPauses) this.#pauses.splice(0, this.#pauses.length - maxPauses)
  }
}

function kindOf(entry: PerformanceEntry): GarbagePause['kind'] {
  const { kind } = (entry as PerformanceEntry & { readonly detail?: { readonly kind?: number } }).detail ?? {}
  if (kind === constants.NODE_PERFORMANCE_GC_MAJOR) return 'major'
  if (kind === constants.NODE_PERFORMANCE_GC_INCREMENTAL) return 'incremental'
  return kind === constants.NODE_PERFORMANCE_GC_WEAKCB ? 'weak callbacks' : 'minor'
}

/** How long a reading of the heap stays fresh, in milliseconds; each one costs microseconds. */
const heapFreshMs = 5
/** The same for resident memory, which is read from a file of the operating system. */
const residentFreshMs = 1000

/** Reads the counters of the process. */
class MemorySamples {
  #last: MemorySample = { atMs: Number.NEGATIVE_INFINITY, heapUsed: 0, heapLimit: 0, resident: 0 }
  #residentAtMs = Number.NEGATIVE_INFINITY
  #resident = 0

  read(nowMs: number): MemorySample {
    if (nowMs - this.#last.atMs < heapFreshMs) return this.#last
    if (nowMs - this.#residentAtMs >= residentFreshMs) {
      this.#residentAtMs = nowMs
      this.#resident = process.memoryUsage.rss()
    }
    const { used_heap_size: heapUsed, heap_size_limit: heapLimit } = getHeapStatistics()
    this.#last = { atMs: nowMs, heapUsed, heapLimit, resident: this.#resident }
    return this.#last
  }
}

class ProcessorClock {
  readonly #text = Buffer.alloc(64)
  #file: number | null | undefined

  read(): ProcessorTimes {
    try {
      if (this.#file === undefined) {
        this.#file = null
        this.#file = openSync('/proc/thread-self/schedstat', 'r')
      }
      if (this.#file !== null) {
        const length = readSync(this.#file, this.#text, 0, this.#text.length, 0)
        const [ran, delayed] = this.#text.toString('latin1', 0, length).split(' ')
        return { ranMs: Number(ran) / 1e6, delayedMs: Number(delayed) / 1e6 }
      }
    } catch {
      // The system has no such file.
    }
    return { ranMs: threadMs(), delayedMs: null }
  }

  close(): void {
    if (typeof this.#file === 'number') closeSync(this.#file)
    this.#file = null
  }
}
