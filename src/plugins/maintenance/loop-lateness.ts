// How late the event loop is: by how much a timer comes too late, on average over about half a second. One long task is not yet overload.

import { performance } from 'node:perf_hooks'

/** How often is looked, in milliseconds. */
const everyMs = 100
/** Over how long lateness is averaged, in milliseconds. */
const windowMs = 500

export class LoopLateness {
  #timer: NodeJS.Timeout | undefined
  #lastMs = 0
  #lateMs = 0

  /** Begins to look. The timer keeps no process alive. */
  start(): void {
    this.#lastMs = performance.now()
    this.#timer ??= setInterval(() => {
      const now = performance.now()
      this.note(now - this.#lastMs)
      this.#lastMs = now
    }, everyMs).unref()
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  /** Takes the milliseconds between two looks. Called by the timer. */
  note(elapsedMs: number): void {
    const weight = Math.min(1, elapsedMs / windowMs)
    this.#lateMs += (Math.max(0, elapsedMs - everyMs) - this.#lateMs) * weight
  }

  /** Milliseconds. */
  get lateMs(): number {
    return this.#lateMs
  }
}
