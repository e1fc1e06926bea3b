// The application lock of a SQLite file. Changes by this process are told at once, those by others when the file is looked at.

import type { LockJournal } from '../../plugins/maintenance/lock-journal.ts'
import type { LockState, LockStore } from '../../plugins/maintenance/lock-store.ts'
import { checkLockState } from '../check-records.ts'
import { isEngineError } from '../engine-error.ts'
import { LockWatchers } from '../lock-watchers.ts'
import type { SqliteFile } from './sqlite-file.ts'

/** How often the lock is looked at while somebody watches it, in milliseconds. One look reads no page of the file. */
const watchEveryMs = 250

export class SqliteLockStore implements LockStore {
  readonly name: string
  readonly journal: LockJournal
  readonly #file: SqliteFile
  readonly #watchers = new LockWatchers()
  #timer: NodeJS.Timeout | undefined
  #isLooking = false

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
    const state = await this.#file.run(({ lock }) => lock.read())
    this.#watchers.receive(state)
    return state
  }

  async write(state: LockState): Promise<void> {
    const checked = checkLockState(this.name, state)
    await this.#file.run(({ lock }) => lock.write(checked))
    this.#watchers.tell(checked)
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

  async #look(): Promise<void> {
    if (this.#isLooking) return
    this.#isLooking = true
    try {
      const state = await this.#file.run(({ lock }) => lock.readIfChanged())
      this.#watchers.recovered()
      if (state !== undefined) this.#watchers.receive(state)
    } catch (error) {
      const { code, message } = isEngineError(error) ? error : { code: undefined, message: String(error) }
      if (code === 'ERR_STORE_CLOSED') clearInterval(this.#timer)
      // The next look tells what a busy file hides.
      else if (code !== 'ERR_STORE_BUSY') this.#watchers.fail(error, message)
    } finally {
      this.#isLooking = false
    }
  }
}
