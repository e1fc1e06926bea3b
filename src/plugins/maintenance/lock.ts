// The application lock of this process: the bits set at boot, joined with the bits the fleet shares. Read from memory;
// the store of the shared part reports changes through the port.

import { performance } from 'node:perf_hooks'
import { describeFailure, withoutStop } from '../../framework/kernel/describe-failure.ts'
import { lockChanged, lockSourceFailed } from '../../framework/log/lines.ts'
import type { Log } from '../../framework/log/logger.ts'
import { closuresOf, sayClosures } from './closure.ts'
import type { Closure, LockLink, LockState, LockStore } from './lock-store.ts'
import { hasBits, isMaintenance, joinBits } from './lock-bits.ts'
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
  /** Without its link, which has a secret. */
  readonly shared: LockState
}

/** Milliseconds between two warnings about a failing source. */
const warningIntervalMs = 60_000

/** The effective application lock (SPEC 6). Whatever the source does, the last good value stays. */
export class Lock {
  readonly #options: LockOptions
  readonly #now: () => number
  #shared: LockState = { value: 0, reason: '', retryAfterSeconds: null, changedAt: '' }
  #link: LockLink | undefined
  #value: number
  #closures: readonly Closure[]
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
    this.#closures = closuresOf(this.#value, this.#shared)
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

  /** Whether bit 1 is set: every request gets the maintenance page, but for what the application excepts. */
  get isClosed(): boolean {
    return isMaintenance(this.#value)
  }

  /** Whether every bit of a number is set: 1 for maintenance, the others are the application's. Throws a RangeError for one that is not positive. */
  has(bits: number): boolean {
    return hasBits(this.#value, bits)
  }

  /** Whether nothing is closed. */
  get isOpen(): boolean {
    return this.#closures.length === 0
  }

  /** What is closed now: a request that one of them closes gets the maintenance page. */
  get closures(): readonly Closure[] {
    return this.#closures
  }

  /** Whether this process was started closed (`APP_LOCK`): nothing is excepted then. */
  get isClosedAtBoot(): boolean {
    return isMaintenance(this.#options.bootValue)
  }

  /** What links are signed with. */
  get link(): LockLink | undefined {
    return this.#link
  }

  get state(): EffectiveLock {
    return { value: this.#value, bootValue: this.#options.bootValue, shared: this.#shared }
  }

  /** The seconds that the shared lock asks clients to wait; `null` if it names none or is open. */
  get retryAfterSeconds(): number | null {
    return closuresOf(this.#shared.value, this.#shared).length > 0 ? this.#shared.retryAfterSeconds : null
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
    const { link, ...shared } = reading.state
    const value = joinBits(this.#options.bootValue, shared.value)
    const before = sayClosures(this.#closures)
    const hasChanged = value !== this.#value
    this.#shared = shared
    this.#link = link
    this.#value = value
    this.#closures = closuresOf(value, shared)
    const verdict = sayClosures(this.#closures)
    if (!hasChanged && verdict === before) return
    this.#options.log.write(lockChanged({ value, verdict, isOpen: this.isOpen, reason: shared.reason }))
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

function describe(thrown: unknown): string {
  const { errorClass, message } = describeFailure(thrown)
  return `${errorClass}: ${withoutStop(message)}`
}
