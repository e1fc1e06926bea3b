// The engine whose stores live in the memory of this process.

import { checkLockState, openLock } from '../check-records.ts'
import type { LockState, LockStore } from '../../plugins/maintenance/lock-store.ts'
import { collectionsOver, pauseOver, versionField, type Documents } from '../collections.ts'
import { type EngineOptions, resolveEngineOptions } from '../engine-options.ts'
import type { Engine } from '../engine.ts'
import { LockWatchers } from '../lock-watchers.ts'
import { StoredJournal } from '../stored-journal.ts'
import { MemoryProfileStore } from './memory-profile-store.ts'

/** Opens an empty engine; what it keeps goes away with the last reference to it. */
export async function openMemoryEngine(options?: EngineOptions): Promise<Engine> {
  const documents = memoryDocuments()
  return {
    name: 'memory:',
    profiles: new MemoryProfileStore(resolveEngineOptions(options).bounds),
    lock: new MemoryLockStore(documents),
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

/** No other process sees its lock. */
class MemoryLockStore implements LockStore {
  readonly name = 'memory:'
  readonly journal: StoredJournal
  readonly #watchers = new LockWatchers()
  #state: LockState = openLock

  constructor(documents: Documents) {
    this.journal = new StoredJournal(documents)
  }

  async read(): Promise<LockState> {
    return this.#state
  }

  async write(state: LockState): Promise<void> {
    this.#state = checkLockState(this.name, state)
    this.#watchers.tell(this.#state)
  }

  watch(onChange: (state: LockState) => void, onError: (error: unknown) => void): () => void {
    return this.#watchers.add(onChange, onError)
  }
}
