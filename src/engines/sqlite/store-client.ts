// How the stores of the main thread reach their file: a port with two sides, a worker thread and the calling thread itself.

import type { Operation } from './protocol.ts'

/** Runs operations on a file, somewhere. */
export interface StoreClient {
  /** JSON in, JSON out; `null` when nothing is there or nothing is to be said. Rejects with `EngineError`. */
  call(operation: Operation, texts?: readonly string[]): Promise<string | null>
  /** Begins to look for changes of the lock, or stops. `known` is the state that is no news, as JSON. */
  watchLock(isWatched: boolean, known?: string): void
  /** Lets open calls finish and lets go of the file; later calls reject with `ERR_STORE_CLOSED`. Never rejects. */
  close(): Promise<void>
}

/** What a client tells without being asked. */
export interface StoreEvents {
  onWarning(line: string): void
  /** The lock as JSON. */
  onLock(json: string): void
  onLockError(error: Error): void
}
