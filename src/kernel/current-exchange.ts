// Which exchange the running code belongs to, for code that is not handed one: captured calls, dump(). One store for
// everything, and only while something is recorded.

import { AsyncLocalStorage } from 'node:async_hooks'
import type { Exchange } from './exchange.ts'

const storage = new AsyncLocalStorage<Exchange>()

/** The exchange that the running code serves, or `undefined`: outside a request, or while nothing is recorded. */
export function currentExchange(): Exchange | undefined {
  return storage.getStore()
}

/** Runs `work`, and everything it starts, as a part of the exchange. */
export function runInExchange<T>(exchange: Exchange, work: () => T): T {
  return storage.run(exchange, work)
}
