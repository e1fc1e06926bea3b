// Which exchange the running code belongs to, for code that does not get it as an argument: captured calls, dump(). One store for
// everything, and only while something is recorded. It is one for the process: compilers such as tsx load a module twice, once for
// `import` and once for `require`.

import { AsyncLocalStorage } from 'node:async_hooks'
import type { Exchange } from './exchange.ts'

const key = Symbol.for('fanlight.exchange.1')
const holder = globalThis as { [key]?: AsyncLocalStorage<Exchange | undefined> }
const storage = holder[key] ?? new AsyncLocalStorage<Exchange | undefined>()
Object.defineProperty(globalThis, key, { value: storage, configurable: true })

/** The exchange that the running code serves, or `undefined`: outside a request, or while nothing is recorded. */
export function currentExchange(): Exchange | undefined {
  return storage.getStore()
}

/** Runs `work`, and everything it starts, as a part of the exchange; as a part of none if it is `undefined`. */
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
