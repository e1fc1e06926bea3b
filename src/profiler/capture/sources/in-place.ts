// Callbacks that a library calls later, from wherever it is then: here they stay a part of the request that handed them over.

import { currentExchange, runInExchange } from '../../../framework/kernel/current-exchange.ts'

/** A function of whatever arguments. */
export type Callback = (...args: unknown[]) => unknown

/** Whether a value can be called. */
export function isCallback(value: unknown): value is Callback {
  return typeof value === 'function'
}

/** The same callback, run as a part of the request that is running now; of none where none is. */
export function inPlace(callback: Callback): Callback {
  const asker = currentExchange()
  return function run(this: unknown, ...args: unknown[]): unknown {
    const call = (): unknown => Reflect.apply(callback, this, args)
    return currentExchange() === asker ? call() : runInExchange(asker, call)
  }
}
