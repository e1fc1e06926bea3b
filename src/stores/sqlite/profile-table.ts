// Profiles in the database: one row for the summary of each, one for the compressed whole of several. Runs in the worker thread.

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
import { groupProfiles, maxGrouped } from '../group-profiles.ts'
import { cursorOf, pageLimit, rangeOf, type SeqRange } from '../profile-page.ts'
import { unpackBody } from './body-blocks.ts'
import { lastOf, type BatchRow, type ProfileBatch } from './profile-batch.ts'
import { columns, groupedColumns, toGrouped, toListed } from './profile-columns.ts'
import { ProfileRoom } from './profile-room.ts'
import { isCorrupt, isSqliteFailure, isUniqueConstraint } from './sqlite-failure.ts'
import { inTransaction } from './transaction.ts'
import { UrlBlocks } from './url-blocks.ts'

interface FoundRow {
  readonly seq: number
  readonly row: Readonly<Record<string, unknown>>
}

/** Reads and writes profiles; keeps them within the bounds. */
export class ProfileTable {
  readonly #database: DatabaseSync
  readonly #bounds: ProfileBounds
  readonly #onDamaged: (error: unknown) => void
  readonly #insertSummary: StatementSync
  readonly #insertBody: StatementSync
  readonly #findBody: StatementSync
  readonly #findSeq: StatementSync
  readonly #readNewest: StatementSync
  readonly #urlBlocks: UrlBlocks
  readonly #room: ProfileRoom

  /** `onDamaged` is told of every profile that could not be read. */
  constructor(database: DatabaseSync, bounds: ProfileBounds, onDamaged: (error: unknown) => void) {
    this.#database = database
    this.#bounds = bounds
    this.#onDamaged = onDamaged
    const names = ['seq', ...columns, 'bytes', 'body_ahead', 'body_place']
    this.#insertSummary = database.prepare(
      `INSERT INTO profile (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
    )
    this.#insertBody = database.prepare('INSERT INTO body (seq, data) VALUES (?, ?)')
    this.#findBody = database.prepare(
      `SELECT data, body_place, ${columns.join(', ')} FROM profile JOIN body ON body.seq = profile.seq + body_ahead WHERE token = ?`,
    )
    this.#findSeq = database.prepare('SELECT seq FROM profile WHERE token = ?')
    this.#readNewest = database.prepare('SELECT max(seq) AS seq FROM profile')
    this.#urlBlocks = new UrlBlocks(database)
    this.#room = new ProfileRoom(database, bounds, this.#urlBlocks)
  }

  /** Writes profiles, all or none. */
  write({ rows, blocks }: ProfileBatch): void {
    const tooBig = rows.filter(({ bytes }) => bytes > this.#bounds.maxBytes)
    refuse(tooBig, 'it is larger than the store may be')
    try {
      inTransaction(this.#database, () => {
        const added = { ordinary: { count: 0, bytes: 0 }, longer: { count: 0, bytes: 0 } }
        const firstSeq = this.#newestSeq() + 1
        let seq = firstSeq
        for (const { values, bytes, bodyAhead, bodyPlace, isKeptLonger } of rows) {
          this.#insertSummary.run(seq++, ...values, bytes, bodyAhead, bodyPlace)
          const own = isKeptLonger ? added.longer : added.ordinary
          own.count += 1
          own.bytes += bytes
        }
        for (const { places, data } of blocks) this.#insertBody.run(firstSeq + lastOf(places), data)
        this.#urlBlocks.extend(seq - 1)
        this.#room.admit(added, seq - 1)
      })
    } catch (error) {
      // Asked for afterwards: nearly always each token is new.
      if (isUniqueConstraint(error)) refuse(this.#taken(rows), 'the token exists already')
      throw error
    }
  }

  /** The JSON of a profile, or `undefined`: one that is damaged is not there for its readers, the others are. */
  read(token: string): string | undefined {
    try {
      const found = this.#findBody.get(token)
      const data = found?.['data']
      if (!(data instanceof Uint8Array)) return undefined
      const json = unpackBody(data, Number(found?.['body_place']))
      if (json?.includes(JSON.stringify(token)) === true) return withSummary(json, found)
      throw new Error('another body stands in its place')
    } catch (error) {
      if (isSqliteFailure(error) && !isCorrupt(error)) throw error
      this.#onDamaged(error)
      return undefined
    }
  }

  find(filter: ProfileFilter, page: PageRequest): ProfilePage {
    const newestSeq = this.#newestSeq()
    const newest = cursorOf(newestSeq)
    const range = rangeOf(page, newestSeq)
    if (range === undefined) return { items: [], next: null, newest }
    const limit = pageLimit(page.limit)
    const found = this.#newest(filter, range, limit + 1)
    const shown = found.slice(0, limit)
    const last = shown.at(-1)
    return {
      items: shown.map(({ row }) => toListed(row)).filter((listed) => listed !== undefined),
      next: found.length > limit && last !== undefined ? cursorOf(last.seq) : null,
      newest,
    }
  }

  group(filter: ProfileFilter, by: GroupBy): ProfileGroups {
    const range = { above: 0, below: this.#newestSeq() + 1 }
    const found = this.#newest(filter, range, maxGrouped + 1, groupedColumns)
    const grouped = found.slice(0, maxGrouped).map(({ row }) => toGrouped(row))
    return groupProfiles(grouped, by, found.length > maxGrouped)
  }

  purge(before: number | undefined): number {
    const removed = inTransaction(this.#database, () => this.#room.removeBefore(before ?? Number.MAX_VALUE))
    // Gives the space back to the disk.
    this.#database.exec('PRAGMA incremental_vacuum')
    return removed
  }

  stats(): ProfileStoreStats {
    return this.#room.stats()
  }

  /** The newest rows that the filter leaves, newest first. */
  #newest(filter: ProfileFilter, range: SeqRange, limit: number, selected = columns): readonly FoundRow[] {
    const { sql, values } = sqlCondition(filter)
    const statement = this.#database.prepare(
      `SELECT seq, ${selected.join(', ')} FROM profile WHERE seq > ? AND seq < ? AND ${sql} ORDER BY seq DESC LIMIT ?`,
    )
    const found: FoundRow[] = []
    const ranges = filter.url === undefined ? [range] : this.#urlBlocks.narrow(filter.url, range)
    for (const { above, below } of ranges) {
      for (const row of statement.iterate(above, below, ...values, limit - found.length)) {
        found.push({ seq: Number(row['seq']), row })
      }
      if (found.length >= limit) break
    }
    return found
  }

  #newestSeq(): number {
    return Number(this.#readNewest.get()?.['seq'] ?? 0)
  }

  #taken(rows: readonly BatchRow[]): readonly BatchRow[] {
    const seen = new Set<string>()
    return rows.filter(({ token }) => {
      if (seen.has(token) || this.#findSeq.get(token) !== undefined) return true
      seen.add(token)
      return false
    })
  }
}

/** Fills in the members of the summary that earlier versions kept in columns only. */
function withSummary(json: string, row: Readonly<Record<string, unknown>> | undefined): string {
  if (row === undefined) return json
  const profile: unknown = JSON.parse(json)
  return JSON.stringify(Object.assign({}, toListed(row), profile))
}

function refuse(rows: readonly BatchRow[], reason: string): void {
  if (rows.length === 0) return
  throw new ProfileRefusedError(
    rows.map(({ token }) => token),
    reason,
  )
}
