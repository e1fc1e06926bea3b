// The profiles of a store in Redis, in the thread that works for them: spreads writes over the partitions, holds what they do not
// take, and reads from those that respond.

import type { EncodedProfile } from '../stores/thread/profile-columns.ts'
import type { ProfileBounds } from '../stores/engine-options.ts'
import type { ProfilePlace } from '../stores/thread/serve-profiles.ts'
import { isProfileRefusedError, refuseProfiles, takenToken, tooLarge } from '../profiles/profile-refused-error.ts'
import type { FleetOutage, ProfileStoreStats } from '../profiles/profile-store.ts'
import { statsOf } from '../stores/evict.ts'
import { AbsentParts, headCommand, headOf, Reading } from './reading.ts'
import { HeldProfiles, PartHealth, WriteLane } from './write-lane.ts'
import { indexOfToken, makePartitions, type Partition } from './partitions.ts'
import { PartitionWriter } from './partition-writer.ts'
import { isLate } from '../http/kernel/within-budget.ts'
import { pause, accepted, toEngineError } from './redis-command.ts'
import { jsonOf, toStoredRow, type StoredRow } from './profile-rows.ts'
import { findProfiles, gatherStored, groupStored, readProfile, readStats } from './profile-reads.ts'
import type { RedisAddress } from './redis-address.ts'
import { RedisConnection } from './redis-connection.ts'
import { partitionsFor } from './store-format.ts'

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
