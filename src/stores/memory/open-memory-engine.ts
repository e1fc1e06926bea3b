// The engine whose stores live in the memory of this process.

import { wallMs } from '../../framework/timing/builtins.ts'
import {
  type JournalContent,
  type LockJournal,
  type LockPeriod,
  type LockReport,
  type StoredReport,
  forgottenMs,
  periodsToDrop,
} from '../../plugins/maintenance/lock-journal.ts'
import type { LockState, LockStore } from '../../plugins/maintenance/lock-store.ts'
import { checkLockState, openLock } from '../check-records.ts'
import { collectionsOver, versionField, type Hashes } from '../collections.ts'
import { type EngineOptions, resolveEngineOptions } from '../engine-options.ts'
import type { Engine } from '../engine.ts'
import { LockWatchers } from '../lock-watchers.ts'
import { type PausePlace, TextPauseStore } from '../text-pause-store.ts'
import { MemoryProfileStore } from './memory-profile-store.ts'

/** Opens an empty engine; what it keeps goes away with the last reference to it. */
export async function openMemoryEngine(options?: EngineOptions): Promise<Engine> {
  return {
    name: 'memory:',
    profiles: new MemoryProfileStore(resolveEngineOptions(options).bounds),
    lock: new MemoryLockStore(),
    pause: new TextPauseStore(memoryPlace()),
    collection: collectionsOver('memory:', memoryHashes()),
    close: async () => {},
  }
}

function memoryPlace(): PausePlace {
  let kept: string | null = null
  return {
    get: async () => kept,
    set: async (text) => {
      kept = text
    },
  }
}

function memoryHashes(): Hashes {
  const hashes = new Map<string, Map<string, string>>()
  return {
    get: async (hash, field) => hashes.get(hash)?.get(field) ?? null,
    getAll: async (hash) => [...(hashes.get(hash) ?? [])],
    set: async (hash, fields, expected) => {
      const kept = hashes.get(hash)
      if (expected !== undefined && expected !== (kept?.get(versionField) ?? null)) return false
      hashes.set(hash, new Map([...(kept ?? []), ...fields]))
      return true
    },
  }
}

/** No other process sees its lock. */
class MemoryLockStore implements LockStore {
  readonly name = 'memory:'
  readonly journal = new MemoryLockJournal()
  readonly #watchers = new LockWatchers()
  #state: LockState = openLock

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

class MemoryLockJournal implements LockJournal {
  readonly #periods = new Map<string, LockPeriod>()
  readonly #turnedAway = new Map<string, number>()
  readonly #reports = new Map<string, StoredReport>()

  async now(): Promise<number> {
    return wallMs()
  }

  async keep(period: LockPeriod): Promise<void> {
    this.#periods.set(period.id, Object.freeze({ ...period }))
    for (const id of periodsToDrop([...this.#periods.values()])) {
      this.#periods.delete(id)
      this.#turnedAway.delete(id)
    }
  }

  async count(turnedAway: Readonly<Record<string, number>>): Promise<void> {
    for (const [id, count] of Object.entries(turnedAway)) {
      this.#turnedAway.set(id, (this.#turnedAway.get(id) ?? 0) + count)
    }
  }

  async report(report: LockReport): Promise<void> {
    this.#reports.set(report.process, { ...report, time: wallMs() })
  }

  async leave(process: string): Promise<void> {
    this.#reports.delete(process)
  }

  async read(): Promise<JournalContent> {
    const now = wallMs()
    return {
      now,
      periods: [...this.#periods.values()],
      turnedAway: Object.fromEntries(this.#turnedAway),
      reports: [...this.#reports.values()].filter(({ time }) => now - time < forgottenMs),
    }
  }
}
