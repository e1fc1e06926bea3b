// The application lock of a store in Redis. Changes by this process are told at once, those by others when the store is asked.

import type { LockJournal } from '../../plugins/maintenance/lock-journal.ts'
import type { LockState, LockStore } from '../../plugins/maintenance/lock-store.ts'
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
  async write(state: LockState): Promise<void> {
    const checked = checkLockState(this.name, state)
    await writeConfirmed(this.#connection, lockKey, ['set', lockKey, JSON.stringify(checked)])
    // A look may have found it before the replica confirmed it.
    this.#watchers.receive(checked)
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
