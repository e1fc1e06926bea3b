// Lanes to the parts of the store. What a part does not accept in time is kept within bounds and sent again in the background, so that
// nobody waits for a part that is away; its outage is told to the log and the status page.

import { isProfileRefusedError } from '../profiles/profile-refused-error.ts'
import { isLate } from '../http/kernel/within-budget.ts'
import { pause, RedisFailure, toEngineError } from './redis-command.ts'
import type { StoredRow } from './profile-rows.ts'
import type { FleetStats, FleetOutage } from '../profiles/profile-store.ts'
import type { Partition } from './partitions.ts'
import type { RedisConnection } from './redis-connection.ts'

interface LaneOptions {
  readonly held: HeldProfiles
  /**
   * Stores profiles, all or none. Rejects with `ProfileRefusedError` for tokens that exist; `isRepeated`: they may be there from an earlier
   * attempt, and count as stored.
   */
  readonly send: (rows: readonly StoredRow[], isRepeated: boolean) => Promise<void>
  /** Called when the lane begins to hold profiles back, with the reason, and when it has sent everything (`null`). */
  readonly onChange: (failure: Error | null) => void
}

/** Profiles that are sent again at once. */
const repeatedAtOnce = 64

const firstPauseMs = 100
const longestPauseMs = 1000

export class WriteLane {
  readonly #options: LaneOptions
  #isHolding = false
  #isClosed = false

  constructor(options: LaneOptions) {
    this.#options = options
  }

  /** Ends when they are stored, or after this many milliseconds, when they are held back. Only rejects with `ProfileRefusedError`. */
  async write(rows: readonly StoredRow[], patienceMs: number): Promise<void> {
    const { held } = this.#options
    if (this.#isHolding) return held.add(rows, this)
    const sending = this.#options.send(rows, false)
    let failure: Error = new RedisFailure('TIMEOUT', `no response within ${Math.round(patienceMs)} ms`)
    try {
      if (!(await isLate(sending, patienceMs))) return
    } catch (thrown) {
      if (isProfileRefusedError(thrown)) throw thrown
      failure = thrown instanceof Error ? thrown : new Error(String(thrown))
    }
    held.add(rows, this)
    // The first attempt may still arrive: sending it a second time at once would only add to what is too much already.
    const first = sending.then(
      () => held.release(rows, this),
      () => undefined,
    )
    if (this.#isHolding) return
    this.#isHolding = true
    this.#options.onChange(failure)
    void this.#sendHeld(first)
  }

  get isHolding(): boolean {
    return this.#isHolding
  }

  /** Sends nothing any more. */
  close(): void {
    this.#isClosed = true
  }

  /** Never rejects. */
  async #sendHeld(first: Promise<void>): Promise<void> {
    const { held, send, onChange } = this.#options
    await first
    let pauseMs = firstPauseMs
    for (let rows = held.of(this); rows.length > 0 && !this.#isClosed; rows = held.of(this)) {
      const part = rows.slice(0, repeatedAtOnce)
      try {
        await send(part, true)
        held.release(part, this)
        pauseMs = firstPauseMs
      } catch {
        await pause(pauseMs)
        pauseMs = Math.min(longestPauseMs, pauseMs * 2)
      }
    }
    this.#isHolding = false
    onChange(null)
  }
}

const maxHeld = 2000
const maxHeldBytes = 32 * 1024 * 1024

/** The partitions whose profiles wait. */
type Holder = object

/** The profiles of all holders together, oldest first. */
export class HeldProfiles {
  readonly #held = new Map<string, { readonly row: StoredRow; readonly holder: Holder }>()
  #bytes = 0
  #late = 0
  #dropped = 0

  /** Beyond the bounds the oldest of all are dropped. */
  add(rows: readonly StoredRow[], holder: Holder): void {
    for (const row of rows) {
      this.#remove(row.token)
      this.#held.set(row.token, { row, holder })
      this.#bytes += row.bytes
    }
    for (const [token] of this.#held) {
      if (this.#held.size <= maxHeld && this.#bytes <= maxHeldBytes) break
      this.#remove(token)
      this.#dropped += 1
    }
  }

  /** They are stored. Those that were dropped meanwhile, or wait for another holder, do not count. */
  release(rows: readonly StoredRow[], holder: Holder): void {
    for (const { token } of rows) {
      if (this.#held.get(token)?.holder !== holder) continue
      this.#remove(token)
      this.#late += 1
    }
  }

  of(holder: Holder): readonly StoredRow[] {
    return [...this.#held.values()].filter((one) => one.holder === holder).map(({ row }) => row)
  }

  get(token: string): StoredRow | undefined {
    return this.#held.get(token)?.row
  }

  get size(): number {
    return this.#held.size
  }

  get stats(): Omit<FleetStats, 'unconfirmed' | 'outage'> {
    const counts = { late: this.#late, dropped: this.#dropped }
    return { held: this.#held.size, heldBytes: this.#bytes, maxHeld, maxHeldBytes, ...counts }
  }

  #remove(token: string): void {
    this.#bytes -= this.#held.get(token)?.row.bytes ?? 0
    this.#held.delete(token)
  }
}

interface PartHealthOptions {
  readonly connection: RedisConnection
  readonly held: HeldProfiles
  readonly onWarning: (line: string) => void
}

/** How long another outage is not logged after one, in milliseconds. The next line that is has its counts. */
const quietMs = 60_000

export class PartHealth {
  readonly #options: PartHealthOptions
  /** The first one first; `undefined`: the whole store. */
  readonly #failing = new Map<Partition | undefined, FleetOutage>()
  #lateBefore = 0
  #droppedBefore = 0
  /** When the log last had a line, by `performance.now()`; `null`: the outage that goes on is in the log. */
  #saidAt: number | null = -Infinity

  constructor(options: PartHealthOptions) {
    this.#options = options
  }

  /** A partition began to fail, or (`null`) accepts profiles again. Logs once that profiles are held back, and once that none are any more. */
  note(partition: Partition | undefined, failure: Error | null): void {
    const { connection, held, onWarning } = this.#options
    const wasFailing = this.#failing.size > 0
    const reason = failure === null ? '' : toEngineError(failure, connection.name).message
    if (failure === null) this.#failing.delete(partition)
    else this.#failing.set(partition, { since: Date.now(), reason })
    const { late, dropped } = held.stats
    if (!wasFailing && failure !== null) {
      // Links that are slow would fail and recover without end.
      const waitMs = (this.#saidAt ?? -Infinity) + quietMs - performance.now()
      if (waitMs <= 0) this.#sayOutage()
      else setTimeout(() => this.#sayOutage(), waitMs).unref()
    } else if (wasFailing && this.#failing.size === 0 && this.#saidAt === null) {
      const counts = `${late - this.#lateBefore} were stored late, ${dropped - this.#droppedBefore} were dropped`
      this.#saidAt = performance.now()
      onWarning(`The store "${connection.name}" takes all profiles again: ${counts}.`)
      this.#lateBefore = late
      this.#droppedBefore = dropped
    }
  }

  #sayOutage(): void {
    const [first] = this.#failing.values()
    if (first === undefined || this.#saidAt === null) return
    this.#saidAt = null
    this.#options.onWarning(`Profiles wait in memory, at most ${this.#options.held.stats.maxHeld}: ${first.reason}`)
  }

  get outage(): FleetOutage | null {
    const { problem, partitions } = this.#options.connection
    if (problem !== null) return problem
    const [first] = this.#failing.values()
    if (first === undefined) return null
    const parts = `${this.#failing.size} of ${partitions} parts do not take profiles`
    return { since: first.since, reason: `${parts}: ${first.reason}` }
  }
}
