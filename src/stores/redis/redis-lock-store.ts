// The application lock of a store in Redis, and its journal beside it, so that one node serves all keys. Changes by this process are told
// at once, those by others when the store is asked.

import {
  type LockJournal,
  forgottenMs,
  periodsToDrop,
  type JournalContent,
  type LockPeriod,
  type LockReport,
  type StoredReport,
} from '../../plugins/maintenance/lock-journal.ts'
import type { LockState, LockStore, LockWriteOptions } from '../../plugins/maintenance/lock-store.ts'
import { isOlder } from '../../plugins/maintenance/lock-members.ts'
import { checkLockState, openLock, refuseLock } from '../check-records.ts'
import { LockWatchers } from '../lock-watchers.ts'
import { writeConfirmed } from './confirmed-write.ts'
import { type RedisReply, pairsOf, timeOf, type RedisCommand } from './redis-command.ts'
import type { RedisConnection } from './redis-connection.ts'
import { toEngineError } from './redis-failure.ts'
import type { RedisPoll } from './redis-poll.ts'
import { readPeriods, readReport } from '../check-journal.ts'

/** The key of the lock: its state as JSON. */
export const lockKey = 'fanlight:{lock}'

/** Replaces a text by another one, unless there is a third one meanwhile. `''`: there is none. */
const replaceScript = `if (redis.call('get', KEYS[1]) or '') ~= ARGV[1] then return 0 end
redis.call('set', KEYS[1], ARGV[2])
return 1`

export class RedisLockStore implements LockStore {
  readonly name: string
  readonly journal: LockJournal
  readonly #connection: RedisConnection
  readonly #poll: RedisPoll
  /** A lock that was never read counts as one that was never set. */
  readonly #watchers = new LockWatchers(openLock)
  #stopLooking: (() => void) | undefined

  constructor(connection: RedisConnection, poll: RedisPoll) {
    this.name = connection.name
    this.#connection = connection
    this.#poll = poll
    this.journal = new RedisLockJournal(connection)
  }

  async read(): Promise<LockState> {
    const [reply = null] = await this.#connection.ask(lockKey, [['get', lockKey]])
    const state = this.#parse(reply)
    this.#watchers.receive(state)
    return state
  }

  /** Counts once a replica has it. Rejects with an `EngineError` that says why it may be lost. */
  async write(state: LockState, { isForced = false }: LockWriteOptions = {}): Promise<void> {
    const checked = checkLockState(this.name, state)
    const command = ['set', lockKey, JSON.stringify(checked)] as const
    await writeConfirmed(this.#connection, { key: lockKey, command, isForced })
    // A look may have found it before the replica confirmed it.
    this.#watchers.receive(checked)
  }

  /** Not confirmed: a process that remembers it writes it again. */
  async restore(state: LockState): Promise<boolean> {
    const checked = checkLockState(this.name, state)
    const [stored = null] = await this.#connection.ask(lockKey, [['get', lockKey]])
    if (!isOlder(this.#parse(stored), checked)) return false
    const args = [String(stored ?? ''), JSON.stringify(checked)]
    const [isWritten] = await this.#connection.ask(lockKey, [['eval', replaceScript, 1, lockKey, ...args]])
    if (isWritten === 1) this.#watchers.receive(checked)
    // Somebody was faster: the next look tells.
    return isWritten === 1
  }

  watch(onChange: (state: LockState) => void, onError: (error: unknown) => void): () => void {
    const remove = this.#watchers.add(onChange, onError)
    this.#stopLooking ??= this.#poll.add({
      command: ['get', lockKey],
      take: (reply) => this.#look(reply),
      fail: (error) => this.#fail(error),
    })
    return () => {
      remove()
      if (!this.#watchers.isEmpty) return
      this.#stopLooking?.()
      this.#stopLooking = undefined
    }
  }

  #look(reply: RedisReply): void {
    try {
      const state = this.#parse(reply)
      this.#watchers.recovered()
      this.#watchers.receive(state)
    } catch (error) {
      this.#fail(error)
    }
  }

  #fail(error: unknown): void {
    this.#watchers.fail(error, toEngineError(error, this.name).message)
  }

  #parse(reply: RedisReply): LockState {
    if (reply === null) return openLock
    try {
      return checkLockState(this.name, JSON.parse(String(reply)) as LockState)
    } catch (error) {
      // The text may hold the key of links.
      if (error instanceof SyntaxError || error instanceof TypeError)
        refuseLock(this.name, 'key', lockKey, 'a JSON object in it')
      throw error
    }
  }
}

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
