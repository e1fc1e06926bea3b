// The application lock of a SQLite file. Changes by this process are told at once, those by others when the file is looked at.

import type { LockJournal } from '../../plugins/maintenance/lock-journal.ts'
import type { LockState, LockStore } from '../../plugins/maintenance/lock-store.ts'
import { checkLockState } from '../check-records.ts'
import { isEngineError } from '../engine-error.ts'
import { LockWatchers } from '../lock-watchers.ts'
import type { SqliteFile } from './sqlite-file.ts'

/** How often the lock is looked at while somebody watches it, in milliseconds. One look reads no page of the file. */
const watchEveryMs = 250

/** How long it is not looked at after a failure, in milliseconds. */
const restMs = 500

export class SqliteLockStore implements LockStore {
  readonly name: string
  readonly journal: LockJournal
  readonly #file: SqliteFile
  readonly #watchers = new LockWatchers()
  #timer: NodeJS.Timeout | undefined
  #isLooking = false
  /** By `performance.now()`. */
  #restsUntil = 0

  constructor(name: string, file: SqliteFile) {
    this.name = name
    this.#file = file
    this.journal = {
      now: async () => Date.now(),
      keep: async (period) => file.run(({ journal }) => journal.keep(period)),
      count: async (turnedAway) => file.run(({ journal }) => journal.count(turnedAway)),
      report: async (report) => file.run(({ journal }) => journal.report(report)),
      leave: async (process) => file.run(({ journal }) => journal.leave(process)),
      read: async () => file.run(({ journal }) => journal.read()),
    }
  }

  async read(): Promise<LockState> {
    try {
      const state = await this.#file.run(({ lock }) => lock.read())
      this.#watchers.receive(state)
      return state
    } catch (error) {
      const state = this.#readAnyway(error)
      if (state === undefined) throw error
      this.#watchers.receive(state)
      return state
    }
  }

  async write(state: LockState): Promise<void> {
    const checked = checkLockState(this.name, state)
    await this.#file.run(({ lock }) => lock.write(checked))
    this.#watchers.tell(checked)
  }

  async restore(state: LockState): Promise<boolean> {
    const checked = checkLockState(this.name, state)
    const isWritten = await this.#file.run(({ lock }) => lock.restore(checked))
    if (isWritten) this.#watchers.receive(checked)
    return isWritten
  }

  watch(onChange: (state: LockState) => void, onError: (error: unknown) => void): () => void {
    const isFirst = this.#watchers.isEmpty
    const remove = this.#watchers.add(onChange, onError)
    if (isFirst) {
      this.#timer = setInterval(() => void this.#look(), watchEveryMs).unref()
      void this.#look()
    }
    return () => {
      remove()
      if (this.#watchers.isEmpty) clearInterval(this.#timer)
    }
  }

  /** While the file cannot be opened. */
  #readAnyway(error: unknown): LockState | undefined {
    const isOpen = isEngineError(error) && (error.code === 'ERR_STORE_RECORD' || error.code === 'ERR_STORE_CLOSED')
    return isOpen ? undefined : this.#file.readLockAnyway()
  }

  async #look(): Promise<void> {
    if (this.#isLooking || performance.now() < this.#restsUntil) return
    this.#isLooking = true
    try {
      const state = await this.#file.run(({ lock }) => lock.readIfChanged())
      this.#watchers.recovered()
      if (state !== undefined) this.#watchers.receive(state)
    } catch (error) {
      const { code, message } = isEngineError(error) ? error : { code: undefined, message: String(error) }
      if (code === 'ERR_STORE_CLOSED') clearInterval(this.#timer)
      // The next look tells what a busy file hides.
      else if (code !== 'ERR_STORE_BUSY') {
        const state = this.#readAnyway(error)
        if (state === undefined) this.#watchers.fail(error, message)
        else this.#watchers.receive(state)
        this.#restsUntil = performance.now() + restMs
      }
    } finally {
      this.#isLooking = false
    }
  }
}
