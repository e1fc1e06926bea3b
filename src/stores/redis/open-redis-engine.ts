// Opens the engine whose stores live in Redis. The calling thread serves lock, collections and members; profiles have a thread, which
// starts with the first call for them.

import type { ProfileStoreStats } from '../../profiler/profile-store.ts'
import { type EngineError, isEngineError } from '../engine-error.ts'
import { type EngineOptions, resolveEngineOptions } from '../engine-options.ts'
import type { Engine } from '../engine.ts'
import { ProfileThread, startWorker } from '../thread/profile-thread.ts'
import { ThreadedProfileStore } from '../thread/threaded-profile-store.ts'
import { loadSockets } from './ioredis.ts'
import { type SharedPartStates, heldCounts, makePartStates, pickPart, takesProfiles } from './part-states.ts'
import { endingOf } from './partitions.ts'
import { isLate } from './patience.ts'
import { parseRedisAddress } from './redis-address.ts'
import { RedisConnection } from './redis-connection.ts'
import type { RedisPlaceOptions } from './redis-place.ts'
import { shareRedis, type RedisShared } from './redis-shared.ts'

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
    profiles: new RedisProfileStore(address.name, thread, states, () => shared.members()),
    lock: shared.lock,
    pause: shared.pause,
    collection: shared.collection,
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

/** How long new tokens end in the same letter, in milliseconds: so the profiles of a batch lie in one part, and all parts fill alike. */
const endingMs = 1000

class RedisProfileStore extends ThreadedProfileStore {
  readonly #states: SharedPartStates
  readonly #members: RedisShared['members']
  #part = 0
  #endsAt = 0

  constructor(name: string, thread: ProfileThread, states: SharedPartStates, members: RedisShared['members']) {
    super(name, thread)
    this.#states = states
    this.#members = members
  }

  newTokenEnding(): string {
    const now = performance.now()
    if (now >= this.#endsAt || !takesProfiles(this.#states, this.#part)) {
      this.#endsAt = now + endingMs
      this.#part = pickPart(this.#states)
    }
    return endingOf(this.#part)
  }

  override async stats(): Promise<ProfileStoreStats> {
    const [{ fleet, ...stats }, members] = await Promise.all([super.stats(), this.#members()])
    return { ...stats, ...(fleet !== undefined && { fleet: { ...fleet, ...(members && { members }) } }) }
  }
}
