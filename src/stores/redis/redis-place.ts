// The profiles of a store in Redis, in the thread that works for them: spreads writes over the partitions, holds what they do not
// take, and reads from those that respond.

import { unpackBody, type EncodedProfile } from '../thread/profile-columns.ts'
import type { ProfileBounds } from '../engine-options.ts'
import type { ProfilePlace } from '../thread/serve-profiles.ts'
import { isProfileRefusedError, ProfileRefusedError } from '../../profiler/profile-store.ts'
import type {
  FleetOutage,
  GroupBy,
  GroupRequest,
  PageRequest,
  ProfileFilter,
  ProfileGroups,
  ProfilePage,
  ProfileStoreStats,
} from '../../profiler/profile-store.ts'
import { statsOf } from '../evict.ts'
import { HeldProfiles } from './held-profiles.ts'
import { notePartCount, notePartState, type SharedPartStates } from './part-states.ts'
import { indexOfToken, makePartitions, type Partition } from './partitions.ts'
import { PartitionWriter } from './partition-writer.ts'
import { isLate, pause } from './patience.ts'
import { toStoredRow, type StoredRow } from './profile-rows.ts'
import { findProfiles, groupStored, readProfile, readStats } from './profile-reads.ts'
import { headCommand, headOf, Reading } from './reading.ts'
import type { RedisAddress } from './redis-address.ts'
import { RedisConnection } from './redis-connection.ts'
import { toEngineError } from './redis-failure.ts'
import { partitionsFor } from './store-format.ts'
import { takenError, WriteLane } from './write-lane.ts'

export interface RedisPlaceOptions {
  readonly address: RedisAddress
  /** Of the whole store. */
  readonly bounds: ProfileBounds
  readonly states: SharedPartStates
}

/** How long a writer waits for a partition before its profiles are held apart, in milliseconds. */
const lanePatienceMs = 500

/** How long closing waits for what is held, in milliseconds. */
const closeMs = 2500

/** What is known once the store was open. */
interface Layout {
  readonly partitions: readonly Partition[]
  readonly writer: PartitionWriter
  readonly lanes: readonly WriteLane[]
}

export class RedisPlace implements ProfilePlace {
  readonly #options: RedisPlaceOptions
  readonly #onWarning: (line: string) => void
  readonly #connection: RedisConnection
  readonly #held = new HeldProfiles()
  readonly #running = new Set<Promise<void>>()
  /** Where profiles wait until the store was open for the first time. */
  readonly #entry: WriteLane
  readonly #failing = new Map<string, FleetOutage>()
  #layout: Layout | undefined
  #lateBefore = 0
  #droppedBefore = 0

  constructor(options: RedisPlaceOptions, onWarning: (line: string) => void) {
    this.#options = options
    this.#onWarning = onWarning
    this.#connection = new RedisConnection(options.address, { maxProfiles: options.bounds.maxCount, onWarning })
    this.#entry = this.#lane('entry', Number.POSITIVE_INFINITY, (rows) => this.#spread(rows))
  }

  async write(profiles: readonly EncodedProfile[]): Promise<void> {
    const rows = profiles.map(toStoredRow)
    const writing = this.#write(rows)
    this.#running.add(writing)
    try {
      await writing
    } finally {
      this.#running.delete(writing)
    }
  }

  async read(token: string): Promise<string | undefined> {
    const held = this.#held.get(token)
    return held === undefined ? readProfile(await this.#reading(), token) : unpackBody(held.body)
  }

  async find(filter: ProfileFilter, page: PageRequest): Promise<ProfilePage> {
    return findProfiles(await this.#reading(), filter, page)
  }

  async group(filter: ProfileFilter, by: GroupBy, request?: GroupRequest): Promise<ProfileGroups> {
    return groupStored(await this.#reading(), filter, by, request)
  }

  async purge(before: number | undefined): Promise<number> {
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
    let outage = this.#outage
    try {
      stats = await readStats(await this.#reading(), bounds)
    } catch (thrown) {
      stats = { ...statsOf({ ordinary: none, longer: none }, bounds, null), missing: { parts: of, of } }
      outage ??= { since: Date.now(), reason: this.toError(thrown).message }
    }
    return { ...stats, fleet: { ...this.#held.stats, unconfirmed: this.#layout?.writer.unconfirmed ?? 0, outage } }
  }

  async close(): Promise<void> {
    const deadline = performance.now() + closeMs
    await isLate(Promise.allSettled(this.#running), closeMs)
    while (this.#held.size > 0 && performance.now() < deadline) await pause(20)
    if (this.#held.size > 0) {
      const why = this.#outage?.reason ?? 'they were not taken in time'
      this.#onWarning(`${this.#held.size} profiles for the store "${this.#connection.name}" are lost: ${why}`)
    }
    for (const lane of [this.#entry, ...(this.#layout?.lanes ?? [])]) lane.close()
    await this.#connection.close()
  }

  toError(thrown: unknown): Error {
    return isProfileRefusedError(thrown) ? thrown : toEngineError(thrown, this.#connection.name)
  }

  get #outage(): FleetOutage | null {
    const { problem } = this.#connection
    if (problem !== null) return problem
    const [first] = this.#failing.values()
    if (first === undefined) return null
    const of = this.#layout?.partitions.length ?? 0
    return { ...first, reason: `${this.#failing.size} of ${of} parts do not take profiles: ${first.reason}` }
  }

  async #write(rows: readonly StoredRow[]): Promise<void> {
    this.#refuseDoubled(rows)
    if (this.#layout === undefined) await this.#open().catch(() => undefined)
    await (this.#layout === undefined ? this.#entry.write(rows) : this.#spread(rows))
  }

  /** Tokens that stand twice in a batch or wait already, and profiles that no partition has room for. */
  #refuseDoubled(rows: readonly StoredRow[]): void {
    const seen = new Set<string>()
    const doubled = rows.filter(
      ({ token }) => seen.has(token) || this.#held.get(token) !== undefined || !seen.add(token),
    )
    if (doubled.length > 0) throw takenError(doubled)
    const { maxBytes } = this.#boundsOfOne(this.#layout?.partitions.length ?? 1)
    const tooBig = rows.filter(({ bytes }) => bytes > maxBytes)
    if (tooBig.length === 0) return
    throw new ProfileRefusedError(
      tooBig.map(({ token }) => token),
      'it is larger than the store may be',
    )
  }

  /** Gives each partition its rows. A batch for several of them is looked up first: all or none of it is refused. */
  async #spread(rows: readonly StoredRow[]): Promise<void> {
    const { partitions, lanes } = await this.#open()
    const parts = Map.groupBy(rows, ({ token }) => indexOfToken(token, partitions.length))
    if (parts.size > 1) await this.#refuseTaken(parts, partitions)
    await Promise.all([...parts].map(([index, part]) => (lanes[index] ?? this.#entry).write(part)))
  }

  async #refuseTaken(
    parts: ReadonlyMap<number, readonly StoredRow[]>,
    partitions: readonly Partition[],
  ): Promise<void> {
    const reading = new Reading(this.#connection.use().client, partitions, lanePatienceMs)
    const taken = await Promise.all(
      [...parts].map(async ([index, part]) => {
        const partition = partitions[index]
        if (partition === undefined) return []
        const { profilePrefix } = partition
        const replies = await reading.send(
          partition,
          part.map(({ token }) => ['exists', profilePrefix + token]),
        )
        return part.filter((_, place) => replies?.[place] === 1)
      }),
    )
    if (taken.flat().length > 0) throw takenError(taken.flat())
  }

  async #reading(): Promise<Reading> {
    const { partitions } = await this.#open()
    return new Reading(this.#connection.use().client, partitions)
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
      this.#lane(String(partition.index), lanePatienceMs, (rows, isRepeated) =>
        writer.write(partition, rows, isRepeated),
      ),
    )
    notePartCount(this.#options.states, count)
    return { partitions, writer, lanes }
  }

  #boundsOfOne(count: number): ProfileBounds {
    const { maxCount, maxBytes, maxAgeMs } = this.#options.bounds
    const shareOf = (bound: number): number => Math.max(1, Math.floor(bound / count))
    return { maxCount: shareOf(maxCount), maxBytes: shareOf(maxBytes), maxAgeMs }
  }

  #lane(
    name: string,
    patienceMs: number,
    send: (rows: readonly StoredRow[], isRepeated: boolean) => Promise<void>,
  ): WriteLane {
    return new WriteLane({
      held: this.#held,
      send,
      patienceMs,
      onChange: (failure) => this.#note(name, failure),
    })
  }

  /** Says once that profiles are held, and once that all lanes are free again. */
  #note(name: string, failure: Error | null): void {
    const store = this.#connection.name
    if (name !== 'entry') notePartState(this.#options.states, Number(name), failure === null)
    const wasFailing = this.#failing.size > 0
    if (failure === null) this.#failing.delete(name)
    else this.#failing.set(name, { since: Date.now(), reason: this.toError(failure).message })
    const { late, dropped, maxHeld } = this.#held.stats
    if (!wasFailing && failure !== null) {
      this.#onWarning(
        `A part of the store "${store}" does not take profiles: ${this.toError(failure).message} Up to ${maxHeld} wait in memory.`,
      )
    } else if (wasFailing && this.#failing.size === 0) {
      const counts = `${late - this.#lateBefore} were stored late, ${dropped - this.#droppedBefore} were dropped`
      this.#onWarning(`The store "${store}" takes all profiles again: ${counts}.`)
      this.#lateBefore = late
      this.#droppedBefore = dropped
    }
  }
}
