// Requests that have ended and whose profiles are not made yet. Some are waited for, so that many are made in a row: right
// after its answer each would find the processor busy with other things, and cost twice as much. Each row costs something of
// its own (a timer, a message to the store's thread and its answer), so rows are longer where many requests come.

import type { Exchange } from '../framework/kernel/exchange.ts'

/** Does what is left to do for them, in the order they ended. Never throws. */
export type Completion = (exchanges: readonly Exchange[]) => void

/** Requests that wait at most: each may hold a body. More would live until the second collection of young objects, and be copied. */
const maxWaiting = 64
/** How long the first one waits for company, in milliseconds: usually, and after a row of many. */
const delayMs = 30
const longDelayMs = 120
/** A row of so many is one of many: nobody clicks that fast. */
const many = 8

/** Gathers them and completes them in the order they ended. */
export class EndedRequests {
  readonly #complete: Completion
  #waiting: Exchange[] = []
  #timer: NodeJS.Timeout | undefined
  #delayMs = delayMs
  readonly #onTime = (): void => this.completeAll()

  constructor(complete: Completion) {
    this.#complete = complete
  }

  /** Takes one. */
  add(exchange: Exchange): void {
    this.#waiting.push(exchange)
    if (this.#waiting.length >= maxWaiting) this.completeAll()
    else this.#timer ??= setTimeout(this.#onTime, this.#delayMs)
  }

  /** Completes all that wait, now: for whoever wants to read them. */
  completeAll(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#waiting.length === 0) return
    const waiting = this.#waiting
    this.#waiting = []
    this.#delayMs = waiting.length < many ? delayMs : longDelayMs
    this.#complete(waiting)
  }
}
