// What recording costs the main thread, added up: the time to begin, to collect and to hand profiles to the store.

import { performance } from 'node:perf_hooks'

/** Parts of the work, in the order they happen. */
export type CostPart = 'begin' | 'collect' | 'write'

/** Sums of one part. */
export interface PartCost {
  /** How often it was done. */
  readonly count: number
  /** Main-thread time, in milliseconds. */
  readonly totalMs: number
}

/** Adds up. One object for the life of a profiler. */
export class OwnCost {
  #beginCount = 0
  #beginMs = 0
  #collectCount = 0
  #collectMs = 0
  #writeCount = 0
  #writeMs = 0

  /** Counts one piece of work that began at `startedMs` (`performance.now()`) and ends now. `count` where it was for several. */
  add(part: CostPart, startedMs: number, count = 1): void {
    const ms = performance.now() - startedMs
    if (part === 'begin') {
      this.#beginCount += count
      this.#beginMs += ms
    } else if (part === 'collect') {
      this.#collectCount += count
      this.#collectMs += ms
    } else {
      this.#writeCount += count
      this.#writeMs += ms
    }
  }

  /** All of it so far, in milliseconds. */
  get totalMs(): number {
    return this.#beginMs + this.#collectMs + this.#writeMs
  }

  /** The sums of each part. */
  get parts(): Readonly<Record<CostPart, PartCost>> {
    return {
      begin: { count: this.#beginCount, totalMs: this.#beginMs },
      collect: { count: this.#collectCount, totalMs: this.#collectMs },
      write: { count: this.#writeCount, totalMs: this.#writeMs },
    }
  }
}
