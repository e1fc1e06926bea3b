// Opens the engine whose stores live in Redis. The calling thread serves lock, currencies and members; profiles have a thread, which
// starts with the first call for them.

import { isEngineError, type EngineError } from '../engine-error.ts'
import { resolveEngineOptions, type EngineOptions } from '../engine-options.ts'
import type { Engine } from '../engine.ts'
import { ProfileThread, startWorker } from '../thread/profile-thread.ts'
import { loadSockets } from './ioredis.ts'
import { heldCounts, makePartStates } from './part-states.ts'
import { isLate } from './patience.ts'
import { parseRedisAddress } from './redis-address.ts'
import { RedisConnection } from './redis-connection.ts'
import type { RedisPlaceOptions } from './redis-place.ts'
import { RedisProfileStore } from './redis-profile-store.ts'
import { shareRedis } from './redis-shared.ts'

interface RedisEngineOptions extends EngineOptions {
  /** `redis://a:7001,b:7001` */
  readonly address: string
}

/** How long the start of an application waits for the store, in milliseconds. */
const openMs = 1000

/**
 * Returns the engine even while the store cannot be reached or refuses: it is tried again and again, `onWarning` of a member gets a line for
 * each reason, and calls reject with it. Rejects with an `EngineError` for an address that cannot be used and a missing package
 * (`ERR_STORE_URL`), and for a store of a newer version (`ERR_STORE_VERSION`).
 */
export async function openRedisEngine(options: RedisEngineOptions): Promise<Engine> {
  const { bounds, directory, onWarning, member } = resolveEngineOptions(options)
  const address = parseRedisAddress(options.address, directory)
  await loadSockets(address)
  const connection = new RedisConnection(address, {
    maxProfiles: bounds.maxCount,
    // A command hears of an outage from the call that fails.
    onWarning: member === undefined ? () => undefined : onWarning,
  })
  // A command has nothing else to do.
  await (member === undefined ? connection.opened : isLate(connection.opened, openMs))
  const refusal = refusalOf(connection)
  if (refusal?.code === 'ERR_STORE_VERSION') {
    await connection.close()
    throw refusal
  }
  const states = makePartStates()
  const place: RedisPlaceOptions = { address, bounds, states }
  const thread = new ProfileThread(
    address.name,
    (replies) => startWorker('redis-worker', import.meta.url, place, replies),
    onWarning,
  )
  const shared = shareRedis(connection, member && { ...member, counts: () => heldCounts(states) })
  return {
    name: address.name,
    profiles: new RedisProfileStore(address.name, thread, states, () => shared.facts()),
    lock: shared.lock,
    pause: shared.pause,
    currencies: shared.currencies,
    close: async () => {
      await Promise.all([thread.close(), shared.close()])
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
