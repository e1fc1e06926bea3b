// Bounds how many requests are recorded in a second.

import { performance } from 'node:perf_hooks'

/** How many requests may be recorded. */
export interface RateLimits {
  /** In the long run. */
  readonly perSecond: number
  /** At once, after a quiet time. */
  readonly burst: number
}

/** Hands out recordings. */
export class RateLimiter {
  readonly #limits: RateLimits
  readonly #now: () => number
  #left: number
  #refilledAt: number

  /** `now` is a monotonic clock in milliseconds. */
  constructor(limits: RateLimits, now: () => number = () => performance.now()) {
    this.#limits = limits
    this.#now = now
    this.#left = limits.burst
    this.#refilledAt = now()
  }

  /** Whether one more request may be recorded. Looks at the clock only where nothing is left. */
  take(): boolean {
    if (this.#left < 1 && !this.#refill()) return false
    this.#left -= 1
    return true
  }

  /** Whether the last one that asked found nothing left. */
  get isUsedUp(): boolean {
    return this.#left < 1
  }

  #refill(): boolean {
    const { perSecond, burst } = this.#limits
    const now = this.#now()
    this.#left = Math.min(burst, this.#left + ((now - this.#refilledAt) / 1000) * perSecond)
    this.#refilledAt = now
    return this.#left >= 1
  }
}
