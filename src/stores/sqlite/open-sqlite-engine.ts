// Opens the engine whose three stores live in one SQLite file: lock and currencies are served by the calling thread, profiles by
// a worker that starts with the first call for them.

import { resolve } from 'node:path'
import { resolveEngineOptions } from '../engine-options.ts'
import type { EngineOptions } from '../engine-options.ts'
import type { Engine } from '../engine.ts'
import { DirectClient } from './direct-client.ts'
import { SqliteCurrencyStore } from './sqlite-currency-store.ts'
import { SqliteLockStore } from './sqlite-lock-store.ts'
import { SqliteProfileStore } from './sqlite-profile-store.ts'
import { startWorker } from './start-worker.ts'
import { WorkerClient } from './worker-client.ts'

/** Options of the engine, with the file's path. */
export interface SqliteEngineOptions extends EngineOptions {
  /** The file, relative to `directory` or absolute; made with its directories when it is missing. */
  readonly path: string
}

/**
 * Opens the file, or rejects with an `EngineError`: `ERR_STORE_OPEN`, `ERR_STORE_VERSION`, `ERR_STORE_FOREIGN`,
 * `ERR_STORE_BUSY`. A damaged file is set aside, never deleted, and told through `onWarning`. Several processes may open one
 * file.
 */
export async function openSqliteEngine(options: SqliteEngineOptions): Promise<Engine> {
  const { bounds, directory, onWarning } = resolveEngineOptions(options)
  const name = `sqlite:${options.path}`
  const workerOptions = { path: resolve(directory, options.path), name, bounds }
  const direct = new DirectClient(workerOptions, {
    onWarning,
    onLock: (json: string) => lock.receive(json),
    onLockError: (error: Error) => lock.fail(error),
  })
  const thread = new WorkerClient(name, () => startWorker(workerOptions), onWarning)
  const lock = new SqliteLockStore(name, direct)
  const close = async (): Promise<void> => {
    await Promise.all([direct.close(), thread.close()])
  }
  try {
    await direct.call('open')
  } catch (error) {
    await close()
    throw error
  }
  return {
    name,
    profiles: new SqliteProfileStore(name, thread),
    currencies: new SqliteCurrencyStore(name, direct),
    lock,
    close,
  }
}
