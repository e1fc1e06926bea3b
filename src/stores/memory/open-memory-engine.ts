// Opens the engine whose three stores live in the memory of this process.

import type { Engine } from '../engine.ts'
import { resolveEngineOptions } from '../engine-options.ts'
import type { EngineOptions } from '../engine-options.ts'
import { MemoryCurrencyStore } from './memory-currency-store.ts'
import { MemoryLockStore } from './memory-lock-store.ts'
import { MemoryProfileStore } from './memory-profile-store.ts'

/** Opens an empty engine; what it keeps goes away with the last reference to it. */
export async function openMemoryEngine(options?: EngineOptions): Promise<Engine> {
  return {
    name: 'memory:',
    profiles: new MemoryProfileStore(resolveEngineOptions(options).bounds),
    currencies: new MemoryCurrencyStore(),
    lock: new MemoryLockStore(),
    close: async () => {},
  }
}
