// Requests that have ended and whose profiles are not made yet. Some are waited for, so that many are made in a row: right
// after its answer each would find the processor busy with other things, and cost twice as much.

import type { Exchange } from '../kernel/exchange.ts'

/** Does what is left to do for them, in the order they ended. Never throws. */
export type Completion = (exchanges: readonly Exchange[]) => void

/** Requests that wait at most: each may hold a body. */
const maxWaiting = 32
/** How long the first one waits for company, in milliseconds. */
const delayMs = 30

/** Gathers them and completes them in the order they ended. */
export class EndedRequests {
  readonly #complete: Completion
  #waiting: Exchange[] = []
  #timer: NodeJS.Timeout | undefined
  readonly #onTime = (): void => this.completeAll()

  constructor(complete: Completion) {
    this.#complete = complete
  }

  /** Takes one. */
  add(exchange: Exchange): void {
    this.#waiting.push(exchange)
    if (this.#waiting.length >= maxWaiting) this.completeAll()
    else this.#timer ??= setTimeout(this.#onTime, delayMs)
  }

  /** Completes all that wait, now: for whoever wants to read them. */
  completeAll(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#waiting.length === 0) return
    const waiting = this.#waiting
    this.#waiting = []
    this.#complete(waiting)
  }
}
