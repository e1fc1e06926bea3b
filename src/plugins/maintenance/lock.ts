// The application lock of this process: the bits set at boot, joined with the bits the fleet shares. Read from memory;
// the store of the shared part reports changes through the port.

import { performance } from 'node:perf_hooks'
import { describeFailure, withoutStop } from '../../framework/kernel/describe-failure.ts'
import { lockChanged, lockSourceFailed } from '../../framework/log/lines.ts'
import type { Log } from '../../framework/log/logger.ts'
import { closuresOf, sayClosures } from './closure.ts'
import type { HeardLock } from './lock-reporter.ts'
import type { Closure, LockLink, LockState, LockStore, LockWindow } from './lock-store.ts'
import { isMaintenance, joinBits } from './lock-bits.ts'
import { maxRetryAfterSeconds } from './lock-members.ts'
import { readLockState } from './lock-state.ts'
import { endOfWindows } from './lock-windows.ts'
import { PlanWatch } from './plan-watch.ts'
import { StoreClock } from './store-clock.ts'

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
  /** Called with what this process knows of the lock, with each state and each change by plan. Default: nobody. */
  readonly onHeard?: (heard: HeardLock) => void
  /** Monotonic clock, milliseconds. Default `performance.now`. */
  readonly now?: () => number
}

/** The effective lock, and what it is made of. */
export interface EffectiveLock {
  /** Bitwise OR of both parts, and of bit 1 while a window closes everything. */
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
  readonly #clock: StoreClock
  readonly #plan: PlanWatch
  /** Settles when the windows of the newest state count. */
  #planned: Promise<void> = Promise.resolve()
  #stopWatching: (() => void) | undefined
  #hasHeard = false
  #isOver = false
  #lastWarningMs = -Infinity
  #unreported = 0

  /** Throws a RangeError for a boot value that is not a safe integer. */
  constructor(options: LockOptions) {
    if (!Number.isSafeInteger(options.bootValue)) {
      throw new RangeError(`The boot value of the lock is "${String(options.bootValue)}"; a safe integer is allowed`)
    }
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
    this.#value = options.bootValue
    this.#closures = closuresOf(this.#value, this.#shared)
    const { journal } = options.store
    this.#clock = new StoreClock(async () => (journal === undefined ? Date.now() : journal.now()))
    this.#plan = new PlanWatch({
      clock: this.#clock,
      onChange: () => this.#settle(),
      onError: (error) => this.#warn(describe(error)),
    })
  }

  /**
   * Reads the shared part and watches it from then on. Never rejects: with a dead source the boot value counts, with one
   * that hangs it counts after `startBudgetMs`, and a late first state still counts.
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

  /** The window that the toolbar announces; `null` if there is none. */
  get announced(): LockWindow | null {
    return this.#plan.at.announced
  }

  /** The seconds that clients are asked to wait: up to the end of the plan, or what the shared lock says; `null` if neither is known. */
  get retryAfterSeconds(): number | null {
    const { windows = [], retryAfterSeconds } = this.#shared
    const byHand = closuresOf(this.#shared.value, this.#shared).length > 0 ? retryAfterSeconds : null
    if (this.#plan.at.active.length === 0) return byHand
    const now = this.#clock.now()
    const end = endOfWindows(windows, now)
    if (end === null) return byHand
    return Math.min(maxRetryAfterSeconds, Math.max(byHand ?? 0, Math.ceil((end - now) / 1000)))
  }

  /** Stops watching; the last value stays. */
  close(): void {
    this.#isOver = true
    this.#plan.close()
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
      await this.#planned
    } catch (error) {
      this.#warn(describe(error))
    }
  }

  #take(given: unknown): void {
    if (this.#isOver) return
    const reading = readLockState(given)
    if (!reading.isUsable) return this.#warn(reading.problem)
    const { link, ...shared } = reading.state
    this.#shared = shared
    this.#link = link
    // The windows of the state before are over with it: what it closes by hand counts at once.
    this.#settle()
    this.#planned = this.#plan.set(shared.windows ?? [])
  }

  /** Joins what is closed by hand and by plan. */
  #settle(): void {
    if (this.#isOver) return
    const { bootValue } = this.#options
    const { value: sharedValue, reason, changedAt, since = null } = this.#shared
    const { active } = this.#plan.at
    const value = joinBits(joinBits(bootValue, sharedValue), active.some(closesAll) ? 1 : 0)
    const before = sayClosures(this.#closures)
    const hasChanged = value !== this.#value
    const byHand = closuresOf(joinBits(bootValue, sharedValue), this.#shared)
    this.#value = value
    this.#closures = [...byHand, ...active]
    const period = byHand.length > 0 ? since : (active[0]?.id ?? null)
    this.#options.onHeard?.({ heard: changedAt, period, isClosed: !this.isOpen })
    const verdict = sayClosures(this.#closures)
    if (!hasChanged && verdict === before) return
    this.#options.log.write(
      lockChanged({
        value,
        verdict,
        isOpen: this.isOpen,
        reason: byHand.length > 0 ? reason : (active[0]?.reason ?? reason),
      }),
    )
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

function closesAll({ only, readOnly }: Closure): boolean {
  return only === undefined && readOnly !== true
}

function describe(thrown: unknown): string {
  const { errorClass, message } = describeFailure(thrown)
  return `${errorClass}: ${withoutStop(message)}`
}
