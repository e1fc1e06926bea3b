// The profiles of a store in Redis, in the thread that works for them: spreads writes over the partitions, holds what they do not
// take, and reads from those that respond.

import type { EncodedProfile } from '../stores/thread/profile-columns.ts'
import type { ProfileBounds } from '../stores/engine.ts'
import type { ProfilePlace } from '../stores/thread/serve-profiles.ts'
import {
  isProfileRefusedError,
  refuseProfiles,
  takenToken,
  tooLarge,
  type FleetOutage,
  type FleetStats,
} from '../profiles/profile-store.ts'
import type { ProfileStoreStats } from '../profiles/profile-store.ts'
import { statsOf } from '../stores/profile-keeping.ts'
import { AbsentParts, headCommand, headOf, Reading } from './reading.ts'
import { indexOfToken, makePartitions, type Partition } from './partitions.ts'
import { PartitionWriter } from './partition-writer.ts'
import { isLate } from '../http/kernel/within-budget.ts'
import { pause, accepted, toEngineError, RedisFailure } from './redis-command.ts'
import { jsonOf, toStoredRow, type StoredRow } from './profile-rows.ts'
import { findProfiles, gatherStored, groupStored, readProfile, readStats } from './profile-reads.ts'
import type { RedisAddress } from './redis-address.ts'
import { RedisConnection, partitionsFor } from './redis-connection.ts'

export interface RedisPlaceOptions {
  readonly address: RedisAddress
  /** Of the whole store. */
  readonly bounds: ProfileBounds
}

/** How long a writer waits before profiles are set aside, in milliseconds. */
const writeMs = 500

/** How much of it is for a look whether tokens exist, if a batch is for several partitions. */
const lookMs = 200

/** How long it waits for the store to open. */
const openMs = 3000

/** How long closing waits for profiles that were set aside, in milliseconds. */
const closeMs = 2500

/** What is known once the store was open. */
interface Layout {
  readonly partitions: readonly Partition[]
  readonly writer: PartitionWriter
  readonly lanes: readonly WriteLane[]
  readonly absent: AbsentParts
}

export class RedisPlace implements ProfilePlace {
  readonly #options: RedisPlaceOptions
  readonly #onWarning: (line: string) => void
  readonly #connection: RedisConnection
  readonly #held = new HeldProfiles()
  readonly #running = new Set<Promise<void>>()
  /** Stored, of batches that are sent again without those that were refused. */
  readonly #accepted = new Set<string>()
  /** Where profiles wait until the store was open for the first time. */
  readonly #entry: WriteLane
  readonly #health: PartHealth
  #layout: Layout | undefined

  constructor(options: RedisPlaceOptions, onWarning: (line: string) => void) {
    this.#options = options
    this.#onWarning = onWarning
    this.#connection = new RedisConnection(options.address, {
      maxProfiles: options.bounds.maxCount,
      // The calling thread has a connection, too, and says the same once.
      onWarning: () => undefined,
    })
    this.#health = new PartHealth({ connection: this.#connection, held: this.#held, onWarning })
    this.#entry = this.#lane((rows) => this.#spread(rows))
  }

  async write(profiles: Iterable<EncodedProfile>): Promise<void> {
    const rows = Array.from(profiles, toStoredRow)
    const writing = this.#write(rows.filter(({ token }) => !this.#accepted.has(token)))
    this.#running.add(writing)
    try {
      await writing
      for (const { token } of rows) this.#accepted.delete(token)
    } finally {
      this.#running.delete(writing)
    }
  }

  async read(token: string): Promise<string | undefined> {
    const held = this.#held.get(token)
    return held === undefined ? readProfile(await this.#reading(), token) : jsonOf(held.stored)
  }

  readonly find: ProfilePlace['find'] = async (...asked) => findProfiles(await this.#reading(), ...asked)
  readonly group: ProfilePlace['group'] = async (...asked) => groupStored(await this.#reading(), ...asked)
  readonly gather: ProfilePlace['gather'] = async (...asked) => gatherStored(await this.#reading(), ...asked)

  async purge(before?: number): Promise<number> {
    const reading = await this.#reading()
    const { writer } = await this.#open()
    const heads = await reading.sendToEach((partition) => [headCommand(partition)])
    const counts = await Promise.allSettled(
      reading.partitions.map((partition, index) => {
        const head = heads[index]
        if (head === undefined) throw reading.failureOf(partition)
        return writer.purge(partition, headOf(head[0]).newestSeq, before)
      }),
    )
    const failed = counts.find((count) => count.status === 'rejected')
    if (failed !== undefined) throw failed.reason
    return counts.reduce((sum, count) => sum + (count.status === 'fulfilled' ? count.value : 0), 0)
  }

  /** Never rejects because the store is away: it says so. */
  async stats(): Promise<ProfileStoreStats> {
    const { bounds } = this.#options
    const none = { count: 0, bytes: 0 }
    const of = this.#layout?.partitions.length ?? partitionsFor(bounds.maxCount)
    let stats: ProfileStoreStats
    let { outage } = this.#health
    try {
      stats = await readStats(await this.#reading(), bounds)
      outage ??= this.#absence
    } catch (thrown) {
      stats = { ...statsOf({ ordinary: none, longer: none }, bounds, null), missing: { parts: of, of } }
      outage ??= { since: Date.now(), reason: this.toError(thrown).message }
    }
    return { ...stats, fleet: { ...this.#held.stats, unconfirmed: this.#layout?.writer.unconfirmed ?? 0, outage } }
  }

  /** Of parts that were asked for profiles only. */
  get #absence(): FleetOutage | null {
    const first = this.#layout?.absent.first
    return first === undefined ? null : { since: first.since, reason: this.toError(first.failure).message }
  }

  async close(): Promise<void> {
    const deadline = performance.now() + closeMs
    await isLate(Promise.allSettled(this.#running), closeMs)
    while (this.#held.size > 0 && performance.now() < deadline) await pause(20)
    if (this.#held.size > 0) {
      const why = this.#health.outage?.reason ?? 'they were not taken in time'
      this.#onWarning(`${this.#held.size} profiles for the store "${this.#connection.name}" are lost: ${why}`)
    }
    for (const lane of [this.#entry, ...(this.#layout?.lanes ?? [])]) lane.close()
    this.#layout?.absent.close()
    await this.#connection.close()
  }

  toError(thrown: unknown): Error {
    return isProfileRefusedError(thrown) ? thrown : toEngineError(thrown, this.#connection.name)
  }

  async #write(rows: readonly StoredRow[]): Promise<void> {
    this.#refuseDoubled(rows)
    if (this.#layout === undefined) await this.#open().catch(() => undefined)
    await (this.#layout === undefined ? this.#entry.write(rows, openMs) : this.#spread(rows))
  }

  /** Tokens that are twice in a batch or already waiting, and profiles that no partition has room for. */
  #refuseDoubled(rows: readonly StoredRow[]): void {
    const seen = new Set<string>()
    const doubled = rows.filter(
      ({ token }) => seen.has(token) || this.#held.get(token) !== undefined || !seen.add(token),
    )
    refuseProfiles(doubled, takenToken)
    const { maxBytes } = this.#boundsOfOne(this.#layout?.partitions.length ?? 1)
    const tooBig = rows.filter(({ bytes }) => bytes > maxBytes)
    refuseProfiles(tooBig, tooLarge)
  }

  /** Gives each partition its rows. A batch for several of them is looked up first: all or none of it is refused. */
  async #spread(rows: readonly StoredRow[]): Promise<void> {
    const { partitions, lanes } = await this.#open()
    const deadline = performance.now() + writeMs
    const parts = Map.groupBy(rows, ({ token }) => indexOfToken(token, partitions.length))
    if (parts.size > 1) await this.#refuseTaken(parts)
    const patienceMs = Math.max(1, deadline - performance.now())
    const all = [...parts]
    const writing = all.map(([index, part]) => (lanes[index] ?? this.#entry).write(part, patienceMs))
    const outcomes = await Promise.allSettled(writing)
    const refused = outcomes.find((outcome) => outcome.status === 'rejected')
    if (refused === undefined) return
    // The caller sends the others again.
    for (const [place, [, part]] of all.entries()) {
      if (outcomes[place]?.status === 'fulfilled') for (const { token } of part) this.#accepted.add(token)
    }
    throw refused.reason
  }

  /** Partitions that do not respond are not waited for. */
  async #refuseTaken(parts: ReadonlyMap<number, readonly StoredRow[]>): Promise<void> {
    const { lanes, partitions } = await this.#open()
    let reading: Reading
    try {
      reading = new Reading({ client: this.#connection.use().client, partitions, patienceMs: lookMs })
    } catch {
      return
    }
    const taken = await Promise.all(
      [...parts].map(async ([index, part]) => {
        const partition = reading.partitions[index]
        if (partition === undefined || lanes[index]?.isHolding === true) return []
        const { profilePrefix } = partition
        const replies = await reading.send(
          partition,
          part.map(({ token }) => ['exists', profilePrefix + token]),
        )
        return part.filter((_, place) => replies?.[place] === 1)
      }),
    )
    refuseProfiles(taken.flat(), takenToken)
  }

  async #reading(): Promise<Reading> {
    const { partitions, absent } = await this.#open()
    return new Reading({ client: this.#connection.use().client, partitions, absent })
  }

  /** The layout of the store. Rejects while it was never open. */
  async #open(): Promise<Layout> {
    if (this.#layout !== undefined) return this.#layout
    await this.#connection.opened
    const { partitions: count } = this.#connection.use()
    return (this.#layout ??= this.#layOut(count))
  }

  #layOut(count: number): Layout {
    const partitions = makePartitions(count)
    const writer = new PartitionWriter(() => this.#connection.use().client, this.#boundsOfOne(count))
    const lanes = partitions.map((partition) =>
      this.#lane((rows, isRepeated) => writer.write(partition, rows, isRepeated), partition),
    )
    return { partitions, writer, lanes, absent: new AbsentParts((partition) => this.#ask(partition)) }
  }

  /** Rejects while the partition does not respond. */
  async #ask({ slot, noKey }: Partition): Promise<void> {
    accepted(await this.#connection.use().client.send(slot, [['exists', noKey]]))
  }

  #boundsOfOne(count: number): ProfileBounds {
    const { maxCount, maxBytes, maxAgeMs } = this.#options.bounds
    const shareOf = (bound: number): number => Math.max(1, Math.floor(bound / count))
    return { maxCount: shareOf(maxCount), maxBytes: shareOf(maxBytes), maxAgeMs }
  }

  /** Without a partition: the lane to all of them. */
  #lane(send: (rows: readonly StoredRow[], isRepeated: boolean) => Promise<void>, partition?: Partition): WriteLane {
    return new WriteLane({ held: this.#held, send, onChange: (failure) => this.#health.note(partition, failure) })
  }
}

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

class WriteLane {
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

class PartHealth {
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
