// Which exchange the running code belongs to, for code that is not handed one: captured calls, dump(). One store for
// everything, and only while something is recorded.

import { AsyncLocalStorage } from 'node:async_hooks'
import type { Exchange } from './exchange.ts'

const storage = new AsyncLocalStorage<Exchange | undefined>()

/** The exchange that the running code serves, or `undefined`: outside a request, or while nothing is recorded. */
export function currentExchange(): Exchange | undefined {
  return storage.getStore()
}

/** Runs `work`, and everything it starts, as a part of the exchange; as a part of none where it is `undefined`. */
export function runInExchange<T>(exchange: Exchange | undefined, work: () => T): T {
  return storage.run(exchange, work)
}

/**
 * Makes the running code a part of another exchange, or of none, until it is called again: for the two ends of a stretch of
 * code that somebody else runs.
 */
export function switchExchange(exchange: Exchange | undefined): void {
  storage.enterWith(exchange)
}

/** Runs `work`, and everything it starts, as a part of no exchange: for what a request sets off for the whole process. */
export function runOutsideExchanges<T>(work: () => T): T {
  return storage.exit(work)
}
