// Opens the engine whose stores live in one SQLite file. The calling thread serves lock and collections, for which a thread would
// cost 17 MB and a third of a start; the thread for profiles starts with the first call that is worth it.

import type { LockJournal } from '../../plugins/maintenance/lock-journal.ts'
import type { LockState, LockStore } from '../../plugins/maintenance/lock-store.ts'
import { checkLockState } from '../check-records.ts'
import { clearInterval, setInterval } from '../../framework/timing/builtins.ts'
import { collectionsOver, pauseOver, versionField, type Documents } from '../collections.ts'
import { isEngineError } from '../engine-error.ts'
import { type EngineOptions, resolveEngineOptions } from '../engine-options.ts'
import type { Engine } from '../engine.ts'
import { LockWatchers } from '../lock-watchers.ts'
import { StoredJournal } from '../stored-journal.ts'
import { ProfileThread, startWorker, ThreadedProfileStore } from '../thread/threaded-profile-store.ts'
import { performFew } from '../thread/serve-profiles.ts'
import { profilePlace } from './profile-place.ts'
import { SqliteFile, type SqliteFileOptions } from './sqlite-file.ts'
import { resolve } from 'node:path'
import type { Worker } from 'node:worker_threads'

export interface SqliteEngineOptions extends EngineOptions {
  /** The file, relative to `directory` or absolute; made with its directories when it is missing. */
  readonly path: string
}

/**
 * Opens the file, or rejects with an `EngineError`: `ERR_STORE_OPEN`, `ERR_STORE_VERSION`, `ERR_STORE_FOREIGN`,
 * `ERR_STORE_BUSY`. A damaged file is set aside, never deleted, and `onWarning` is told. Several processes may open one file.
 */
export async function openSqliteEngine(options: SqliteEngineOptions): Promise<Engine> {
  const { onWarning, inDevelopment } = resolveEngineOptions(options)
  const fileOptions = fileOptionsOf(options)
  const { name } = fileOptions
  const file = new SqliteFile(fileOptions, onWarning)
  const thread = new ProfileThread(
    name,
    (replies) => startSqliteWorker(fileOptions, replies),
    onWarning,
    inDevelopment ? performFew((giveUp) => profilePlace(file, name, giveUp)) : undefined,
  )
  const close = async (): Promise<void> => {
    await Promise.all([file.close(), thread.close()])
  }
  try {
    await file.run(() => undefined)
  } catch (error) {
    await close()
    throw error
  }
  return {
    name,
    profiles: new ThreadedProfileStore(name, thread),
    lock: new SqliteLockStore(name, file),
    pause: pauseOver(name, sqliteDocuments(file)),
    collection: collectionsOver(name, sqliteDocuments(file)),
    close,
  }
}

/** The lock alone, of a file that cannot be opened: as far as it can be read, and wholly as soon as the file can be opened. */
export function openSqliteLock(options: SqliteEngineOptions): Pick<Engine, 'lock' | 'close'> {
  const fileOptions = fileOptionsOf(options)
  const file = new SqliteFile(fileOptions, resolveEngineOptions(options).onWarning)
  return { lock: new SqliteLockStore(fileOptions.name, file), close: () => file.close() }
}

function fileOptionsOf(options: SqliteEngineOptions): SqliteFileOptions {
  const { bounds, directory } = resolveEngineOptions(options)
  const name = `sqlite:${options.path}`
  return { path: resolve(directory, options.path), directory: resolve(directory), name, bounds }
}

/** How often the version of a hash is looked at while somebody watches it, in milliseconds. */
const versionEveryMs = 500

function sqliteDocuments(file: SqliteFile): Documents {
  return {
    get: async (hash, field) => file.run(({ documents }) => documents.get(hash, field)),
    getAll: async (hash) => file.run(({ documents }) => documents.getAll(hash)),
    set: async (hash, fields, { expected } = {}) => file.run(({ documents }) => documents.set(hash, fields, expected)),
    add: async (hash, field, count) => file.run(({ documents }) => documents.add(hash, field, count)),
    poll: (hash, take, fail) => {
      let isLooking = false
      const look = async (): Promise<void> => {
        if (isLooking) return
        isLooking = true
        await file.run(({ documents }) => documents.get(hash, versionField)).then(take, fail)
        isLooking = false
      }
      const timer = setInterval(() => void look(), versionEveryMs).unref()
      return () => clearInterval(timer)
    },
  }
}

export function startSqliteWorker(options: SqliteFileOptions, replies: Int32Array<SharedArrayBuffer>): Worker {
  return startWorker('sqlite-worker', import.meta.url, options, replies)
}

/** How often the lock is looked at while somebody watches it, in milliseconds. One look reads no page of the file. */
const watchEveryMs = 250

/** How long it is not looked at after a failure, in milliseconds. */
const restMs = 500

class SqliteLockStore implements LockStore {
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
    this.journal = new StoredJournal(sqliteDocuments(file))
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
