// Opens the engine whose three stores live in one SQLite file, served by one worker thread.

import { resolve } from 'node:path'
import { resolveEngineOptions } from '../engine-options.ts'
import type { EngineOptions } from '../engine-options.ts'
import type { Engine } from '../engine.ts'
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
  const { bounds, slowMs, directory, onWarning } = resolveEngineOptions(options)
  const name = `sqlite:${options.path}`
  const workerOptions = { path: resolve(directory, options.path), name, bounds, slowMs }
  const client = new WorkerClient(name, () => startWorker(workerOptions), {
    onWarning,
    onLock: (json) => lock.receive(json),
    onLockError: (error) => lock.fail(error),
    onRestart: () => lock.resume(),
  })
  const lock = new SqliteLockStore(name, client)
  try {
    await client.call('open')
  } catch (error) {
    await client.close()
    throw error
  }
  return {
    name,
    profiles: new SqliteProfileStore(name, client),
    currencies: new SqliteCurrencyStore(name, client),
    lock,
    close: () => client.close(),
  }
}
