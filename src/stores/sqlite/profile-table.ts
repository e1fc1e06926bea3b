// Profiles in the database: a row for the summary of each, another for its compressed body.

import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { sqlCondition, type ProfileFilter } from '../../profiles/query/filters.ts'
import { refuseProfiles, takenToken, tooLarge } from '../../profiles/profile-store.ts'
import type { PageRequest, ProfileOrder, ProfileStoreStats } from '../../profiles/profile-store.ts'
import { gathererOf, Gathering } from '../../profiles/gather.ts'
import type { ProfileBounds } from '../engine.ts'
import {
  nextToGo,
  statsOf,
  type KeepingClass,
  type Totals,
  pageLimit,
  pageOf,
  rangeOf,
  searchedNewest,
  seqOfCursor,
  type SeqRange,
} from '../profile-keeping.ts'
import { groupedProperties, groupProfiles, maxGrouped } from '../../profiles/query/group-profiles.ts'
import { columns, textOf, toColumns, toSummary, unpackBody } from '../thread/profile-columns.ts'
import type { Column, EncodedProfile, ProfileColumns } from '../thread/profile-columns.ts'
import type { ProfileCalls } from '../thread/serve-profiles.ts'
import { isCorrupt, isSqliteFailure, isUniqueConstraint, inTransaction } from './node-sqlite.ts'
import { isRecord } from '../../base/options/check-options.ts'
import { searchTextOf } from '../../profiles/query/search-text.ts'
import type { Profile, ProfileSummary } from '../../observe/profile.ts'

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

interface Search extends SeqRange {
  readonly limit: number
  readonly selected?: readonly Column[]
  readonly order?: ProfileOrder
  readonly from?: Place | undefined
}

/** Rows before or after this one. */
interface Place {
  readonly column: 'seq' | 'token'
  readonly value: string | number
  readonly side: 'before' | 'after'
}

/** What rows are ordered by, the greatest first. */
const orderKeys: Readonly<Record<ProfileOrder, string>> = {
  newest: 'seq',
  slowest: 'duration_ms, seq',
  queries: 'coalesce(query_count, -1), seq',
  logs: 'log_count, seq',
}

/** Profiles, and pages of the file, that go at once: a bound that was lowered may leave many. */
const removedAtOnce = 250
const pagesAtOnce = 4000

const nothing: Found = { rows: [], isCut: false }

/** As the column's expression has it. */
const classValue = { ordinary: 0, longer: 1 } as const

function queriesOf(database: DatabaseSync) {
  const names = ['seq', ...columns.map(({ name }) => name), 'bytes']
  const oldest = (name: KeepingClass): StatementSync =>
    database.prepare(`SELECT seq, time FROM profile WHERE (findings <> 0) = ${classValue[name]} ORDER BY seq LIMIT 1`)
  return {
    insertProfile: database.prepare(
      `INSERT INTO profile (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
    ),
    insertBody: database.prepare('INSERT INTO body (seq, data) VALUES (?, ?)'),
    insertSearch: database.prepare('INSERT INTO search (seq, text) VALUES (?, ?)'),
    findBody: database.prepare('SELECT data FROM profile JOIN body USING (seq) WHERE token = ?'),
    findSeq: database.prepare('SELECT seq FROM profile WHERE token = ?'),
    newest: database.prepare('SELECT max(seq) AS seq FROM profile'),
    oldestSearched: database.prepare('SELECT seq FROM profile ORDER BY seq DESC LIMIT 1 OFFSET ?'),
    hasOlder: database.prepare('SELECT 1 FROM profile WHERE seq > ? AND seq <= ? LIMIT 1'),
    totals: database.prepare('SELECT count, bytes FROM totals WHERE kept_longer = ?'),
    oldest: { ordinary: oldest('ordinary'), longer: oldest('longer') },
    oldestTime: database.prepare('SELECT min(time) AS time FROM profile'),
    remove: database.prepare('DELETE FROM profile WHERE seq = ?'),
    removeBefore: database.prepare('DELETE FROM profile WHERE time < ?'),
  }
}

/** Reads and writes profiles; keeps them within the bounds. */
export class ProfileTable {
  readonly #database: DatabaseSync
  readonly #bounds: ProfileBounds
  readonly #onDamaged: (error: unknown) => void
  readonly #queries: ReturnType<typeof queriesOf>

  /** `onDamaged` is told of every profile that could not be read. */
  constructor(database: DatabaseSync, bounds: ProfileBounds, onDamaged: (error: unknown) => void) {
    this.#database = database
    this.#bounds = bounds
    this.#onDamaged = onDamaged
    this.#queries = queriesOf(database)
  }

  /** Writes profiles, all or none. Whether there are more than the bounds allow: `trim` removes them. */
  write(rows: readonly ProfileRow[]): boolean {
    const tooBig = rows.filter(({ bytes }) => bytes > this.#bounds.maxBytes)
    refuseProfiles(tooBig, tooLarge)
    try {
      return inTransaction(this.#database, () => {
        let seq = this.#newestSeq()
        for (const { values, bytes, body, searchText } of rows) {
          seq += 1
          this.#queries.insertProfile.run(seq, ...values, bytes)
          this.#queries.insertBody.run(seq, body)
          if (searchText !== '') this.#queries.insertSearch.run(seq, searchText)
        }
        return this.#makeRoom(seq)
      })
    } catch (error) {
      // Looked up afterwards: nearly always each token is new.
      if (isUniqueConstraint(error)) refuseProfiles(this.#taken(rows), takenToken)
      throw error
    }
  }

  /** Removes some of those beyond the bounds, so that nobody waits long, and gives their space back to the disk. Whether there are more. */
  trim(): boolean {
    const isCut = inTransaction(this.#database, () => this.#makeRoom(this.#newestSeq()))
    this.#database.exec(`PRAGMA incremental_vacuum(${pagesAtOnce})`)
    return isCut
  }

  /** The JSON of a profile, or `undefined` for one that does not exist or is damaged. */
  read(token: string): string | undefined {
    try {
      const data = this.#queries.findBody.get(token)?.['data']
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

  readonly find: ProfileCalls['find'] = (filter, page = {}) => {
    const newestSeq = this.#newestSeq()
    const { order = 'newest', beside, countUpTo } = page
    const range = rangeOf(page, newestSeq)
    const limit = beside === undefined ? pageLimit(page.limit) : 1
    const from = placeOf(page)
    const whole = { above: range?.above ?? 0, below: newestSeq + 1 }
    const { rows, isCut } =
      range === undefined
        ? nothing
        : this.#search(filter, { ...(from === undefined ? range : whole), limit: limit + 1, order, from })
    const found = pageOf(rows, limit, newestSeq, ({ row }) => toSummary(row, columns))
    return {
      ...found,
      ...(isCut && { searchedNewest: searchedNewest(filter, order) }),
      ...(countUpTo !== undefined && { matched: this.#count(filter, order, countUpTo) }),
    }
  }

  readonly group: ProfileCalls['group'] = (filter, by, request) => {
    const selected = groupedProperties(request).flatMap((name) => columns.filter(({ property }) => property === name))
    const { rows, isCut } = this.#search(filter, {
      above: 0,
      below: this.#newestSeq() + 1,
      limit: maxGrouped + 1,
      selected,
    })
    const counted = rows.slice(0, maxGrouped).flatMap(({ row }) => toSummary(row, selected) ?? [])
    return groupProfiles(counted, by, isCut || rows.length > maxGrouped, request)
  }

  readonly gather: ProfileCalls['gather'] = (filter, asked) => {
    const gathering = new Gathering(gathererOf(asked))
    const { rows, isCut } = this.#search(filter, { above: 0, below: this.#newestSeq() + 1, limit: maxGrouped + 1 })
    for (const { row } of rows.slice(0, maxGrouped)) {
      const summary = toSummary(row, columns)
      const json = summary !== undefined && gathering.wants(summary) ? this.read(summary.token) : undefined
      if (json !== undefined) gathering.add(JSON.parse(json) as Profile, json.length)
    }
    return gathering.found(isCut || rows.length > maxGrouped)
  }

  /** Removes all, or those from before an instant; says how many. */
  purge(before: number = Number.MAX_VALUE): number {
    const { changes } = this.#queries.removeBefore.run(before)
    // Gives the space back to the disk.
    this.#database.exec('PRAGMA incremental_vacuum')
    return Number(changes)
  }

  stats(): ProfileStoreStats {
    const totals = { ordinary: this.#totalsOf('ordinary'), longer: this.#totalsOf('longer') }
    const oldestTime = this.#queries.oldestTime.get()?.['time']
    return statsOf(totals, this.#bounds, typeof oldestTime === 'number' ? oldestTime : null)
  }

  /** The first rows that pass the filter. */
  #search(filter: ProfileFilter, search: Search): Found {
    const { limit, selected = columns, order = 'newest', from } = search
    const { sql, values } = sqlCondition(filter)
    const above = Math.max(search.above, this.#searchedAbove(searchedNewest(filter, order)))
    const key = orderKeys[order]
    const isBackward = from?.side === 'before'
    const place =
      from === undefined
        ? ''
        : ` AND (${key}) ${isBackward ? '>' : '<'} (SELECT ${key} FROM profile WHERE ${from.column} = ?)`
    const sorted = key.replaceAll(', seq', `${isBackward ? '' : ' DESC'}, seq`)
    const read = selected.map(({ name, isAnyText }) => (isAnyText ? `CAST(${name} AS BLOB) AS ${name}` : name))
    const rows = this.#database
      .prepare(
        `SELECT ${['seq', ...read].join(', ')} FROM profile WHERE seq > ? AND seq < ? AND ${sql}${place} ` +
          `ORDER BY ${sorted}${isBackward ? '' : ' DESC'} LIMIT ?`,
      )
      .all(above, search.below, ...values, ...(from === undefined ? [] : [from.value]), limit)
      .map((row) => ({ seq: Number(row['seq']), row }))
    const isShort = order !== 'newest' || rows.length < limit
    return { rows, isCut: isShort && this.#queries.hasOlder.get(search.above, above) !== undefined }
  }

  /** How many profiles pass the filter, at most so many. */
  #count(filter: ProfileFilter, order: ProfileOrder, most: number): number {
    const { sql, values } = sqlCondition(filter)
    const row = this.#database
      .prepare(`SELECT count(*) AS count FROM (SELECT 1 FROM profile WHERE seq > ? AND ${sql} LIMIT ?)`)
      .get(this.#searchedAbove(searchedNewest(filter, order)), ...values, most)
    return Number(row?.['count'] ?? 0)
  }

  /** Profiles up to this number are not among so many newest ones. */
  #searchedAbove(most: number): number {
    const count = this.#totalsOf('ordinary').count + this.#totalsOf('longer').count
    return count <= most ? 0 : Number(this.#queries.oldestSearched.get(most - 1)?.['seq'] ?? 1) - 1
  }

  /** Removes what must go for the profiles that were just written, at most so many. Whether more must go. */
  #makeRoom(newestSeq: number): boolean {
    const now = Date.now()
    for (let left = removedAtOnce; ; left -= 1) {
      const oldest = { ordinary: this.#oldestOf('ordinary'), longer: this.#oldestOf('longer') }
      const totals = { ordinary: this.#totalsOf('ordinary'), longer: this.#totalsOf('longer') }
      const seq = nextToGo({ oldest, totals, bounds: this.#bounds, newestSeq, now })
      if (seq === undefined || left === 0) return seq !== undefined
      this.#queries.remove.run(seq)
    }
  }

  #oldestOf(name: KeepingClass): { readonly seq: number; readonly time: number } | undefined {
    const row = this.#queries.oldest[name].get()
    return row && { seq: Number(row['seq']), time: Number(row['time']) }
  }

  #totalsOf(name: KeepingClass): Totals {
    const row = this.#queries.totals.get(classValue[name])
    return { count: Number(row?.['count'] ?? 0), bytes: Number(row?.['bytes'] ?? 0) }
  }

  #newestSeq(): number {
    return Number(this.#queries.newest.get()?.['seq'] ?? 0)
  }

  #taken(rows: readonly ProfileRow[]): readonly ProfileRow[] {
    const seen = new Set<string>()
    return rows.filter(({ token }) => {
      if (seen.has(token) || this.#queries.findSeq.get(token) !== undefined) return true
      seen.add(token)
      return false
    })
  }
}

/** Where a page begins that no range of numbers gives: it is sorted by something else, or beside a profile. */
function placeOf({ beside, after, order = 'newest' }: PageRequest): Place | undefined {
  if (beside !== undefined) return { column: 'token', value: beside.token, side: beside.side }
  if (after === undefined || order === 'newest') return undefined
  return { column: 'seq', value: seqOfCursor(after) ?? 0, side: 'after' }
}

interface ProfileRow extends ProfileColumns {
  /** What a search looks at beside the URL; empty for nothing. */
  readonly searchText: string
  /** What the profile counts towards the bound of the store: body, columns and its part of the indices. */
  readonly bytes: number
}

/** Bytes of the short columns, the indices and the row headers of one profile. */
const overhead = 340

/** The row of a profile. Throws `ProfileRefusedError` for a malformed token or summary. */
export function toRow(encoded: EncodedProfile): ProfileRow {
  const row = toColumns(encoded)
  const profile = isRecord(encoded.profile) ? encoded.profile : {}
  const lengthOf = (property: keyof ProfileSummary): number => textOf(profile[property])?.length ?? 0
  const inIndices = 2 * (lengthOf('traceId') + lengthOf('version') + lengthOf('service'))
  const data = profile['data']
  const searchText = isRecord(data) ? searchTextOf({ data }) : ''
  const inColumns = lengthOf('url') + lengthOf('errorFamily') + lengthOf('errorMessage')
  const bytes = row.body.byteLength + Buffer.byteLength(searchText) + inColumns + inIndices + overhead
  return { ...row, searchText, bytes }
}
