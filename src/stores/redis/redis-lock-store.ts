// The application lock of a store in Redis. Changes by this process are told at once, those by others when the store is asked.

import type { LockState, LockStore } from '../../plugins/maintenance/lock-store.ts'
import { checkLockState, openLock, refuseLock } from '../check-records.ts'
import { writeConfirmed } from './confirmed-write.ts'
import { slotOf } from './key-slot.ts'
import type { RedisReply } from './redis-command.ts'
import type { RedisConnection } from './redis-connection.ts'
import { RedisFailure, toEngineError } from './redis-failure.ts'
import type { RedisPoll } from './redis-poll.ts'

/** The key of the lock: its state as JSON. */
export const lockKey = 'fanlight:{lock}'

interface Watcher {
  readonly onChange: (state: LockState) => void
  readonly onError: (error: unknown) => void
}

export class RedisLockStore implements LockStore {
  readonly name: string
  readonly #connection: RedisConnection
  readonly #poll: RedisPoll
  readonly #watchers = new Set<Watcher>()
  /** What this process knows, as JSON: only something else is news. A lock that was never read counts as one that was never set. */
  #known = JSON.stringify(openLock)
  #lastProblem: string | undefined
  #stopLooking: (() => void) | undefined

  constructor(connection: RedisConnection, poll: RedisPoll) {
    this.name = connection.name
    this.#connection = connection
    this.#poll = poll
  }

  async read(): Promise<LockState> {
    try {
      const [reply = null] = await this.#connection.use().client.send(slotOf(lockKey), [['get', lockKey]])
      if (reply instanceof RedisFailure) throw reply
      const state = this.#parse(reply)
      this.#receive(state)
      return state
    } catch (thrown) {
      throw toEngineError(thrown, this.name)
    }
  }

  /** Counts once a replica has it. Rejects with an `EngineError` that says why it may be lost. */
  async write(state: LockState): Promise<void> {
    const checked = checkLockState(this.name, state)
    await writeConfirmed(this.#connection, lockKey, ['set', lockKey, JSON.stringify(checked)])
    // A look may have found it before the replica confirmed it.
    this.#receive(checked)
  }

  watch(onChange: (state: LockState) => void, onError: (error: unknown) => void): () => void {
    const watcher = { onChange, onError }
    this.#watchers.add(watcher)
    this.#stopLooking ??= this.#poll.add({
      command: ['get', lockKey],
      take: (reply) => this.#look(reply),
      fail: (error) => this.#fail(error),
    })
    return () => {
      if (!this.#watchers.delete(watcher) || this.#watchers.size > 0) return
      this.#stopLooking?.()
      this.#stopLooking = undefined
    }
  }

  #look(reply: RedisReply): void {
    try {
      const state = this.#parse(reply)
      this.#lastProblem = undefined
      this.#receive(state)
    } catch (error) {
      this.#fail(error)
    }
  }

  /** Tells of a failure once. */
  #fail(error: unknown): void {
    const { message } = toEngineError(error, this.name)
    if (message === this.#lastProblem) return
    this.#lastProblem = message
    for (const { onError } of this.#watchers) onError(error)
  }

  #parse(reply: RedisReply): LockState {
    if (reply === null) return openLock
    const text = String(reply)
    try {
      return checkLockState(this.name, JSON.parse(text) as LockState)
    } catch (error) {
      if (error instanceof SyntaxError || error instanceof TypeError)
        refuseLock(this.name, 'value', text, 'a JSON object')
      throw error
    }
  }

  #receive(state: LockState): void {
    if (JSON.stringify(state) !== this.#known) this.#notify(state)
  }

  #notify(state: LockState): void {
    this.#known = JSON.stringify(state)
    for (const { onChange, onError } of this.#watchers) {
      try {
        onChange(state)
      } catch (error) {
        onError(error)
      }
    }
  }
}
