// The application lock of this process: the bits set at boot, joined with the bits the fleet shares. Read from memory;
// the store of the shared part reports changes through the port.

import { performance } from 'node:perf_hooks'
import { describeFailure, withoutStop } from '../../framework/kernel/describe-failure.ts'
import { lockChanged, lockSourceFailed } from '../../framework/log/lines.ts'
import type { Log } from '../../framework/log/logger.ts'
import type { LockState, LockStore } from './lock-store.ts'
import { readLockState } from './lock-state.ts'

export interface LockOptions {
  /** `APP_LOCK`, a safe integer. */
  readonly bootValue: number
  readonly store: LockStore
  /** Hears of every change, and of a failing source at most once a minute. */
  readonly log: Log
  /** Called with the text of each warning that is logged. */
  readonly onWarning?: (message: string) => void
  /** How long `start` waits for the first read, in milliseconds. Default 1000. */
  readonly startBudgetMs?: number
  /** Monotonic clock, milliseconds. Default `performance.now`. */
  readonly now?: () => number
}

/** The effective lock, and what it is made of. */
export interface EffectiveLock {
  /** Bitwise OR of both parts. */
  readonly value: number
  readonly bootValue: number
  readonly shared: LockState
}

/** Milliseconds between two warnings about a failing source. */
const warningIntervalMs = 60_000

/** The effective application lock (SPEC 6). Whatever the source does, the last good value stays. */
export class Lock {
  readonly #options: LockOptions
  readonly #now: () => number
  #shared: LockState = { value: 0, reason: '', retryAfterSeconds: null, changedAt: '' }
  #value: number
  #isClosed: boolean
  #stopWatching: (() => void) | undefined
  #hasHeard = false
  #isOver = false
  #lastWarningMs = -Infinity
  #unreported = 0

  /** Throws a RangeError for a boot value that is no safe integer. */
  constructor(options: LockOptions) {
    if (!Number.isSafeInteger(options.bootValue)) {
      throw new RangeError(`The boot value of the lock is "${String(options.bootValue)}"; a safe integer is allowed`)
    }
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
    this.#value = options.bootValue
    this.#isClosed = isMaintenance(this.#value)
  }

  /**
   * Reads the shared part and watches it from then on. Never rejects: with a dead source the boot value stands, with one
   * that hangs it stands after `startBudgetMs`, and a late first state still counts.
   */
  async start(): Promise<void> {
    // Watching begins before the first read: a change in between is heard of, never lost.
    this.#watch()
    const budgetMs = this.#options.startBudgetMs ?? 1000
    let timer: NodeJS.Timeout | undefined
    const outOfTime = new Promise<boolean>((resolve) => (timer = setTimeout(() => resolve(true), budgetMs)))
    const isLate = await Promise.race([this.#readFirst().then(() => false), outOfTime])
    clearTimeout(timer)
    if (isLate) this.#warn(`it did not respond within ${budgetMs} ms`)
  }

  /** Whether bit 1 is set: every request gets the maintenance page. Costs a property read. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  get state(): EffectiveLock {
    return { value: this.#value, bootValue: this.#options.bootValue, shared: this.#shared }
  }

  /** The seconds that the shared lock asks clients to wait; `null` if it names none or is open. */
  get retryAfterSeconds(): number | null {
    return isMaintenance(this.#shared.value) ? this.#shared.retryAfterSeconds : null
  }

  /** Stops watching; the last value stays. */
  close(): void {
    this.#isOver = true
    try {
      this.#stopWatching?.()
    } catch (error) {
      this.#warn(describe(error))
    }
    this.#stopWatching = undefined
  }

  #watch(): void {
    const onChange = (state: LockState): void => {
      this.#hasHeard = true
      this.#take(state)
    }
    try {
      this.#stopWatching = this.#options.store.watch(onChange, (error) => this.#warn(describe(error)))
    } catch (error) {
      this.#warn(describe(error))
    }
  }

  async #readFirst(): Promise<void> {
    try {
      const state = await this.#options.store.read()
      // What the watch has told since is newer than a state that came late.
      if (!this.#hasHeard) this.#take(state)
    } catch (error) {
      this.#warn(describe(error))
    }
  }

  #take(given: unknown): void {
    if (this.#isOver) return
    const reading = readLockState(given)
    if (!reading.isUsable) return this.#warn(reading.problem)
    const value = joinBits(this.#options.bootValue, reading.state.value)
    const hasChanged = value !== this.#value
    this.#shared = reading.state
    this.#value = value
    this.#isClosed = isMaintenance(value)
    if (hasChanged)
      this.#options.log.write(lockChanged({ value, isClosed: this.#isClosed, reason: reading.state.reason }))
  }

  #warn(problem: string): void {
    const nowMs = this.#now()
    if (nowMs - this.#lastWarningMs < warningIntervalMs) {
      this.#unreported += 1
      return
    }
    const line = lockSourceFailed({
      source: this.#options.store.name,
      problem,
      value: this.#value,
      unreported: this.#unreported,
    })
    this.#lastWarningMs = nowMs
    this.#unreported = 0
    this.#options.log.write(line)
    this.#options.onWarning?.(`Lock source ${this.#options.store.name}: ${problem}. The lock stays ${this.#value}.`)
  }
}

/** Whether bit 1 is set in a safe integer; negative numbers count as two's complement: -1 has it, -2 has not. */
export function isMaintenance(value: number): boolean {
  return (value & 1) === 1
}

/** Bitwise OR that keeps all 53 bits; `|` alone cuts to 32. */
export function joinBits(one: number, other: number): number {
  return Number(BigInt(one) | BigInt(other))
}

function describe(thrown: unknown): string {
  const { errorClass, message } = describeFailure(thrown)
  return `${errorClass}: ${withoutStop(message)}`
}
