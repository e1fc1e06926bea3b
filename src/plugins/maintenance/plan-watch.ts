// Closes and opens the application by plan: a timer for the next change, by the clock of the store.

import type { LockWindow } from './lock-store.ts'
import { windowsAt, type WindowsAt } from './lock-windows.ts'
import { performance } from 'node:perf_hooks'

/** The clock is asked again so often, in milliseconds: it may be set, and the machine may sleep. */
const lookAgainMs = 60_000

const nothing: WindowsAt = { active: [], announced: null, nextChange: null }

export interface PlanWatchOptions {
  readonly clock: StoreClock
  /** Called with each change of what is active or announced. */
  readonly onChange: () => void
  /** Called if the clock cannot be asked; the last estimate counts. */
  readonly onError: (error: unknown) => void
}

export class PlanWatch {
  readonly #options: PlanWatchOptions
  #windows: readonly LockWindow[] = []
  #at = nothing
  #timer: NodeJS.Timeout | undefined
  /** Counts the plans, so that a late look does not bring back an older one. */
  #plan = 0

  constructor(options: PlanWatchOptions) {
    this.#options = options
  }

  /** What is active and announced now. */
  get at(): WindowsAt {
    return this.#at
  }

  /** Takes a plan in place of the one before. Settles once it counts; never rejects. */
  async set(windows: readonly LockWindow[]): Promise<void> {
    this.#windows = windows
    await this.#look((this.#plan += 1))
  }

  /** Forgets the plan. */
  close(): void {
    clearTimeout(this.#timer)
    this.#plan += 1
  }

  async #look(plan: number): Promise<void> {
    clearTimeout(this.#timer)
    const { clock, onChange, onError } = this.#options
    if (this.#windows.length > 0) await clock.renew().catch(onError)
    if (plan !== this.#plan) return
    const before = this.#at
    this.#at = windowsAt(this.#windows, clock.now())
    if (!isSame(before, this.#at)) onChange()
    const { nextChange } = this.#at
    if (nextChange === null) return
    const waitMs = Math.min(lookAgainMs, Math.max(1, Math.ceil(nextChange - clock.now())))
    this.#timer = setTimeout(() => void this.#look(plan), waitMs).unref()
  }
}

function isSame(one: WindowsAt, other: WindowsAt): boolean {
  return JSON.stringify([one.active, one.announced]) === JSON.stringify([other.active, other.announced])
}

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
