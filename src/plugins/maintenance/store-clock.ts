// The clock of the store as this process estimates it, so that all processes close and open at the same time, whatever their own clocks say.

import { performance } from 'node:perf_hooks'

/** How long an estimate is used, in milliseconds. */
const usedForMs = 60_000

export class StoreClock {
  readonly #ask: () => Promise<number>
  /** Clock of the store minus our monotonic one, in milliseconds; `undefined` before the first response. */
  #offset: number | undefined
  #askedAt = -Infinity

  /** `ask` gives the clock of the store in milliseconds since 1970, and may reject. */
  constructor(ask: () => Promise<number>) {
    this.#ask = ask
  }

  /** Asks the store if the estimate is old. Rejects if the store does not say; the estimate then stays as it is. */
  async renew(): Promise<void> {
    const before = performance.now()
    if (before - this.#askedAt < usedForMs) return
    const time = await this.#ask()
    this.#askedAt = performance.now()
    // The store has read its clock about midway.
    this.#offset = time - (before + this.#askedAt) / 2
  }

  /** Milliseconds since 1970: by the clock of the store, and by that of the machine while the store has not said. */
  now(): number {
    return this.#offset === undefined ? Date.now() : performance.now() + this.#offset
  }
}
