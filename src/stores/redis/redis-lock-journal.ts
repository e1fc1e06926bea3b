// The journal of the lock in Redis: three keys beside the lock, so that one node serves them all.

import {
  forgottenMs,
  periodsToDrop,
  type JournalContent,
  type LockJournal,
  type LockPeriod,
  type LockReport,
  type StoredReport,
} from '../../plugins/maintenance/lock-journal.ts'
import { readPeriods, readReport } from '../check-journal.ts'
import { writeConfirmed } from './confirmed-write.ts'
import { pairsOf, timeOf, type RedisCommand, type RedisReply } from './redis-command.ts'
import type { RedisConnection } from './redis-connection.ts'

/** A list of periods as JSON: operators write it, one at a time. */
const periodsKey = 'fanlight:{lock}:periods'
/** A sorted set of the ids of periods, by how many requests were turned away. */
const turnedAwayKey = 'fanlight:{lock}:turned-away'
/** A sorted set of what processes say as JSON, by the time they said it. */
const reportsKey = 'fanlight:{lock}:reports'

/** For tests that start over. */
export const journalKeys: readonly string[] = [periodsKey, turnedAwayKey, reportsKey]

export class RedisLockJournal implements LockJournal {
  readonly #connection: RedisConnection
  /** What each process has said last, as it is in the set. */
  readonly #said = new Map<string, string>()

  constructor(connection: RedisConnection) {
    this.#connection = connection
  }

  async now(): Promise<number> {
    const [time] = await this.#send([['time']])
    return Math.floor(timeOf(time))
  }

  async keep(period: LockPeriod): Promise<void> {
    const [known = null] = await this.#send([['get', periodsKey]])
    const periods = [...readPeriods(String(known)).filter(({ id }) => id !== period.id), period]
    const dropped = periodsToDrop(periods)
    const kept = periods.filter(({ id }) => !dropped.includes(id))
    // The lock itself is written, and says whether that is safe.
    const command = ['set', periodsKey, JSON.stringify(kept)] as const
    await writeConfirmed(this.#connection, { key: periodsKey, command, isForced: true })
    if (dropped.length > 0) await this.#send([['zrem', turnedAwayKey, ...dropped]])
  }

  async count(turnedAway: Readonly<Record<string, number>>): Promise<void> {
    const counts = Object.entries(turnedAway)
    await this.#send(counts.map(([id, count]) => ['zadd', turnedAwayKey, 'incr', count, id]))
  }

  async report(report: LockReport): Promise<void> {
    const now = await this.now()
    const said = JSON.stringify(report)
    const before = this.#said.get(report.process)
    await this.#send([
      ...(before === undefined || before === said ? [] : [['zrem', reportsKey, before] as const]),
      ['zadd', reportsKey, now, said],
      // Processes that were killed have not said that they leave.
      ['zremrangebyscore', reportsKey, '-inf', now - forgottenMs],
    ])
    this.#said.set(report.process, said)
  }

  async leave(process: string): Promise<void> {
    const said = this.#said.get(process)
    this.#said.delete(process)
    if (said !== undefined) await this.#send([['zrem', reportsKey, said]])
  }

  async read(): Promise<JournalContent> {
    const now = await this.now()
    const [periods, counts, said] = await this.#send([
      ['get', periodsKey],
      ['zrangebyscore', turnedAwayKey, '-inf', '+inf', 'withscores'],
      ['zrangebyscore', reportsKey, now - forgottenMs, '+inf', 'withscores'],
    ])
    // The order is that of time: of two that a broken connection has left of one process, the later one counts.
    const reports = new Map<string, StoredReport>()
    for (const [json, time] of pairsOf(said)) {
      const report = readReport(json, Number(time))
      if (report !== undefined) reports.set(report.process, report)
    }
    return {
      now,
      periods: readPeriods(String(periods ?? null)),
      turnedAway: Object.fromEntries(pairsOf(counts).map(([id, count]) => [id, Number(count)])),
      reports: [...reports.values()],
    }
  }

  async #send(commands: readonly RedisCommand[]): Promise<readonly RedisReply[]> {
    return this.#connection.ask(periodsKey, commands)
  }
}
