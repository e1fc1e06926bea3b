// The application lock of this process: the bits set at boot, joined with the bits the fleet shares. Read from memory;
// the store of the shared part reports changes through the port.

import type { LockWindow, Closure, LockLink, LockState, LockStore } from '../profiles/lock.ts'
import { performance } from 'node:perf_hooks'
import { describeFailure, withoutStop } from '../http/kernel/describe-failure.ts'
import { isLate } from '../http/kernel/within-budget.ts'
import { lockChanged, lockRestored, lockSourceFailed } from '../base/log/lines.ts'
import type { Log } from '../base/log/logger.ts'
import { closuresOf, sayClosures, isMaintenance, joinBits } from '../stores/lock/closure.ts'
import type { HeardLock } from './lock-reporter.ts'
import { maxRetryAfterSeconds, isOlder, readLockState } from '../stores/lock/lock-members.ts'

/** What a list of windows means at a time. */
interface WindowsAt {
  /** Those that close the application, the earliest first. */
  readonly active: readonly LockWindow[]
  /** The next one whose notice has begun; `null` if there is none. */
  readonly announced: LockWindow | null
  /** When `active` or `announced` changes next, in milliseconds since 1970; `Infinity`: never. */
  readonly nextChange: number
}

/** `now` is in milliseconds since 1970. A window has begun at `from` and is over at `to`. */
export function windowsAt(windows: readonly LockWindow[], now: number): WindowsAt {
  const sorted = byBegin(windows)
  const coming = sorted.filter(({ from }) => Date.parse(from) > now)
  const changes = windows
    .flatMap(({ from, to, noticeSeconds }) => {
      const begin = Date.parse(from)
      return [begin - noticeSeconds * 1000, begin, Date.parse(to)]
    })
    .filter((time) => time > now)
  return {
    active: sorted.filter((window) => isActive(window, now)),
    announced: coming.find(({ from, noticeSeconds }) => Date.parse(from) - noticeSeconds * 1000 <= now) ?? null,
    nextChange: Math.min(...changes),
  }
}

/** When the last window of a row that follows each other without a gap is over, in milliseconds since 1970; `null` if none is active. */
export function endOfWindows(windows: readonly LockWindow[], now: number): number | null {
  let end: number | null = null
  for (const { from, to } of byBegin(windows)) {
    if (Date.parse(to) > (end ?? now) && Date.parse(from) <= (end ?? now)) end = Date.parse(to)
  }
  return end
}

/** The windows that share a moment with this one, without itself. */
export function overlapping(window: LockWindow, others: readonly LockWindow[]): readonly LockWindow[] {
  return others.filter(
    ({ id, from, to }) =>
      id !== window.id && Date.parse(from) < Date.parse(window.to) && Date.parse(to) > Date.parse(window.from),
  )
}

export function isActive({ from, to }: LockWindow, now: number): boolean {
  return Date.parse(from) <= now && now < Date.parse(to)
}

export function isOver({ to }: LockWindow, now: number): boolean {
  return Date.parse(to) <= now
}

/** The earliest first. */
export function byBegin(windows: readonly LockWindow[]): readonly LockWindow[] {
  return windows.toSorted((one, other) => Date.parse(one.from) - Date.parse(other.from))
}

interface LockOptions {
  /** `APP_LOCK`, a safe integer. */
  readonly bootValue: number
  readonly store: LockStore
  /** Hears of every change, and of a failing source at most once a minute. */
  readonly log: Log
  /** Whether everything is closed until the shared part was read once. Default: no. */
  readonly startClosed?: boolean
  /** How long `start` waits for the first read, in milliseconds. Default 1000. */
  readonly startBudgetMs?: number
  /** Called with what this process knows of the lock, with each state and each change by plan. Default: nobody. */
  readonly onHeard?: (heard: HeardLock) => void
  /** Monotonic clock, milliseconds. Default `performance.now`. */
  readonly now?: () => number
}

interface EffectiveLock {
  /** Bitwise OR of both parts, and of bit 1 while a window closes everything. */
  readonly value: number
  readonly bootValue: number
  /** Without its link, which has a secret. */
  readonly shared: LockState
}

/** Milliseconds between two warnings about a failing source. */
const warningIntervalMs = 60_000

/** How soon a store is asked again that could not be read, or did not take what is known, in milliseconds. */
const retryMs = 1000

/** The effective application lock (SPEC 6). Whatever the source does, the last good value stays. */
export class Lock {
  readonly #options: LockOptions
  readonly #now: () => number
  #known: LockState = { value: 0, reason: '', retryAfterSeconds: null, changedAt: '' }
  #value: number
  #closures: readonly Closure[]
  readonly #clock: StoreClock
  readonly #plan: PlanWatch
  /** Settles when the windows of the newest state count. */
  #planned: Promise<void> = Promise.resolve()
  #stopWatching: (() => void) | undefined
  /** Whether the shared part was read once. */
  #isRead = false
  #lastProblem = ''
  #isOver = false
  #restoring: Promise<void> | undefined
  #retry: NodeJS.Timeout | undefined
  #lastWarningMs = -Infinity
  #unreported = 0

  /** Throws a RangeError for a boot value that is not a safe integer. */
  constructor(options: LockOptions) {
    if (!Number.isSafeInteger(options.bootValue)) {
      throw new RangeError(`The boot value of the lock is "${String(options.bootValue)}"; a safe integer is allowed`)
    }
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
    this.#value = this.#ownValue
    this.#closures = closuresOf(this.#value, this.#known)
    const { journal } = options.store
    this.#clock = storeClock(async () => (journal === undefined ? Date.now() : journal.now()))
    this.#plan = new PlanWatch({
      clock: this.#clock,
      onChange: () => this.#settle(),
      onError: (error) => this.#warn(describe(error)),
    })
  }

  /**
   * Reads the shared part and watches it from then on. Never rejects: with a dead source the boot value counts, with one
   * that hangs it counts after `startBudgetMs`, and a late first state still counts. A source that fails is read again and again.
   */
  async start(): Promise<void> {
    // Watching begins before the first read: a change in between is heard of, never lost.
    this.#watch()
    const budgetMs = this.#options.startBudgetMs ?? 1000
    if (await isLate(this.#readFirst(), budgetMs)) this.#warn(`it did not respond within ${budgetMs} ms`)
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
    return this.#known.link
  }

  /** Milliseconds since 1970 by the clock of the store, as far as it has said. */
  now(): number {
    this.#renewClock()
    return this.#clock.now()
  }

  get state(): EffectiveLock {
    const { link: _, ...shared } = this.#known
    return { value: this.#value, bootValue: this.#options.bootValue, shared }
  }

  /** Why the shared part was never read, a sentence; `null` if it was. */
  get problem(): string | null {
    if (this.#isRead) return null
    return `The lock was never read and counts as ${this.#value}: ${this.#lastProblem}.`
  }

  /** The window that the toolbar announces; `null` if there is none. */
  get announced(): LockWindow | null {
    return this.#plan.at.announced
  }

  /** The seconds that clients are asked to wait: up to the end of the plan, or what the shared lock says; `null` if neither is known. */
  get retryAfterSeconds(): number | null {
    const { windows = [], retryAfterSeconds } = this.#known
    const byHand = closuresOf(this.#known.value, this.#known).length > 0 ? retryAfterSeconds : null
    if (this.#plan.at.active.length === 0) return byHand
    const now = this.#clock.now()
    const end = endOfWindows(windows, now)
    if (end === null) return byHand
    return Math.min(maxRetryAfterSeconds, Math.max(byHand ?? 0, Math.ceil((end - now) / 1000)))
  }

  /** Stops watching; the last value stays. */
  close(): void {
    this.#isOver = true
    clearTimeout(this.#retry)
    this.#plan.close()
    try {
      this.#stopWatching?.()
    } catch (error) {
      this.#warn(describe(error))
    }
    this.#stopWatching = undefined
  }

  #watch(): void {
    const onChange = (state: LockState): void => this.#take(state)
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
      if (!this.#isRead) this.#take(state)
      await this.#planned
    } catch (error) {
      this.#warn(describe(error))
    }
    if (!this.#isRead) this.#again(() => void (this.#isRead || this.#readFirst()))
  }

  #take(given: unknown): void {
    if (this.#isOver) return
    const reading = readLockState(given)
    if (!reading.isUsable) return this.#warn(reading.problem)
    if (isOlder(reading.state, this.#known)) return void (this.#restoring ??= this.#restore(reading.state))
    this.#known = reading.state
    this.#isRead = true
    if (reading.state.link !== undefined) this.#renewClock()
    // The windows of the state before are over with it: what it closes by hand counts at once.
    this.#settle()
    this.#planned = this.#plan.set(reading.state.windows ?? [])
  }

  #renewClock(): void {
    this.#clock.renew().catch((error: unknown) => this.#warn(describe(error)))
  }

  /** A state that is missing or older is no order (SPEC 6.5): what is known is written again, until the store has it or something newer. */
  async #restore(found: LockState): Promise<void> {
    const { store, log } = this.#options
    try {
      const known = this.#known
      if (!(await restoreLock(store, known))) return
      const { changedAt } = found
      log.write(
        lockRestored({
          source: store.name,
          changedAt: Date.parse(changedAt) > 0 ? changedAt : null,
          value: this.#value,
        }),
      )
    } catch (error) {
      this.#warn(`it has lost the lock, which cannot be written again: ${describe(error)}`)
      this.#again(() => (this.#restoring ??= this.#restore(found)))
    } finally {
      this.#restoring = undefined
    }
  }

  #again(work: () => void): void {
    clearTimeout(this.#retry)
    if (!this.#isOver) this.#retry = setTimeout(work, retryMs).unref()
  }

  /** What closes this process whatever is shared. */
  get #ownValue(): number {
    const { bootValue, startClosed = false } = this.#options
    return startClosed && !this.#isRead ? joinBits(bootValue, 1) : bootValue
  }

  /** Joins what is closed by hand and by plan. */
  #settle(): void {
    if (this.#isOver) return
    const { value: sharedValue, reason, changedAt, since = null } = this.#known
    const { active } = this.#plan.at
    const ownOrShared = joinBits(this.#ownValue, sharedValue)
    const isAllClosed = active.some(({ only, readOnly }) => only === undefined && readOnly !== true)
    const value = joinBits(ownOrShared, isAllClosed ? 1 : 0)
    const before = sayClosures(this.#closures)
    const hasChanged = value !== this.#value
    const byHand = closuresOf(ownOrShared, this.#known)
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
    this.#lastProblem = problem
    const nowMs = this.#now()
    if (nowMs - this.#lastWarningMs < warningIntervalMs) {
      this.#unreported += 1
      return
    }
    const line = lockSourceFailed({
      source: this.#options.store.name,
      isRead: this.#isRead,
      problem,
      value: this.#value,
      unreported: this.#unreported,
    })
    this.#lastWarningMs = nowMs
    this.#unreported = 0
    this.#options.log.write(line)
  }
}

async function restoreLock(store: LockStore, known: LockState): Promise<boolean> {
  if (store.restore !== undefined) return store.restore(known)
  if (!isOlder(await store.read(), known)) return false
  await store.write(known)
  return true
}

function describe(thrown: unknown): string {
  const { errorClass, message } = describeFailure(thrown)
  return `${errorClass}: ${withoutStop(message)}`
}

/** The clock is asked again so often, in milliseconds: it may be set, and the machine may sleep. */
const lookAgainMs = 60_000

const nothing: WindowsAt = { active: [], announced: null, nextChange: Infinity }

interface PlanWatchOptions {
  readonly clock: StoreClock
  /** Called with each change of what is active or announced. */
  readonly onChange: () => void
  /** Called if the clock cannot be asked; the last estimate counts. */
  readonly onError: (error: unknown) => void
}

class PlanWatch {
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
    // A window that is over is to come again when the clock is set back.
    if (this.#windows.length === 0) return
    const waitMs = Math.min(lookAgainMs, Math.max(1, Math.ceil(this.#at.nextChange - clock.now())))
    this.#timer = setTimeout(() => void this.#look(plan), waitMs).unref()
  }
}

function isSame(one: WindowsAt, other: WindowsAt): boolean {
  return JSON.stringify([one.active, one.announced]) === JSON.stringify([other.active, other.announced])
}

/** How long an estimate is used, in milliseconds: less than until the plan is looked at again. */
const usedForMs = 50_000

/** The clock of the store, as far as it has said. */
interface StoreClock {
  /** Asks the store if the estimate is old. Rejects if the store does not say; the estimate then stays as it is. */
  renew(): Promise<void>
  /** Milliseconds since 1970: by the clock of the store, and by that of the machine while the store has not said. */
  now(): number
}

/** `ask` gives the clock of the store in milliseconds since 1970, and may reject. */
function storeClock(ask: () => Promise<number>): StoreClock {
  /** Clock of the store minus our monotonic one, in milliseconds; `undefined` before the first response. */
  let offset: number | undefined
  let askedAt = -Infinity
  let asking: Promise<void> | undefined
  const measure = async (): Promise<void> => {
    const before = performance.now()
    const time = await ask()
    askedAt = performance.now()
    // The store has read its clock about midway.
    offset = time - (before + askedAt) / 2
  }
  return {
    renew: () => {
      if (performance.now() - askedAt < usedForMs) return Promise.resolve()
      return (asking ??= measure().finally(() => (asking = undefined)))
    },
    now: () => (offset === undefined ? Date.now() : performance.now() + offset),
  }
}
