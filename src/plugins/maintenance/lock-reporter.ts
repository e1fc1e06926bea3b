// Tells the journal of the lock what this process does: that it is there, which requests still run, and how many it has turned away.

import { hostname } from 'node:os'
import type { LockJournal } from './lock-journal.ts'

/** How often a process says that it is there, in milliseconds. */
const beatMs = 10_000

/** How often it reports while requests that began before it closed still run. */
const drainBeatMs = 250

/** How often it reports while it is closed. */
const closedBeatMs = 2000

/** How long the last report of a process that ends may take, in milliseconds. */
const lastReportMs = 1000

export interface LockReporterOptions {
  readonly journal: LockJournal
  /** Counts those of the requests that run now which have not ended when it is asked. */
  readonly watchRunning: () => () => number
}

/** Tells the process from others: `web-1 4711`. */
const ownName = (): string => `${hostname().slice(0, 100)} ${process.pid}`

/** What this process knows of the lock. */
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
  #hasReported = false
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

  /** Reports once more and says that the process is gone. Never rejects. */
  async close(): Promise<void> {
    this.#isOver = true
    clearTimeout(this.#timer)
    const last = async (): Promise<void> => {
      await this.#reporting
      if (this.#turnedAway.size > 0) await this.#report()
      if (this.#hasReported) await this.#options.journal.leave(ownName())
    }
    let timer: NodeJS.Timeout | undefined
    const outOfTime = new Promise<void>((resolve) => (timer = setTimeout(resolve, lastReportMs)))
    // Nobody reads the log of a process that ends for what it could not count.
    await Promise.race([last().catch(() => undefined), outOfTime])
    clearTimeout(timer)
  }

  #later(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#beat(), ms).unref()
  }

  async #beat(): Promise<void> {
    await this.#reporting
    const told = this.#lock
    this.#reporting = this.#report().catch(ignore)
    await this.#reporting
    if (this.#isOver) return
    // The lock was changed while the report was on its way.
    if (told !== this.#lock) this.#later(0)
    else if (!told.isClosed) this.#later(beatMs)
    else this.#later(this.#running() > 0 ? drainBeatMs : closedBeatMs)
  }

  async #report(): Promise<void> {
    const turnedAway = this.#turnedAway
    this.#turnedAway = new Map()
    try {
      const { heard, isClosed } = this.#lock
      this.#hasReported = true
      await this.#options.journal.report(
        { process: ownName(), heard, isClosed, running: this.#running() },
        Object.fromEntries(turnedAway),
      )
    } catch (error) {
      for (const [id, count] of turnedAway) this.#turnedAway.set(id, (this.#turnedAway.get(id) ?? 0) + count)
      throw error
    }
  }
}

/** The lock itself says what is wrong with its store; the next report has what this one could not tell. */
function ignore(): void {}
