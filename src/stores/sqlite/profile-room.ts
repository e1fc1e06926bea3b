// How much room the profiles in the database take, by class, and which go when it is too much. Runs in the worker thread,
// inside the transaction of the write.

import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { ProfileStoreStats } from '../../profiler/profile-store.ts'
import type { ProfileBounds } from '../engine-options.ts'
import { evict, longerAgeFactor, longerShare, type Evictable, type KeepingClass, type Totals } from '../evict.ts'
import type { UrlBlocks } from './url-blocks.ts'

/** The sums of both classes. */
export type RoomTotals = Readonly<Record<KeepingClass, Totals>>

/** As the column's expression has it. */
const classValue = { ordinary: 0, longer: 1 } as const

/** Keeps the sums, and the profiles within their bounds. */
export class ProfileRoom {
  readonly #bounds: ProfileBounds
  readonly #urlBlocks: UrlBlocks
  readonly #read: StatementSync
  readonly #write: StatementSync
  readonly #oldest: Readonly<Record<KeepingClass, StatementSync>>
  readonly #oldestTime: StatementSync
  readonly #removeBodies: StatementSync
  readonly #removeProfiles: StatementSync
  readonly #sumBefore: StatementSync
  readonly #bodiesToMove: StatementSync
  readonly #moveBody: StatementSync
  readonly #followBody: StatementSync
  readonly #removeBodiesBefore: StatementSync
  readonly #removeProfilesBefore: StatementSync

  constructor(database: DatabaseSync, bounds: ProfileBounds, urlBlocks: UrlBlocks) {
    this.#bounds = bounds
    this.#urlBlocks = urlBlocks
    this.#read = database.prepare('SELECT count, bytes, longer_count, longer_bytes FROM totals')
    this.#write = database.prepare('UPDATE totals SET count = ?, bytes = ?, longer_count = ?, longer_bytes = ?')
    const oldest = (name: KeepingClass): StatementSync =>
      database.prepare(`SELECT seq, bytes, time FROM profile WHERE (findings <> 0) = ${classValue[name]} ORDER BY seq`)
    this.#oldest = { ordinary: oldest('ordinary'), longer: oldest('longer') }
    this.#oldestTime = database.prepare('SELECT min(time) AS time FROM profile')
    const upTo = 'SELECT seq FROM profile WHERE (findings <> 0) = ? AND seq <= ?'
    this.#removeBodies = database.prepare(`DELETE FROM body WHERE seq IN (${upTo})`)
    this.#removeProfiles = database.prepare(`DELETE FROM profile WHERE seq IN (${upTo})`)
    this.#sumBefore = database.prepare(
      `SELECT count(*) AS count, sum(bytes) AS bytes, sum(findings <> 0) AS longer_count,
         sum(bytes * (findings <> 0)) AS longer_bytes FROM profile WHERE time < ?`,
    )
    this.#bodiesToMove = database.prepare(
      `SELECT max(seq) AS seq, seq + body_ahead AS body FROM profile WHERE body_ahead > 0 AND time >= ?1
         AND (SELECT time FROM profile AS last WHERE last.seq = profile.seq + profile.body_ahead) < ?1 GROUP BY body`,
    )
    this.#moveBody = database.prepare('UPDATE body SET seq = ?2 WHERE seq = ?1')
    this.#followBody = database.prepare(
      'UPDATE profile SET body_ahead = ?2 - seq WHERE seq <= ?2 AND body_ahead = ?1 - seq AND time >= ?3',
    )
    this.#removeBodiesBefore = database.prepare(
      'DELETE FROM body WHERE seq IN (SELECT seq FROM profile WHERE time < ?)',
    )
    this.#removeProfilesBefore = database.prepare('DELETE FROM profile WHERE time < ?')
  }

  /** The sums as they are stored. */
  totals(): RoomTotals {
    return totalsOf(this.#read.get())
  }

  /** Counts new profiles, removes those that must go for them, and stores the sums. */
  admit(added: RoomTotals, newestSeq: number): void {
    const before = this.totals()
    const { upTo, totals } = evict({
      oldest: { ordinary: this.#walk('ordinary'), longer: this.#walk('longer') },
      totals: { ordinary: sum(before.ordinary, added.ordinary), longer: sum(before.longer, added.longer) },
      bounds: this.#bounds,
      newestSeq,
      now: Date.now(),
    })
    this.#removeUpTo('ordinary', upTo.ordinary)
    this.#removeUpTo('longer', upTo.longer)
    if (upTo.ordinary !== null || upTo.longer !== null) this.#urlBlocks.removed(upTo.ordinary ?? 0)
    this.#store(totals)
  }

  /** Removes what began before an instant, and says how many that were. */
  removeBefore(time: number): number {
    const gone = totalsOf(this.#sumBefore.get(time))
    const { ordinary, longer } = this.totals()
    const count = gone.ordinary.count + gone.longer.count
    if (count === 0) return 0
    // Requests end in another order than they began: what stays may share a body whose last profile goes.
    for (const { seq, body } of this.#bodiesToMove.all(time)) {
      this.#moveBody.run(Number(body), Number(seq))
      this.#followBody.run(Number(body), Number(seq), time)
    }
    this.#removeBodiesBefore.run(time)
    this.#removeProfilesBefore.run(time)
    this.#urlBlocks.removeBeyondNewest()
    this.#store({ ordinary: difference(ordinary, gone.ordinary), longer: difference(longer, gone.longer) })
    return count
  }

  /** For people. */
  stats(): ProfileStoreStats {
    const { ordinary, longer } = this.totals()
    const oldestTime = this.#oldestTime.get()?.['time']
    return {
      ...sum(ordinary, longer),
      ...this.#bounds,
      longer: { ...longer, share: longerShare, maxAgeMs: this.#bounds.maxAgeMs * longerAgeFactor },
      oldestTime: typeof oldestTime === 'number' ? oldestTime : null,
    }
  }

  // A statement that is read to no end must be let go of before rows are removed: `finally` runs when the walk is left.
  *#walk(name: KeepingClass): Generator<Evictable, undefined> {
    for (const { seq, bytes, time } of this.#oldest[name].iterate()) {
      yield { seq: Number(seq), bytes: Number(bytes), time: Number(time) }
    }
  }

  #removeUpTo(name: KeepingClass, seq: number | null): void {
    if (seq === null) return
    this.#removeBodies.run(classValue[name], seq)
    this.#removeProfiles.run(classValue[name], seq)
  }

  // `count` and `bytes` are those of both classes, as files of older formats have them.
  #store({ ordinary, longer }: RoomTotals): void {
    const all = sum(ordinary, longer)
    this.#write.run(all.count, all.bytes, longer.count, longer.bytes)
  }
}

function totalsOf(row: Readonly<Record<string, unknown>> | undefined): RoomTotals {
  const all = { count: Number(row?.['count'] ?? 0), bytes: Number(row?.['bytes'] ?? 0) }
  const longer = { count: Number(row?.['longer_count'] ?? 0), bytes: Number(row?.['longer_bytes'] ?? 0) }
  return { ordinary: difference(all, longer), longer }
}

function sum(one: Totals, other: Totals): Totals {
  return { count: one.count + other.count, bytes: one.bytes + other.bytes }
}

function difference(one: Totals, other: Totals): Totals {
  return { count: one.count - other.count, bytes: one.bytes - other.bytes }
}
