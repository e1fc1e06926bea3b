// Opens the engine whose stores live in Redis. The calling thread serves lock and collections; profiles have a thread, which starts
// with the first call for them.

import { type EngineError, isEngineError } from '../stores/engine-error.ts'
import { type EngineOptions, resolveEngineOptions } from '../stores/engine-options.ts'
import type { Engine } from '../stores/engine.ts'
import { ProfileThread, startWorker, ThreadedProfileStore } from '../stores/thread/threaded-profile-store.ts'
import { loadSockets } from './ioredis.ts'
import { endingOf, slotOf } from './partitions.ts'
import { isLate } from '../http/kernel/within-budget.ts'
import { parseRedisAddress } from './redis-address.ts'
import { RedisConnection } from './redis-connection.ts'
import type { RedisPlaceOptions } from './redis-place.ts'
import { recordsOver } from '../stores/collections.ts'
import { StoredLock } from '../stores/stored-lock.ts'
import { redisDocuments, redisLock, lockKey, RedisPoll } from './lock-and-collections.ts'

interface RedisEngineOptions extends EngineOptions {
  /** `redis://a:7001,b:7001` */
  readonly address: string
}

/** How long the start of an application waits for the store, in milliseconds. */
const openMs = 1000

/**
 * Returns the engine even while the store cannot be reached or refuses: it is tried again and again, `onWarning` of one that serves gets a line for
 * each reason, and calls reject with it. Rejects with an `EngineError` for an address that cannot be used and a missing package
 * (`ERR_STORE_URL`), and for a store of a newer version (`ERR_STORE_VERSION`).
 */
export async function openRedisEngine(options: RedisEngineOptions): Promise<Engine> {
  const { bounds, directory, onWarning, isServing, isPatient } = resolveEngineOptions(options)
  const address = parseRedisAddress(options.address, directory)
  await loadSockets(address)
  const connection = new RedisConnection(address, {
    maxProfiles: bounds.maxCount,
    isPatient,
    // A command hears of an outage from the call that fails.
    onWarning: isServing ? onWarning : () => undefined,
  })
  // A command has nothing else to do.
  await (isServing ? isLate(connection.opened, openMs) : connection.opened)
  const refusal = refusalOf(connection)
  if (refusal?.code === 'ERR_STORE_VERSION') {
    await connection.close()
    throw refusal
  }
  const place: RedisPlaceOptions = { address, bounds }
  const thread = new ProfileThread(
    address.name,
    (replies) => startWorker('redis-worker', import.meta.url, place, replies),
    onWarning,
  )
  const poll = new RedisPoll(connection, slotOf(lockKey))
  const documents = redisDocuments(connection, poll)
  return {
    name: address.name,
    profiles: new RedisProfileStore(connection, thread),
    lock: new StoredLock(address.name, redisLock(connection, poll), documents),
    ...recordsOver(address.name, documents),
    close: async () => {
      poll.close()
      await thread.close()
      await connection.close()
    },
  }
}

/** Why the store cannot be used now. */
function refusalOf(connection: RedisConnection): EngineError | undefined {
  try {
    connection.use()
    return undefined
  } catch (error) {
    return isEngineError(error) ? error : undefined
  }
}

/** How long new tokens end in the same letter, in milliseconds: so the profiles of a batch lie in one part, and all parts fill alike. */
const endingMs = 1000

class RedisProfileStore extends ThreadedProfileStore {
  readonly #connection: RedisConnection
  #ending = ''
  #endsAt = 0

  constructor(connection: RedisConnection, thread: ProfileThread) {
    super(connection.name, thread)
    this.#connection = connection
  }

  newTokenEnding(): string {
    const now = performance.now()
    if (now >= this.#endsAt) {
      this.#endsAt = now + endingMs
      this.#ending = endingOf(Math.floor(Math.random() * this.#connection.partitions))
    }
    return this.#ending
  }
}
