// Gathers requests that have ended, so that their profiles are made together and when nobody waits.

import { clearTimeout, setTimeout, withBuiltins } from '../framework/timing/builtins.ts'
import type { Exchange } from '../framework/kernel/exchange.ts'

/** Does what is left to do for them, in the order they ended. Never throws. */
type Completion = (exchanges: readonly Exchange[]) => void

type Timers = Pick<typeof globalThis, 'clearTimeout' | 'setTimeout'>

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
  readonly #timers: Timers
  #waiting: Exchange[] = []
  #timer: NodeJS.Timeout | undefined
  #delayMs = delayMs

  constructor(complete: Completion, timers: Timers = { clearTimeout, setTimeout }) {
    this.#complete = complete
    this.#timers = timers
  }

  add(exchange: Exchange): void {
    this.#waiting.push(exchange)
    if (this.#waiting.length >= maxWaiting) this.completeAll()
    else this.#timer ??= this.#timers.setTimeout(this.completeAll, this.#delayMs)
  }

  /** Completes all that wait, because somebody wants to read them. */
  readonly completeAll = (): void => {
    this.#timers.clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#waiting.length === 0) return
    const waiting = this.#waiting
    this.#waiting = []
    this.#delayMs = waiting.length < many ? delayMs : longDelayMs
    withBuiltins(() => this.#complete(waiting))
  }
}
