// Runs operations in the thread that asks: one small record now and then, for which a thread would cost 17 MB and a third of a
// start. Waits for another process by timers.

import { performance } from 'node:perf_hooks'
import { EngineError } from '../engine-error.ts'
import type { SmallOperation } from './protocol.ts'
import { isBusy, toEngineError } from './sqlite-failure.ts'
import { WorkerStore, type WorkerStoreOptions } from './worker-store.ts'

/** What the client tells without being asked. */
export interface StoreEvents {
  onWarning(line: string): void
  /** The lock as JSON. */
  onLock(json: string): void
  onLockError(error: Error): void
}

/** How long a call waits for other processes in all, in milliseconds. */
const patienceMs = 5000

/** How often the lock is looked at while somebody watches it, in milliseconds. One look reads no page of the file. */
const watchEveryMs = 250

/** One file, opened with the first call. Does not keep the process alive. */
export class DirectClient {
  readonly #name: string
  readonly #store: WorkerStore
  readonly #events: StoreEvents
  readonly #open = new Set<Promise<unknown>>()
  #watchTimer: NodeJS.Timeout | undefined
  #lastProblem = ''
  #closing: Promise<void> | undefined

  constructor(options: WorkerStoreOptions, events: StoreEvents) {
    this.#name = options.name
    this.#store = new WorkerStore(options, (line) => events.onWarning(line))
    this.#events = events
  }

  /** Runs an operation: JSON in, JSON out; `null` when nothing is there or nothing is to be said. Rejects with `EngineError`. */
  call(operation: SmallOperation, texts: readonly string[] = []): Promise<string | null> {
    if (this.#closing !== undefined) {
      return Promise.reject(new EngineError('ERR_STORE_CLOSED', `The store "${this.#name}" is closed.`))
    }
    const running = this.#run(operation, texts)
    this.#open.add(running)
    const forget = (): void => void this.#open.delete(running)
    running.then(forget, forget)
    return running
  }

  /** Begins to look for changes of the lock, or stops. */
  watchLock(isWatched: boolean): void {
    clearInterval(this.#watchTimer)
    this.#watchTimer = undefined
    if (!isWatched || this.#closing !== undefined) return
    this.#watchTimer = setInterval(() => this.#lookAtLock(), watchEveryMs).unref()
    this.#lookAtLock()
  }

  /** Lets open calls finish and lets go of the file; later calls reject with `ERR_STORE_CLOSED`. Never rejects. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    clearInterval(this.#watchTimer)
    await Promise.allSettled(this.#open)
    try {
      this.#store.close()
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      this.#events.onWarning(`The store "${this.#name}" was not closed in order: ${why}`)
    }
  }

  async #run(operation: SmallOperation, texts: readonly string[]): Promise<string | null> {
    const giveUpAt = performance.now() + patienceMs
    try {
      const run = this.#store.prepare(operation, texts)
      for (;;) {
        try {
          return run()
        } catch (error) {
          if (!isBusy(error) || performance.now() > giveUpAt) throw error
        }
        await new Promise((resolve) => setTimeout(resolve, 5 + Math.random() * 20))
      }
    } catch (error) {
      throw toEngineError(error, this.#name)
    }
  }

  /** Tells of a lock that may have changed; of a failure once. Whether it is news is for the listener to judge. */
  #lookAtLock(): void {
    try {
      const state = this.#store.changedLock()
      this.#lastProblem = ''
      if (state !== undefined) this.#events.onLock(JSON.stringify(state))
    } catch (thrown) {
      if (isBusy(thrown)) return
      const error = toEngineError(thrown, this.#name)
      if (error.message === this.#lastProblem) return
      this.#lastProblem = error.message
      this.#events.onLockError(error)
    }
  }
}
