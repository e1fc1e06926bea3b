// The application lock of a store in Redis. Changes by this process are told at once, those by others when the store is asked.

import type { LockJournal } from '../../plugins/maintenance/lock-journal.ts'
import type { LockState, LockStore, LockWriteOptions } from '../../plugins/maintenance/lock-store.ts'
import { isOlder } from '../../plugins/maintenance/lock-members.ts'
import { checkLockState, openLock, refuseLock } from '../check-records.ts'
import { LockWatchers } from '../lock-watchers.ts'
import { writeConfirmed } from './confirmed-write.ts'
import type { RedisReply } from './redis-command.ts'
import type { RedisConnection } from './redis-connection.ts'
import { RedisLockJournal } from './redis-lock-journal.ts'
import { toEngineError } from './redis-failure.ts'
import type { RedisPoll } from './redis-poll.ts'

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
