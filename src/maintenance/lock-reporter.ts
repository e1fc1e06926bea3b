// Tells the journal of the lock what this process does: that it is there, which requests still run, and how many it has turned away.

import { hostname } from 'node:os'
import { performance } from 'node:perf_hooks'
import { waitAtMost } from '../http/kernel/within-budget.ts'
import type { LockJournal } from '../profiles/lock.ts'

/** How soon it looks again whether there is something to tell while requests that began before it closed still run, in milliseconds. */
const drainLookMs = 250

/** The same while it is closed. */
const closedLookMs = 2000

/** How soon it tries again if the store did not take a report. */
const retryMs = 10_000

/** How old the report may become if nothing changes. Processes that were killed do not say that they leave. */
const renewMs = 600_000

/** The same while requests that began before it closed still run: somebody may wait for them. */
const drainRenewMs = 10_000

/** How long the last report of a process that ends may take, in milliseconds. */
const lastReportMs = 1000

export interface LockReporterOptions {
  readonly journal: LockJournal
  /** Counts those of the requests that run now which have not ended when it is asked. */
  readonly watchRunning: () => () => number
}

/** Tells the process from others: `web-1 4711`. */
const ownName = (): string => `${hostname().slice(0, 100)} ${process.pid}`

export interface HeardLock {
  /** `changedAt` of the newest state. */
  readonly heard: string
  /** The period under which requests are counted that are turned away; `null` for one that no journal has. */
  readonly period: string | null
  readonly isClosed: boolean
}

export class LockReporter {
  readonly #options: LockReporterOptions
  #lock: HeardLock = { heard: '', period: null, isClosed: false }
  #running: () => number = () => 0
  #turnedAway = new Map<string, number>()
  #timer: NodeJS.Timeout | undefined
  #reporting: Promise<void> | undefined
  /** What the store has, and since when. */
  #told: { readonly lock: HeardLock; readonly running: number; readonly time: number } | undefined
  #isOver = false

  /** Reports from a second after the start on, so that it does not hold it up. */
  constructor(options: LockReporterOptions) {
    this.#options = options
    this.#later(1000)
  }

  /** Hears each change of the lock, and of what is closed by plan. */
  hear(lock: HeardLock): void {
    if (this.#isOver) return
    this.#lock = lock
    this.#running = lock.isClosed ? this.#options.watchRunning() : () => 0
    this.#later(0)
  }

  /** Counts a request that got the maintenance page. */
  turnedAway(): void {
    const { period } = this.#lock
    if (period !== null) this.#turnedAway.set(period, (this.#turnedAway.get(period) ?? 0) + 1)
  }

  /** Counts once more and says that the process is gone. Never rejects. */
  async close(): Promise<void> {
    this.#isOver = true
    clearTimeout(this.#timer)
    const last = async (): Promise<void> => {
      await this.#reporting
      if (this.#turnedAway.size > 0) await this.#count()
      if (this.#told !== undefined) await this.#options.journal.leave(ownName())
    }
    // Nobody reads the log of a process that ends for what it could not count.
    await waitAtMost(last(), lastReportMs)
  }

  #later(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#beat(), ms).unref()
  }

  async #beat(): Promise<void> {
    await this.#reporting
    const lock = this.#lock
    if (this.#hasNews()) {
      this.#reporting = this.#report().catch(ignore)
      await this.#reporting
    }
    if (this.#isOver) return
    // The lock was changed while the report was on its way.
    if (lock !== this.#lock) this.#later(0)
    else if (this.#told?.lock !== lock) this.#later(retryMs)
    else if (!lock.isClosed) this.#later(renewMs)
    else this.#later(this.#running() > 0 ? drainLookMs : closedLookMs)
  }

  #hasNews(): boolean {
    if (this.#told === undefined || this.#turnedAway.size > 0) return true
    const { lock, running, time } = this.#told
    if (lock !== this.#lock || running !== this.#running()) return true
    return performance.now() - time >= (running > 0 ? drainRenewMs : renewMs)
  }

  async #report(): Promise<void> {
    if (this.#turnedAway.size > 0) await this.#count()
    const lock = this.#lock
    const running = this.#running()
    const { heard, isClosed } = lock
    await this.#options.journal.report({ process: ownName(), heard, isClosed, running })
    this.#told = { lock, running, time: performance.now() }
  }

  async #count(): Promise<void> {
    const turnedAway = this.#turnedAway
    this.#turnedAway = new Map()
    try {
      await this.#options.journal.count(Object.fromEntries(turnedAway))
    } catch (error) {
      for (const [id, count] of turnedAway) this.#turnedAway.set(id, (this.#turnedAway.get(id) ?? 0) + count)
      throw error
    }
  }
}

/** The lock itself says what is wrong with its store; the next report has what this one could not tell. */
function ignore(): void {}
