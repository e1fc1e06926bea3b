// The application lock of a SQLite file. Its client looks for changes by other processes; changes
// by this one are told at once.

import type { LockState, LockStore } from '../../plugins/maintenance/lock-store.ts'
import { checkLockState } from '../check-lock-state.ts'
import type { DirectClient } from './direct-client.ts'

interface Watcher {
  readonly onChange: (state: LockState) => void
  readonly onError: (error: unknown) => void
}

/** Reads, writes and watches the lock. The engine passes on what its client notices. */
export class SqliteLockStore implements LockStore {
  readonly name: string
  readonly #client: DirectClient
  readonly #watchers = new Set<Watcher>()
  /** What this process knows, as JSON: only something else is news. */
  #known: string | undefined

  constructor(name: string, client: DirectClient) {
    this.name = name
    this.#client = client
  }

  async read(): Promise<LockState> {
    const json = (await this.#client.call('lock')) ?? 'null'
    this.receive(json)
    return decodeLock(json)
  }

  async write(state: LockState): Promise<void> {
    const { value, reason, retryAfterSeconds, changedAt } = checkLockState(this.name, state)
    const json = JSON.stringify({ value, reason, retryAfterSeconds, changedAt })
    await this.#client.call('set-lock', [json])
    this.#notify(json)
  }

  watch(onChange: (state: LockState) => void, onError: (error: unknown) => void): () => void {
    const watcher = { onChange, onError }
    this.#watchers.add(watcher)
    if (this.#watchers.size === 1) this.#client.watchLock(true)
    return () => {
      const isLast = this.#watchers.delete(watcher) && this.#watchers.size === 0
      if (isLast) this.#client.watchLock(false)
    }
  }

  /** Takes a state that was seen in the file: the first one is what changes are measured by. */
  receive(json: string): void {
    if (this.#known === undefined) this.#known = json
    else if (json !== this.#known) this.#notify(json)
  }

  /** Tells the watchers that the lock cannot be read. */
  fail(error: Error): void {
    for (const { onError } of this.#watchers) onError(error)
  }

  #notify(json: string): void {
    this.#known = json
    const state = decodeLock(json)
    for (const { onChange, onError } of this.#watchers) {
      try {
        onChange(state)
      } catch (error) {
        onError(error)
      }
    }
  }
}

// The worker checks a lock before it sends it.
function decodeLock(json: string): LockState {
  return Object.freeze(JSON.parse(json) as LockState)
}
