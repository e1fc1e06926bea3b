// The application lock in the memory of this process: no other process sees it.

import type { LockState, LockStore } from '../../plugins/maintenance/lock-store.ts'
import { checkLockState, openLock } from '../check-lock-state.ts'

/** Keeps one state and tells its watchers at once. */
export class MemoryLockStore implements LockStore {
  readonly name = 'memory:'
  readonly #watchers = new Set<{ readonly notify: (state: LockState) => void }>()
  #state: LockState = openLock

  async read(): Promise<LockState> {
    return this.#state
  }

  async write(state: LockState): Promise<void> {
    this.#state = Object.freeze({ ...checkLockState(this.name, state) })
    for (const { notify } of this.#watchers) notify(this.#state)
  }

  watch(onChange: (state: LockState) => void, onError: (error: unknown) => void): () => void {
    const watcher = {
      notify: (state: LockState) => {
        try {
          onChange(state)
        } catch (error) {
          onError(error)
        }
      },
    }
    this.#watchers.add(watcher)
    return () => void this.#watchers.delete(watcher)
  }
}
