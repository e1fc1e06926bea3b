// The journal of a lock in the memory of this process.

import {
  forgottenMs,
  periodsToDrop,
  type JournalContent,
  type LockJournal,
  type LockPeriod,
  type LockReport,
  type StoredReport,
} from '../../plugins/maintenance/lock-journal.ts'

export class MemoryLockJournal implements LockJournal {
  readonly #periods = new Map<string, LockPeriod>()
  readonly #turnedAway = new Map<string, number>()
  readonly #reports = new Map<string, StoredReport>()

  async now(): Promise<number> {
    return Date.now()
  }

  async keep(period: LockPeriod): Promise<void> {
    this.#periods.set(period.id, Object.freeze({ ...period }))
    for (const id of periodsToDrop([...this.#periods.values()])) {
      this.#periods.delete(id)
      this.#turnedAway.delete(id)
    }
  }

  async count(turnedAway: Readonly<Record<string, number>>): Promise<void> {
    for (const [id, count] of Object.entries(turnedAway)) {
      this.#turnedAway.set(id, (this.#turnedAway.get(id) ?? 0) + count)
    }
  }

  async report(report: LockReport): Promise<void> {
    this.#reports.set(report.process, { ...report, time: Date.now() })
  }

  async leave(process: string): Promise<void> {
    this.#reports.delete(process)
  }

  async read(): Promise<JournalContent> {
    const now = Date.now()
    return {
      now,
      periods: [...this.#periods.values()],
      turnedAway: Object.fromEntries(this.#turnedAway),
      reports: [...this.#reports.values()].filter(({ time }) => now - time < forgottenMs),
    }
  }
}
