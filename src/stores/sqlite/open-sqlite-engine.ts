// Opens the engine whose stores live in one SQLite file. The calling thread serves lock and currencies, for which a thread would
// cost 17 MB and a third of a start; the thread for profiles starts with the first call that is worth it.

import { resolve } from 'node:path'
import type { CurrencyStore } from '../../plugins/currency/currency-store.ts'
import { currencyCodePattern, type Currency } from '../../plugins/currency/currency.ts'
import { checkCurrencies } from '../check-records.ts'
import { resolveEngineOptions, type EngineOptions } from '../engine-options.ts'
import type { Engine } from '../engine.ts'
import { TextPauseStore } from '../text-pause-store.ts'
import { ProfileThread, startWorker } from '../thread/profile-thread.ts'
import { performFew } from '../thread/serve-profiles.ts'
import { ThreadedProfileStore } from '../thread/threaded-profile-store.ts'
import { profilePlace } from './profile-place.ts'
import { SqliteFile, type SqliteFileOptions } from './sqlite-file.ts'
import { SqliteLockStore } from './sqlite-lock-store.ts'
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
    inDevelopment ? performFew(profilePlace(file, name)) : undefined,
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
    currencies: new SqliteCurrencyStore(name, file),
    lock: new SqliteLockStore(name, file),
    pause: new TextPauseStore({
      get: async () => file.run(({ pause }) => pause.get()),
      set: async (text) => file.run(({ pause }) => pause.set(text)),
    }),
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

/** Asks the file for every read: nothing is cached, so that a change shows at once in every process. */
class SqliteCurrencyStore implements CurrencyStore {
  readonly name: string
  readonly #file: SqliteFile

  constructor(name: string, file: SqliteFile) {
    this.name = name
    this.#file = file
  }

  async findByCode(code: string): Promise<Currency | undefined> {
    if (!currencyCodePattern.test(code)) return undefined
    return this.#file.run(({ currencies }) => currencies.findByCode(code))
  }

  async upsert(records: readonly Currency[]): Promise<void> {
    checkCurrencies(this.name, records)
    await this.#file.run(({ currencies }) => currencies.upsert(records))
  }

  async list(): Promise<readonly Currency[]> {
    return this.#file.run(({ currencies }) => currencies.list())
  }
}

export function startSqliteWorker(options: SqliteFileOptions, replies: Int32Array<SharedArrayBuffer>): Worker {
  return startWorker('sqlite-worker', import.meta.url, options, replies)
}
