// Memory and garbage pauses of the process.

import { getHeapStatistics } from 'node:v8'
import { constants, PerformanceObserver, type PerformanceEntry } from 'node:perf_hooks'

/** The memory of the process at one time. */
export interface MemorySample {
  /** When it was read, on the clock of the process, in milliseconds. */
  readonly atMs: number
  readonly heapUsed: number
  readonly heapLimit: number
  /** Resident memory, as it was at most a second ago. */
  readonly resident: number
}

/** For so long a reading of the heap counts as now, in milliseconds, and when many requests want one: reading it costs microseconds. */
const heapFreshMs = 5
const heapFreshWhenBusyMs = 50
/** So many readings within a second are many. */
const busyReadings = 20
/** The same for resident memory, which is read from a file of the operating system. */
const residentFreshMs = 1000

/** Reads the counters of the process. */
export class MemorySamples {
  #last: MemorySample = { atMs: Number.NEGATIVE_INFINITY, heapUsed: 0, heapLimit: 0, resident: 0 }
  #residentAtMs = Number.NEGATIVE_INFINITY
  #resident = 0
  /** Readings of the heap since resident memory was read. */
  #readings = 0

  /** The memory now. */
  read(nowMs: number): MemorySample {
    const ageMs = nowMs - this.#last.atMs
    if (ageMs < heapFreshMs || (ageMs < heapFreshWhenBusyMs && this.#readings >= busyReadings)) return this.#last
    this.#readings += 1
    if (nowMs - this.#residentAtMs >= residentFreshMs) {
      this.#readings = 1
      this.#residentAtMs = nowMs
      this.#resident = process.memoryUsage.rss()
    }
    const { used_heap_size: heapUsed, heap_size_limit: heapLimit } = getHeapStatistics()
    this.#last = { atMs: nowMs, heapUsed, heapLimit, resident: this.#resident }
    return this.#last
  }
}

/** A pause. */
export interface GarbagePause {
  readonly kind: 'minor' | 'major' | 'incremental' | 'weak callbacks'
  /** On the clock of the process, in milliseconds. */
  readonly startMs: number
  readonly durationMs: number
}

/** Pauses kept at most. */
const maxPauses = 200

/** Remembers pauses from `start` to `stop`. */
export class GarbagePauses {
  readonly #pauses: GarbagePause[] = []
  #observer: PerformanceObserver | undefined

  /** Begins to listen. */
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
    this.#keep(this.#observer?.takeRecords() ?? [])
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
