// Holds this process to its share of what all processes of a store may keep. The share comes from the store about once a second,
// in the background; while the store is down the last one counts.

import { performance } from 'node:perf_hooks'
import { describeFailure } from '../../framework/kernel/describe-failure.ts'
import { fleetReportMs, type Fleet } from '../fleet.ts'
import { firstShare } from '../fleet-share.ts'

interface FleetPaceOptions {
  readonly fleet: Fleet
  /** Profiles that all processes together may keep in a second. */
  readonly budget: number
  /** A monotonic clock in milliseconds. Default `performance.now`. */
  readonly now?: () => number
  /** Wall clock, milliseconds since 1970. Default `Date.now`. */
  readonly wallClock?: () => number
}

/** What the status tells of it. */
export interface FleetPaceState {
  /** Profiles a second: of all processes together, of this one, and what this one would keep. */
  readonly budget: number
  readonly perSecond: number
  readonly demand: number
  /** Processes that share the budget; `null` before the store has said so. */
  readonly processes: number | null
  /** Since when the store does not say more, milliseconds since 1970, and why; `null` while it does. */
  readonly failure: { readonly since: number; readonly reason: string } | null
}

/** Errors of one family in a minute that all processes together keep whatever the dice and the share say. */
const keptOfFamily = 20

const minuteMs = 60_000
/** Families that are counted in a minute, and that one report names. */
const maxFamilies = 1000
const maxReported = 100
/** The demand is the greatest of this many reports, because it goes up and down by chance. */
const remembered = 6
/** What may be kept at once after a quiet time, in seconds of this process's share. */
const burstSeconds = 2
/** The same for all processes together, in seconds of the budget; and how far first errors may go beyond it. */
const burstOfAll = 0.4
const debtOfAll = 0.1
/** Processes that are reckoned with before the store has said how many there are. */
const assumedProcesses = 10

interface FamilyCount {
  /** Kept by all processes, as far as the store has said. */
  known: number
  /** Kept by this one since then. */
  own: number
}

export class FleetPace {
  readonly #fleet: Fleet
  readonly #budget: number
  readonly #now: () => number
  readonly #wallClock: () => number
  readonly #families = new Map<string, FamilyCount>()
  #minute: number
  #perSecond: number
  #processes: number | null = null
  #failure: FleetPaceState['failure'] = null
  /** Room for profiles; below zero what first errors have used in advance. */
  #room = 1
  #filledAt: number
  #wanted = 0
  #wantedSince: number
  #demands: readonly number[] = []
  /** What the dice leave of what is wanted, 0 to 1. */
  #rate = 1
  #timer: NodeJS.Timeout | undefined
  #isReporting = false

  constructor({ fleet, budget, now = () => performance.now(), wallClock = Date.now }: FleetPaceOptions) {
    this.#fleet = fleet
    this.#budget = budget
    this.#now = now
    this.#wallClock = wallClock
    this.#perSecond = firstShare(budget)
    this.#filledAt = this.#wantedSince = now()
    this.#minute = Math.floor(wallClock() / minuteMs)
  }

  /** Begins to report. The timer holds no process. */
  start(): void {
    void this.report()
    this.#timer = setInterval(() => void this.report(), fleetReportMs)
    this.#timer.unref()
  }

  /** Stops to report; the share stays. */
  stop(): void {
    clearInterval(this.#timer)
  }

  get state(): FleetPaceState {
    return {
      budget: this.#budget,
      perSecond: this.#perSecond,
      demand: this.#demand,
      processes: this.#processes,
      failure: this.#failure,
    }
  }

  /**
   * Whether so many profiles of a request may be kept. `dice` gives a number from 0, below 1, that is the same in all services that a
   * trace goes through, so that they hold back the same traces.
   */
  take(profiles: number, dice: () => number): boolean {
    this.#wanted += profiles
    this.#refill()
    if (this.#room <= 0) return false
    // With room to spare nothing is held back, whatever the demand was a second ago.
    if (this.#room < this.#burst / 2 && this.#rate < 1 && dice() >= this.#rate) return false
    this.#room -= profiles
    return true
  }

  /** Whether an error is among the first of its family, which are kept before anything else. Counts it, and its profiles. */
  takeFirst(family: string, profiles: number): boolean {
    const seen = this.#families.get(family) ?? { known: 0, own: 0 }
    // Others may keep the same family now, and say so within a second: each takes its part of what is left, and at least one.
    const allowed = Math.ceil((keptOfFamily - seen.known) / (this.#processes ?? 1))
    if (seen.own >= allowed || (this.#families.size >= maxFamilies && !this.#families.has(family))) return false
    this.#refill()
    if (this.#room <= -Math.max(1, (debtOfAll * this.#budget) / this.#sharing)) return false
    this.#wanted += profiles
    this.#room -= profiles
    seen.own += 1
    this.#families.set(family, seen)
    return true
  }

  /** Reports and takes the share that comes back. Called by the timer; never rejects. */
  async report(): Promise<void> {
    this.#measure()
    if (this.#isReporting) return
    this.#isReporting = true
    // Families that this process kept nothing of since the last report are asked about: others may have.
    const kept = [...this.#families].toSorted(([, one], [, other]) => other.own - one.own).slice(0, maxReported)
    const errors = new Map(kept.map(([family, { own }]) => [family, own]))
    try {
      const share = await this.#fleet.exchange({ budget: this.#budget, demand: Math.ceil(this.#demand), errors })
      this.#refill()
      this.#perSecond = share.perSecond
      this.#processes = share.processes
      this.#failure = null
      this.#aim()
      for (const [family, seen] of kept) {
        const count = errors.get(family) ?? 0
        seen.known = share.errors.get(family) ?? seen.known + count
        seen.own -= count
      }
    } catch (thrown) {
      const { message: reason } = describeFailure(thrown)
      this.#failure = { since: this.#failure?.since ?? this.#wallClock(), reason }
    } finally {
      this.#isReporting = false
    }
  }

  #measure(): void {
    const now = this.#now()
    const seconds = (now - this.#wantedSince) / 1000
    if (seconds > 0) {
      this.#demands = [...this.#demands, this.#wanted / seconds].slice(-remembered)
      this.#wanted = 0
      this.#wantedSince = now
      this.#aim()
    }
    const minute = Math.floor(this.#wallClock() / minuteMs)
    if (minute !== this.#minute) this.#families.clear()
    this.#minute = minute
  }

  /** Sets the dice so that what is wanted fits the share. */
  #aim(): void {
    this.#rate = this.#perSecond / Math.max(this.#perSecond, this.#demands.at(-1) ?? 0)
  }

  get #demand(): number {
    return Math.max(0, ...this.#demands)
  }

  get #sharing(): number {
    return this.#processes ?? assumedProcesses
  }

  /** Most room that is saved up. */
  get #burst(): number {
    return Math.max(1, Math.min(burstSeconds * this.#perSecond, (burstOfAll * this.#budget) / this.#sharing))
  }

  #refill(): void {
    const now = this.#now()
    this.#room = Math.min(this.#burst, this.#room + ((now - this.#filledAt) / 1000) * this.#perSecond)
    this.#filledAt = now
  }
}
