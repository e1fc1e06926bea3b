// Profiles in the database: a row for the summary of each, another for its compressed body.

import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { sqlCondition } from '../../profiler/query/filters.ts'
import { ProfileRefusedError } from '../../profiler/profile-store.ts'
import type {
  GroupBy,
  PageRequest,
  ProfileFilter,
  ProfileGroups,
  ProfilePage,
  ProfileStoreStats,
} from '../../profiler/profile-store.ts'
import type { ProfileBounds } from '../engine-options.ts'
import { evict, statsOf, type Evictable, type KeepingClass, type Totals } from '../evict.ts'
import { groupedProperties, groupProfiles, maxGrouped } from '../group-profiles.ts'
import { pageLimit, pageOf, rangeOf, type SeqRange } from '../profile-page.ts'
import { columns, toSummary, unpackBody, type Column, type ProfileRow } from './profile-columns.ts'
import { isCorrupt, isSqliteFailure, isUniqueConstraint } from './sqlite-failure.ts'
import { inTransaction } from './transaction.ts'

interface FoundRow {
  readonly seq: number
  readonly row: Readonly<Record<string, unknown>>
}

interface Found {
  /** Newest first. */
  readonly rows: readonly FoundRow[]
  /** Whether there are older rows that were not searched. */
  readonly isCut: boolean
}

/** Newest profiles that are searched for a part of a URL, at most. */
const maxSearched = 100_000

const nothing: Found = { rows: [], isCut: false }

const groupedColumns = groupedProperties.flatMap((property) => columns.filter((column) => column.property === property))

/** As the column's expression has it. */
const classValue = { ordinary: 0, longer: 1 } as const

/** Reads and writes profiles; keeps them within the bounds. */
export class ProfileTable {
  readonly #database: DatabaseSync
  readonly #bounds: ProfileBounds
  readonly #onDamaged: (error: unknown) => void
  readonly #insertProfile: StatementSync
  readonly #insertBody: StatementSync
  readonly #findBody: StatementSync
  readonly #findSeq: StatementSync
  readonly #newest: StatementSync
  readonly #oldestSearched: StatementSync
  readonly #hasOlder: StatementSync
  readonly #totals: StatementSync
  readonly #oldest: Readonly<Record<KeepingClass, StatementSync>>
  readonly #oldestTime: StatementSync
  readonly #removeUpTo: StatementSync
  readonly #removeBefore: StatementSync

  /** `onDamaged` is told of every profile that could not be read. */
  constructor(database: DatabaseSync, bounds: ProfileBounds, onDamaged: (error: unknown) => void) {
    this.#database = database
    this.#bounds = bounds
    this.#onDamaged = onDamaged
    const names = ['seq', ...namesOf(columns), 'bytes']
    this.#insertProfile = database.prepare(
      `INSERT INTO profile (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
    )
    this.#insertBody = database.prepare('INSERT INTO body (seq, data) VALUES (?, ?)')
    this.#findBody = database.prepare('SELECT data FROM profile JOIN body USING (seq) WHERE token = ?')
    this.#findSeq = database.prepare('SELECT seq FROM profile WHERE token = ?')
    this.#newest = database.prepare('SELECT max(seq) AS seq FROM profile')
    this.#oldestSearched = database.prepare(
      `SELECT seq FROM profile ORDER BY seq DESC LIMIT 1 OFFSET ${maxSearched - 1}`,
    )
    this.#hasOlder = database.prepare('SELECT 1 FROM profile WHERE seq > ? AND seq <= ? LIMIT 1')
    this.#totals = database.prepare('SELECT count, bytes FROM totals WHERE kept_longer = ?')
    const oldest = (name: KeepingClass): StatementSync =>
      database.prepare(`SELECT seq, bytes, time FROM profile WHERE (findings <> 0) = ${classValue[name]} ORDER BY seq`)
    this.#oldest = { ordinary: oldest('ordinary'), longer: oldest('longer') }
    this.#oldestTime = database.prepare('SELECT min(time) AS time FROM profile')
    this.#removeUpTo = database.prepare('DELETE FROM profile WHERE (findings <> 0) = ? AND seq <= ?')
    this.#removeBefore = database.prepare('DELETE FROM profile WHERE time < ?')
  }

  /** Writes profiles, all or none. */
  write(rows: readonly ProfileRow[]): void {
    const tooBig = rows.filter(({ bytes }) => bytes > this.#bounds.maxBytes)
    refuse(tooBig, 'it is larger than the store may be')
    try {
      inTransaction(this.#database, () => {
        let seq = this.#newestSeq()
        for (const { values, bytes, body } of rows) {
          seq += 1
          this.#insertProfile.run(seq, ...values, bytes)
          this.#insertBody.run(seq, body)
        }
        this.#makeRoom(seq)
      })
    } catch (error) {
      // Looked up afterwards: nearly always each token is new.
      if (isUniqueConstraint(error)) refuse(this.#taken(rows), 'the token exists already')
      throw error
    }
  }

  /** The JSON of a profile, or `undefined` for one that does not exist or is damaged. */
  read(token: string): string | undefined {
    try {
      const data = this.#findBody.get(token)?.['data']
      if (!(data instanceof Uint8Array)) return undefined
      const json = unpackBody(data)
      if (json.includes(JSON.stringify(token))) return json
      throw new Error('the body belongs to another profile')
    } catch (error) {
      if (isSqliteFailure(error) && !isCorrupt(error)) throw error
      this.#onDamaged(error)
      return undefined
    }
  }

  find(filter: ProfileFilter, page: PageRequest): ProfilePage {
    const newestSeq = this.#newestSeq()
    const range = rangeOf(page, newestSeq)
    const limit = pageLimit(page.limit)
    const { rows, isCut } = range === undefined ? nothing : this.#search(filter, range, limit + 1)
    const found = pageOf(rows, limit, newestSeq, ({ row }) => toSummary(row, columns))
    return { ...found, ...(isCut && { searchedNewest: maxSearched }) }
  }

  group(filter: ProfileFilter, by: GroupBy): ProfileGroups {
    const range = { above: 0, below: this.#newestSeq() + 1 }
    const { rows, isCut } = this.#search(filter, range, maxGrouped + 1, groupedColumns)
    const counted = rows.slice(0, maxGrouped).flatMap(({ row }) => toSummary(row, groupedColumns) ?? [])
    return groupProfiles(counted, by, isCut || rows.length > maxGrouped)
  }

  /** Removes all, or those from before an instant; says how many. */
  purge(before: number = Number.MAX_VALUE): number {
    const { changes } = this.#removeBefore.run(before)
    // Gives the space back to the disk.
    this.#database.exec('PRAGMA incremental_vacuum')
    return Number(changes)
  }

  stats(): ProfileStoreStats {
    const totals = { ordinary: this.#totalsOf('ordinary'), longer: this.#totalsOf('longer') }
    const oldestTime = this.#oldestTime.get()?.['time']
    return statsOf(totals, this.#bounds, typeof oldestTime === 'number' ? oldestTime : null)
  }

  /** The newest rows that pass the filter. */
  #search(filter: ProfileFilter, range: SeqRange, limit: number, selected = columns): Found {
    const { sql, values } = sqlCondition(filter)
    const above = filter.url === undefined ? range.above : Math.max(range.above, this.#searchedAbove())
    const rows = this.#database
      .prepare(
        `SELECT ${['seq', ...namesOf(selected)].join(', ')} FROM profile WHERE seq > ? AND seq < ? AND ${sql} ORDER BY seq DESC LIMIT ?`,
      )
      .all(above, range.below, ...values, limit)
      .map((row) => ({ seq: Number(row['seq']), row }))
    const isCut = rows.length < limit && this.#hasOlder.get(range.above, above) !== undefined
    return { rows, isCut }
  }

  /** Profiles up to this number are not searched for a part of a URL. */
  #searchedAbove(): number {
    const count = this.#totalsOf('ordinary').count + this.#totalsOf('longer').count
    return count <= maxSearched ? 0 : Number(this.#oldestSearched.get()?.['seq'] ?? 1) - 1
  }

  /** Removes what must go for the profiles that were just written. */
  #makeRoom(newestSeq: number): void {
    const { upTo } = evict({
      oldest: { ordinary: this.#walk('ordinary'), longer: this.#walk('longer') },
      totals: { ordinary: this.#totalsOf('ordinary'), longer: this.#totalsOf('longer') },
      bounds: this.#bounds,
      newestSeq,
      now: Date.now(),
    })
    if (upTo.ordinary !== null) this.#removeUpTo.run(classValue.ordinary, upTo.ordinary)
    if (upTo.longer !== null) this.#removeUpTo.run(classValue.longer, upTo.longer)
  }

  *#walk(name: KeepingClass): Generator<Evictable, undefined> {
    for (const { seq, bytes, time } of this.#oldest[name].iterate()) {
      yield { seq: Number(seq), bytes: Number(bytes), time: Number(time) }
    }
  }

  #totalsOf(name: KeepingClass): Totals {
    const row = this.#totals.get(classValue[name])
    return { count: Number(row?.['count'] ?? 0), bytes: Number(row?.['bytes'] ?? 0) }
  }

  #newestSeq(): number {
    return Number(this.#newest.get()?.['seq'] ?? 0)
  }

  #taken(rows: readonly ProfileRow[]): readonly ProfileRow[] {
    const seen = new Set<string>()
    return rows.filter(({ token }) => {
      if (seen.has(token) || this.#findSeq.get(token) !== undefined) return true
      seen.add(token)
      return false
    })
  }
}

function namesOf(selected: readonly Column[]): readonly string[] {
  return selected.map(({ name }) => name)
}

function refuse(rows: readonly ProfileRow[], reason: string): void {
  if (rows.length === 0) return
  throw new ProfileRefusedError(
    rows.map(({ token }) => token),
    reason,
  )
}
