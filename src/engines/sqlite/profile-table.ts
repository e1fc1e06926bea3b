// Profiles in the database: one row for the summary, one for the compressed whole. Runs in the worker thread.

import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { ProfileSummary } from '../../profiler/profile.ts'
import { ProfileRefusedError } from '../../profiler/profile-store.ts'
import type { ProfileFilter, ProfilePage, ProfileStoreStats } from '../../profiler/profile-store.ts'
import type { ProfileBounds } from '../engine-options.ts'
import { cursorAfter, pageLimit, seqOfCursor } from '../profile-page.ts'
import { columns, toSummary, unpackBody } from './profile-columns.ts'
import type { ProfileRow } from './profile-columns.ts'
import { toConditions } from './profile-conditions.ts'
import { isCorrupt, isSqliteFailure } from './sqlite-failure.ts'
import { inTransaction } from './transaction.ts'

interface Totals {
  readonly count: number
  readonly bytes: number
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
  readonly #readTotals: StatementSync
  readonly #writeTotals: StatementSync

  /** `onDamaged` is told of every profile that could not be read. */
  constructor(database: DatabaseSync, bounds: ProfileBounds, onDamaged: (error: unknown) => void) {
    this.#database = database
    this.#bounds = bounds
    this.#onDamaged = onDamaged
    const names = [...columns, 'bytes']
    this.#insertSummary = database.prepare(
      `INSERT INTO profile (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
    )
    this.#insertBody = database.prepare('INSERT INTO body (seq, data) VALUES (?, ?)')
    this.#findBody = database.prepare('SELECT data FROM profile JOIN body USING (seq) WHERE token = ?')
    this.#findSeq = database.prepare('SELECT seq FROM profile WHERE token = ?')
    this.#readTotals = database.prepare('SELECT count, bytes FROM totals')
    this.#writeTotals = database.prepare('UPDATE totals SET count = ?, bytes = ?')
  }

  /** Writes profiles, all or none. */
  write(rows: readonly ProfileRow[]): void {
    const tooBig = rows.filter(({ bytes }) => bytes > this.#bounds.maxBytes)
    refuse(tooBig, 'it is larger than the store may be')
    inTransaction(this.#database, () => {
      refuse(this.#taken(rows), 'the token exists already')
      let { count, bytes } = this.#totals()
      for (const row of rows) {
        const { lastInsertRowid } = this.#insertSummary.run(...row.values, row.bytes)
        this.#insertBody.run(lastInsertRowid, row.body)
        count += 1
        bytes += row.bytes
      }
      const kept = this.#evict({ count, bytes })
      this.#writeTotals.run(kept.count, kept.bytes)
    })
  }

  /** The JSON of a profile, or `undefined`: one that is damaged is not there for its readers, the others are. */
  read(token: string): string | undefined {
    try {
      const data = this.#findBody.get(token)?.['data']
      return data instanceof Uint8Array ? unpackBody(data) : undefined
    } catch (error) {
      if (isSqliteFailure(error) && !isCorrupt(error)) throw error
      this.#onDamaged(error)
      return undefined
    }
  }

  find(filter: ProfileFilter, page: { readonly after?: string; readonly limit?: number }): ProfilePage {
    const before = seqOfCursor(page.after)
    if (before === undefined) return { items: [], next: null }
    const limit = pageLimit(page.limit)
    const found: { readonly seq: number; readonly summary: ProfileSummary | undefined }[] = []
    for (const { sql, values } of toConditions(filter, (from, to) => this.#statusesWithin(from, to))) {
      const statement = this.#database.prepare(
        `SELECT seq, ${columns.join(', ')} FROM profile WHERE seq < ? AND ${sql} ORDER BY seq DESC LIMIT ?`,
      )
      for (const row of statement.iterate(before, ...values, limit + 1)) {
        found.push({ seq: Number(row['seq']), summary: toSummary(row) })
      }
    }
    const shown = found.sort((a, b) => b.seq - a.seq).slice(0, limit)
    const last = shown.at(-1)
    return {
      items: shown.map(({ summary }) => summary).filter((summary) => summary !== undefined),
      next: found.length > limit && last !== undefined ? cursorAfter(last.seq) : null,
    }
  }

  purge(before: number | undefined): number {
    const removed = inTransaction(this.#database, () => {
      const { count, bytes } = this.#totals()
      const removed = this.#removeOlder(before ?? Number.MAX_VALUE)
      this.#writeTotals.run(count - removed.count, bytes - removed.bytes)
      return removed.count
    })
    // Gives the space back to the disk.
    this.#database.exec('PRAGMA incremental_vacuum')
    return removed
  }

  stats(): ProfileStoreStats {
    return { ...this.#totals(), ...this.#bounds }
  }

  #totals(): Totals {
    return totalsOf(this.#readTotals.get())
  }

  #taken(rows: readonly ProfileRow[]): readonly ProfileRow[] {
    const seen = new Set<string>()
    return rows.filter(({ token }) => {
      if (seen.has(token) || this.#findSeq.get(token) !== undefined) return true
      seen.add(token)
      return false
    })
  }

  /** Removes what is too old, then the oldest until the rest fits; answers what is left. */
  #evict(totals: Totals): Totals {
    const old = this.#removeOlder(Date.now() - this.#bounds.maxAgeMs)
    let count = totals.count - old.count
    let bytes = totals.bytes - old.bytes
    let lastSeq: number | undefined
    if (count > this.#bounds.maxCount || bytes > this.#bounds.maxBytes) {
      for (const row of this.#database.prepare('SELECT seq, bytes FROM profile ORDER BY seq').iterate()) {
        lastSeq = Number(row['seq'])
        count -= 1
        bytes -= Number(row['bytes'])
        if (count <= this.#bounds.maxCount && bytes <= this.#bounds.maxBytes) break
      }
    }
    if (lastSeq !== undefined) {
      this.#database.prepare('DELETE FROM body WHERE seq <= ?').run(lastSeq)
      this.#database.prepare('DELETE FROM profile WHERE seq <= ?').run(lastSeq)
    }
    return { count, bytes }
  }

  #removeOlder(time: number): Totals {
    const removed = totalsOf(
      this.#database.prepare('SELECT count(*) AS count, sum(bytes) AS bytes FROM profile WHERE time < ?').get(time),
    )
    if (removed.count === 0) return removed
    this.#database.prepare('DELETE FROM body WHERE seq IN (SELECT seq FROM profile WHERE time < ?)').run(time)
    this.#database.prepare('DELETE FROM profile WHERE time < ?').run(time)
    return removed
  }

  /** The statuses that occur between two, both included: one step of the index each. */
  #statusesWithin(from: number, to: number): readonly number[] {
    const next = this.#database.prepare('SELECT min(status) AS status FROM profile WHERE status >= ? AND status <= ?')
    const statuses: number[] = []
    for (let status = from; status <= to; status++) {
      const found = next.get(status, to)?.['status']
      if (typeof found !== 'number') break
      statuses.push(found)
      status = found
    }
    return statuses
  }
}

function totalsOf(row: Readonly<Record<string, unknown>> | undefined): Totals {
  return { count: Number(row?.['count'] ?? 0), bytes: Number(row?.['bytes'] ?? 0) }
}

function refuse(rows: readonly ProfileRow[], reason: string): void {
  if (rows.length === 0) return
  throw new ProfileRefusedError(
    rows.map(({ token }) => token),
    reason,
  )
}
