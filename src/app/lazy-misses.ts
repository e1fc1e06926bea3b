// Prebuilt answers to misses, loaded a moment after the start or with the first miss. Until they are there, the error handler
// answers, with the same pages.

import type { Reply } from '../framework/http/reply.ts'
import type { RequestContext } from '../framework/http/request-context.ts'
import type { MissAnswer } from '../framework/kernel/miss-answer.ts'
import type { RouteMiss } from '../framework/kernel/route-miss.ts'

/** Misses that are answered, and counted until they are written. */
export interface CountedMisses extends MissAnswer {
  /** Writes what has been counted. */
  readonly flush: () => void
}

/** Passes misses on to what it loads. What cannot be loaded is never asked. */
export class LazyMisses implements MissAnswer {
  readonly #load: () => Promise<CountedMisses>
  #misses: CountedMisses | undefined
  #isLoading = false
  #timer: NodeJS.Timeout | undefined

  constructor(load: () => Promise<CountedMisses>) {
    this.#load = load
  }

  /** Throws until the answers are loaded. */
  answer(context: RequestContext, miss: RouteMiss): Reply {
    if (this.#misses !== undefined) return this.#misses.answer(context, miss)
    this.#begin()
    throw new Error('The answers to misses are being loaded')
  }

  /** Loads them after so many milliseconds, unless a miss comes first. Does not keep the process alive. */
  loadLater(delayMs: number): void {
    this.#timer = setTimeout(() => this.#begin(), delayMs).unref()
  }

  /** Writes what has been counted, and gives up on loading later. */
  close(): void {
    clearTimeout(this.#timer)
    this.#misses?.flush()
  }

  #begin(): void {
    if (this.#isLoading) return
    this.#isLoading = true
    this.#load().then(
      (misses) => (this.#misses = misses),
      () => undefined,
    )
  }
}
