// Opens the engine whose stores live in one SQLite file. The calling thread serves lock and collections, for which a thread would
// cost 17 MB and a third of a start; the thread for profiles starts with the first call that is worth it.

import type { LockState } from '../../profiles/lock.ts'
import { clearInterval, setInterval } from '../../base/timing/builtins.ts'
import { isOwn, recordsOver, versionField, type Documents } from '../collections.ts'
import { isEngineError } from '../engine-error.ts'
import { type EngineOptions, resolveEngineOptions, type Engine } from '../engine.ts'
import { StoredLock, type LockPlace } from '../stored-lock.ts'
import { ProfileThread, startWorker, ThreadedProfileStore } from '../thread/threaded-profile-store.ts'
import { fewProfiles, performFew } from '../thread/serve-profiles.ts'
import { profilePlace, SqliteFile, type SqliteFileOptions } from './sqlite-file.ts'
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
    performFew(inDevelopment ? fewProfiles : 0, (giveUp) => profilePlace(file, name, giveUp)),
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
    lock: sqliteLock(name, file),
    ...recordsOver(name, sqliteDocuments(file)),
    close,
  }
}

/** The lock alone, of a file that cannot be opened: as far as it can be read, and wholly as soon as the file can be opened. */
export function openSqliteLock(options: SqliteEngineOptions): Pick<Engine, 'lock' | 'close'> {
  const fileOptions = fileOptionsOf(options)
  const file = new SqliteFile(fileOptions, resolveEngineOptions(options).onWarning)
  return { lock: sqliteLock(fileOptions.name, file), close: () => file.close() }
}

function fileOptionsOf(options: SqliteEngineOptions): SqliteFileOptions {
  const { bounds, directory } = resolveEngineOptions(options)
  const name = `sqlite:${options.path}`
  return { path: resolve(directory, options.path), directory: resolve(directory), name, bounds }
}

/** How often the version of a hash is looked at while somebody watches it, in milliseconds. */
const versionEveryMs = 500

function sqliteDocuments(file: SqliteFile): Documents {
  const get = (hash: string, field: string): Promise<string | null> =>
    // What the store itself looks at changes no file that was only opened.
    file.run((tables) => (isOwn(hash) && !tables.hasDocuments ? null : tables.documents.get(hash, field)))
  return {
    get,
    getAll: (hash) => file.run((tables) => (isOwn(hash) && !tables.hasDocuments ? [] : tables.documents.getAll(hash))),
    set: async (hash, fields, { expected } = {}) => file.run(({ documents }) => documents.set(hash, fields, expected)),
    add: async (hash, field, count) => file.run(({ documents }) => documents.add(hash, field, count)),
    poll: (hash, take, fail) => every(versionEveryMs, () => get(hash, versionField).then(take, fail)),
  }
}

/** Looks at once and again and again, at one thing at a time. Returns what stops it. */
function every(ms: number, look: () => Promise<unknown>): () => void {
  let isLooking = false
  const begin = (): void => {
    if (isLooking) return
    isLooking = true
    void look().finally(() => (isLooking = false))
  }
  const timer = setInterval(begin, ms).unref()
  begin()
  return () => clearInterval(timer)
}

export function startSqliteWorker(options: SqliteFileOptions, replies: Int32Array<SharedArrayBuffer>): Worker {
  return startWorker('sqlite-worker', import.meta.url, options, replies)
}

/** How often the lock is looked at while somebody watches it, in milliseconds. One look reads no page of the file. */
const watchEveryMs = 250

/** How long it is not looked at after a failure, in milliseconds. */
const restMs = 500

function sqliteLock(name: string, file: SqliteFile): StoredLock {
  /** While the file cannot be opened. */
  const readAnyway = (error: unknown): LockState | undefined => {
    const isOpen = isEngineError(error) && (error.code === 'ERR_STORE_RECORD' || error.code === 'ERR_STORE_CLOSED')
    return isOpen ? undefined : file.readLockAnyway()
  }
  const place: LockPlace = {
    read: () =>
      file
        .run(({ lock }) => lock.read())
        .catch((error: unknown) => {
          const state = readAnyway(error)
          if (state === undefined) throw error
          return state
        }),
    write: async (state) => file.run(({ lock }) => lock.write(state)),
    restore: async (state) => file.run(({ lock }) => lock.restore(state)),
    poll: (take, fail) => {
      /** By `performance.now()`. */
      let restsUntil = 0
      const stop = every(watchEveryMs, async () => {
        if (performance.now() < restsUntil) return
        try {
          take(await file.run(({ lock }) => lock.readIfChanged()))
        } catch (error) {
          const code = isEngineError(error) ? error.code : undefined
          if (code === 'ERR_STORE_CLOSED') return stop()
          // The next look tells what a busy file hides.
          if (code === 'ERR_STORE_BUSY') return
          const state = readAnyway(error)
          if (state === undefined) fail(error)
          else take(state)
          restsUntil = performance.now() + restMs
        }
      })
      return stop
    },
  }
  return new StoredLock(name, place, sqliteDocuments(file))
}
