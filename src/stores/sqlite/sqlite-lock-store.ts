// The application lock of a SQLite file. Changes by this process are told at once, those by others when the file is looked at.

import type { LockState, LockStore } from '../../plugins/maintenance/lock-store.ts'
import { checkLockState } from '../check-records.ts'
import { isEngineError } from '../engine-error.ts'
import type { SqliteFile } from './sqlite-file.ts'

interface Watcher {
  readonly onChange: (state: LockState) => void
  readonly onError: (error: unknown) => void
}

/** How often the lock is looked at while somebody watches it, in milliseconds. One look reads no page of the file. */
const watchEveryMs = 250

export class SqliteLockStore implements LockStore {
  readonly name: string
  readonly #file: SqliteFile
  readonly #watchers = new Set<Watcher>()
  /** What this process knows, as JSON: only something else is news. */
  #known: string | undefined
  #timer: NodeJS.Timeout | undefined
  #isLooking = false
  #lastProblem: unknown

  constructor(name: string, file: SqliteFile) {
    this.name = name
    this.#file = file
  }

  async read(): Promise<LockState> {
    const state = await this.#file.run(({ lock }) => lock.read())
    this.#receive(state)
    return state
  }

  async write(state: LockState): Promise<void> {
    const checked = checkLockState(this.name, state)
    await this.#file.run(({ lock }) => lock.write(checked))
    this.#notify(checked)
  }

  watch(onChange: (state: LockState) => void, onError: (error: unknown) => void): () => void {
    const watcher = { onChange, onError }
    this.#watchers.add(watcher)
    if (this.#watchers.size === 1) {
      this.#timer = setInterval(() => void this.#look(), watchEveryMs).unref()
      void this.#look()
    }
    return () => {
      if (this.#watchers.delete(watcher) && this.#watchers.size === 0) clearInterval(this.#timer)
    }
  }

  /** Tells of a failure once. */
  async #look(): Promise<void> {
    if (this.#isLooking) return
    this.#isLooking = true
    try {
      const state = await this.#file.run(({ lock }) => lock.readIfChanged())
      this.#lastProblem = undefined
      if (state !== undefined) this.#receive(state)
    } catch (error) {
      const { code, message } = isEngineError(error) ? error : { code: undefined, message: String(error) }
      if (code === 'ERR_STORE_CLOSED') clearInterval(this.#timer)
      // The next look tells what a busy file hides.
      else if (code !== 'ERR_STORE_BUSY' && message !== this.#lastProblem) {
        this.#lastProblem = message
        for (const { onError } of this.#watchers) onError(error)
      }
    } finally {
      this.#isLooking = false
    }
  }

  /** The first state that was seen in the file is what changes are measured by. */
  #receive(state: LockState): void {
    if (this.#known === undefined) this.#known = JSON.stringify(state)
    else if (JSON.stringify(state) !== this.#known) this.#notify(state)
  }

  #notify(state: LockState): void {
    this.#known = JSON.stringify(state)
    for (const { onChange, onError } of this.#watchers) {
      try {
        onChange(state)
      } catch (error) {
        onError(error)
      }
    }
  }
}
