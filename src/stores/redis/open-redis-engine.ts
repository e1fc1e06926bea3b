// Opens the engine whose stores live in Redis. The calling thread serves lock and currencies, a thread of its own the profiles.

import { ProfileThread, startWorker } from '../thread/profile-thread.ts'
import { resolveEngineOptions, type EngineOptions } from '../engine-options.ts'
import type { Engine } from '../engine.ts'
import { openMemoryEngine } from '../memory/open-memory-engine.ts'
import { makePartStates } from './part-states.ts'
import { parseRedisAddress } from './redis-address.ts'
import type { RedisPlaceOptions } from './redis-place.ts'
import { RedisProfileStore } from './redis-profile-store.ts'

export interface RedisEngineOptions extends EngineOptions {
  readonly address: string
}

export async function openRedisEngine(options: RedisEngineOptions): Promise<Engine> {
  const { bounds, directory, onWarning } = resolveEngineOptions(options)
  const address = parseRedisAddress(options.address, directory)
  const states = makePartStates()
  const place: RedisPlaceOptions = { address, bounds, states }
  const thread = new ProfileThread(
    address.name,
    (replies) => startWorker('redis-worker', import.meta.url, place, replies),
    onWarning,
  )
  const memory = await openMemoryEngine()
  return {
    ...memory,
    name: address.name,
    profiles: new RedisProfileStore(address.name, thread, states, () => ({})),
    close: () => thread.close(),
  }
}
