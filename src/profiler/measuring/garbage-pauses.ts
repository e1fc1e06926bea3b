// The pauses in which V8 collected garbage. One observer; the newest pauses of the process are kept, and requests ask for
// those that fell in their time.

import { constants, PerformanceObserver, type PerformanceEntry } from 'node:perf_hooks'

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
