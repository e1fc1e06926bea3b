// What recording costs the main thread.

import { performance } from '../../base/timing/builtins.ts'

/** In the order they happen. */
export type CostPart = 'begin' | 'collect' | 'write'

export interface PartCost {
  readonly count: number
  /** Main-thread time, in milliseconds. */
  readonly totalMs: number
}

/** Adds up. One object for the life of a profiler. */
export class OwnCost {
  readonly parts: Readonly<Record<CostPart, { -readonly [Sum in keyof PartCost]: number }>> = {
    begin: { count: 0, totalMs: 0 },
    collect: { count: 0, totalMs: 0 },
    write: { count: 0, totalMs: 0 },
  }

  /** Counts one piece of work that began at `startedMs` (`performance.now()`) and ends now. `count` if it was for several. */
  add(part: CostPart, startedMs: number, count = 1): void {
    const sums = this.parts[part]
    sums.count += count
    sums.totalMs += performance.now() - startedMs
  }

  /** All of it so far, in milliseconds. */
  get totalMs(): number {
    const { begin, collect, write } = this.parts
    return begin.totalMs + collect.totalMs + write.totalMs
  }
}
