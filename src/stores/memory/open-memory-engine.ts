// The engine whose stores live in the memory of this process.

import { openLock } from '../check-records.ts'
import { isOlder } from '../../plugins/maintenance/lock-members.ts'
import type { LockState } from '../../plugins/maintenance/lock-store.ts'
import { collectionsOver, pauseOver, versionField, type Documents } from '../collections.ts'
import { type EngineOptions, resolveEngineOptions } from '../engine-options.ts'
import type { Engine } from '../engine.ts'
import { StoredLock, type LockPlace } from '../stored-lock.ts'
import { MemoryProfileStore } from './memory-profile-store.ts'

/** Opens an empty engine; what it keeps goes away with the last reference to it. */
export async function openMemoryEngine(options?: EngineOptions): Promise<Engine> {
  const documents = memoryDocuments()
  return {
    name: 'memory:',
    profiles: new MemoryProfileStore(resolveEngineOptions(options).bounds),
    lock: new StoredLock('memory:', memoryLock(), documents),
    pause: pauseOver('memory:', documents),
    collection: collectionsOver('memory:', documents),
    close: async () => {},
  }
}

function memoryDocuments(): Documents {
  const hashes = new Map<string, Map<string, string>>()
  return {
    get: async (hash, field) => hashes.get(hash)?.get(field) ?? null,
    getAll: async (hash) => [...(hashes.get(hash) ?? [])],
    set: async (hash, fields, { expected } = {}) => {
      const kept = hashes.get(hash)
      if (expected !== undefined && expected !== (kept?.get(versionField) ?? null)) return false
      const all = new Map([...(kept ?? []), ...fields])
      hashes.set(hash, new Map([...all].filter((field): field is [string, string] => field[1] !== null)))
      return true
    },
    add: async (hash, field, count) => {
      const kept = new Map(hashes.get(hash))
      hashes.set(hash, kept.set(field, String(Number(kept.get(field) ?? 0) + count)))
    },
  }
}

function memoryLock(): LockPlace {
  let kept = openLock
  const write = async (state: LockState): Promise<void> => void (kept = state)
  return {
    read: async () => kept,
    write,
    restore: async (state) => {
      if (!isOlder(kept, state)) return false
      await write(state)
      return true
    },
  }
}
