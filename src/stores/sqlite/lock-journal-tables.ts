// The journal of the lock in the database: tables that are created when it is first used.

import type { DatabaseSync } from 'node:sqlite'
import {
  forgottenMs,
  periodsToDrop,
  type JournalContent,
  type LockPeriod,
  type LockReport,
} from '../../plugins/maintenance/lock-journal.ts'
import { readPeriods, readReport } from '../check-journal.ts'
import { inTransaction } from './transaction.ts'

const createTables = `
  CREATE TABLE IF NOT EXISTS lock_period (id TEXT PRIMARY KEY, began TEXT NOT NULL, data TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS lock_turned_away (id TEXT PRIMARY KEY, count INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS lock_report (process TEXT PRIMARY KEY, time INTEGER NOT NULL, data TEXT NOT NULL) STRICT, WITHOUT ROWID;`

export class LockJournalTables {
  readonly #database: DatabaseSync

  constructor(database: DatabaseSync) {
    this.#database = database
    database.exec(createTables)
  }

  keep(period: LockPeriod): void {
    inTransaction(this.#database, () => {
      this.#run('INSERT OR REPLACE INTO lock_period VALUES (?, ?, ?)', period.id, period.from, JSON.stringify(period))
      const known = this.#all('SELECT id, began FROM lock_period')
      for (const id of periodsToDrop(known.map((row) => ({ id: String(row['id']), from: String(row['began']) })))) {
        this.#run('DELETE FROM lock_period WHERE id = ?', id)
        this.#run('DELETE FROM lock_turned_away WHERE id = ?', id)
      }
    })
  }

  count(turnedAway: Readonly<Record<string, number>>): void {
    inTransaction(this.#database, () => {
      for (const [id, count] of Object.entries(turnedAway)) {
        this.#run(
          'INSERT INTO lock_turned_away VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET count = count + excluded.count',
          id,
          count,
        )
      }
    })
  }

  report(report: LockReport): void {
    const now = Date.now()
    inTransaction(this.#database, () => {
      this.#run('DELETE FROM lock_report WHERE time < ?', now - forgottenMs)
      this.#run('INSERT OR REPLACE INTO lock_report VALUES (?, ?, ?)', report.process, now, JSON.stringify(report))
    })
  }

  leave(process: string): void {
    this.#run('DELETE FROM lock_report WHERE process = ?', process)
  }

  read(): JournalContent {
    const now = Date.now()
    const counts = this.#all('SELECT id, count FROM lock_turned_away')
    return {
      now,
      periods: this.#all('SELECT data FROM lock_period').flatMap(({ data }) => readPeriods(`[${String(data)}]`)),
      turnedAway: Object.fromEntries(counts.map(({ id, count }) => [String(id), Number(count)])),
      reports: this.#all('SELECT time, data FROM lock_report')
        .filter(({ time }) => now - Number(time) < forgottenMs)
        .flatMap(({ time, data }) => readReport(String(data), Number(time)) ?? []),
    }
  }

  #run(query: string, ...values: readonly (string | number)[]): void {
    this.#database.prepare(query).run(...values)
  }

  #all(query: string): readonly Record<string, unknown>[] {
    return this.#database.prepare(query).all()
  }
}
