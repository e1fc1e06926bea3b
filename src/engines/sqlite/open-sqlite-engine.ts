// Opens the engine whose three stores live in one SQLite file, served by one worker thread; where no profiles are kept, by the
// calling thread.

import { resolve } from 'node:path'
import { resolveEngineOptions } from '../engine-options.ts'
import type { EngineOptions } from '../engine-options.ts'
import type { Engine } from '../engine.ts'
import { SqliteCurrencyStore } from './sqlite-currency-store.ts'
import { SqliteLockStore } from './sqlite-lock-store.ts'
import { SqliteProfileStore } from './sqlite-profile-store.ts'
import { startWorker } from './start-worker.ts'
import type { StoreClient, StoreEvents } from './store-client.ts'
import { WorkerClient } from './worker-client.ts'
import type { WorkerStoreOptions } from './worker-store.ts'

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
  const { bounds, slowMs, directory, onWarning, keepsProfiles } = resolveEngineOptions(options)
  const name = `sqlite:${options.path}`
  const workerOptions = { path: resolve(directory, options.path), name, bounds, slowMs }
  const events = {
    onWarning,
    onLock: (json: string) => lock.receive(json),
    onLockError: (error: Error) => lock.fail(error),
  }
  const thread = new WorkerClient(name, () => startWorker(workerOptions), {
    ...events,
    onRestart: () => lock.resume(),
  })
  const client = keepsProfiles ? thread : await clientOfThisThread(workerOptions, events)
  const lock = new SqliteLockStore(name, client)
  const close = async (): Promise<void> => {
    await Promise.all([client.close(), thread.close()])
  }
  try {
    await client.call('open')
  } catch (error) {
    await close()
    throw error
  }
  return {
    name,
    profiles: new SqliteProfileStore(name, thread),
    currencies: new SqliteCurrencyStore(name, client),
    lock,
    close,
  }
}

/** Loaded where it is wanted only: it brings all that works on the file, which a thread of its own loads for itself. */
async function clientOfThisThread(options: WorkerStoreOptions, events: StoreEvents): Promise<StoreClient> {
  const { DirectClient } = await import('./direct-client.ts')
  return new DirectClient(options, events)
}
