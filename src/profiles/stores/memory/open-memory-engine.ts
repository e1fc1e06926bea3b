// The engine whose stores live in the memory of this process: profiles in a database of SQLite that has no file.

import { openLock } from '../check-records.ts'
import { isOlder } from '../../lock/lock-members.ts'
import type { LockState } from '../../lock/lock-store.ts'
import { collectionsOver, errorMarksOver, pauseOver, versionField, type Documents } from '../collections.ts'
import { type EngineOptions, resolveEngineOptions } from '../engine-options.ts'
import type { Engine } from '../engine.ts'
import { StoredLock, type LockPlace } from '../stored-lock.ts'
import { ProfileThread, ThreadedProfileStore } from '../thread/threaded-profile-store.ts'
import { lazy } from '../../../http/kernel/lazy.ts'

/** Opens an empty engine; what it keeps goes away with the last reference to it. */
export async function openMemoryEngine(options?: EngineOptions): Promise<Engine> {
  const documents = memoryDocuments()
  const { bounds, onWarning } = resolveEngineOptions(options)
  // Loaded with the first call: not every application records.
  const perform = lazy(async () => {
    const [{ memoryPlace }, { performFew }] = await Promise.all([
      import('../sqlite/profile-place.ts'),
      import('../thread/serve-profiles.ts'),
    ])
    return performFew(() => memoryPlace('memory:', bounds), Infinity)
  })
  const thread = new ProfileThread('memory:', noWorker, onWarning, async (call) => (await perform())(call))
  return {
    name: 'memory:',
    profiles: new ThreadedProfileStore('memory:', thread),
    lock: new StoredLock('memory:', memoryLock(), documents),
    pause: pauseOver('memory:', documents),
    errorMarks: errorMarksOver('memory:', documents),
    collection: collectionsOver('memory:', documents),
    close: async () => {},
  }
}

/** Every call is performed without. */
function noWorker(): never {
  throw new Error('A store in memory has no thread')
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
