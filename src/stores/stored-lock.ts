// The lock of a store, and who watches it in this process: only another state than they know is news.

import type { LockJournal } from '../plugins/maintenance/lock-journal.ts'
import type { LockState, LockStore, LockWriteOptions } from '../plugins/maintenance/lock-store.ts'
import { checkLockState, openLock } from './check-records.ts'
import type { Documents } from './collections.ts'
import { StoredJournal } from './stored-journal.ts'

/** Where a store keeps the state of the lock. States that it gets are checked. */
export interface LockPlace {
  read(): Promise<LockState>
  /** As `LockStore` has them. */
  write(state: LockState, options: LockWriteOptions | undefined): Promise<void>
  restore(state: LockState): Promise<boolean>
  /**
   * Looks at once and again and again: `take` gets what there is, `undefined` if nothing has changed. Returns what stops it. Default: no
   * other process writes.
   */
  poll?(take: (state: LockState | undefined) => void, fail: (error: unknown) => void): () => void
}

interface Watcher {
  readonly onChange: (state: LockState) => void
  readonly onError: (error: unknown) => void
}

export class StoredLock implements LockStore {
  readonly name: string
  readonly journal: LockJournal
  readonly #place: LockPlace
  readonly #watchers = new Set<Watcher>()
  /** As JSON. A lock that was never read counts as one that was never set. */
  #known = JSON.stringify(openLock)
  #lastProblem: string | undefined
  #stopLooking: (() => void) | undefined

  constructor(name: string, place: LockPlace, documents: Documents) {
    this.name = name
    this.#place = place
    this.journal = new StoredJournal(documents)
  }

  async read(): Promise<LockState> {
    const state = await this.#place.read()
    this.#receive(state)
    return state
  }

  async write(state: LockState, options?: LockWriteOptions): Promise<void> {
    const checked = checkLockState(this.name, state)
    await this.#place.write(checked, options)
    // A look may have found it already.
    this.#receive(checked)
  }

  async restore(state: LockState): Promise<boolean> {
    const checked = checkLockState(this.name, state)
    const isWritten = await this.#place.restore(checked)
    if (isWritten) this.#receive(checked)
    return isWritten
  }

  watch(onChange: Watcher['onChange'], onError: Watcher['onError']): () => void {
    const watcher = { onChange, onError }
    this.#watchers.add(watcher)
    this.#stopLooking ??= this.#place.poll?.(
      (state) => {
        this.#lastProblem = undefined
        if (state !== undefined) this.#receive(state)
      },
      (error) => this.#fail(error),
    )
    return () => {
      this.#watchers.delete(watcher)
      if (this.#watchers.size > 0) return
      this.#stopLooking?.()
      this.#stopLooking = undefined
    }
  }

  #receive(state: LockState): void {
    const text = JSON.stringify(state)
    if (text === this.#known) return
    this.#known = text
    for (const { onChange, onError } of this.#watchers) {
      try {
        onChange(state)
      } catch (error) {
        onError(error)
      }
    }
  }

  /** Tells of a failure once, until a look succeeds. */
  #fail(error: unknown): void {
    const problem = String(error)
    if (problem === this.#lastProblem) return
    this.#lastProblem = problem
    for (const { onError } of this.#watchers) onError(error)
  }
}
