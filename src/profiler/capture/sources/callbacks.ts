// What sources share: callbacks that stay in their request, events of libraries, row counts of SQL results.

import { currentExchange, runInExchange } from '../../../framework/kernel/current-exchange.ts'

/** A function of any arguments. */
export type Callback = (...args: unknown[]) => unknown

/** Narrows to a function. */
export function isCallback(value: unknown): value is Callback {
  return typeof value === 'function'
}

/** Binds a callback to the request that is running now, or to none: libraries call it in the context of another. */
export function inPlace(callback: Callback): Callback {
  const asker = currentExchange()
  return function run(this: unknown, ...args: unknown[]): unknown {
    const call = (): unknown => Reflect.apply(callback, this, args)
    return currentExchange() === asker ? call() : runInExchange(asker, call)
  }
}

/** An object of a library that emits events. */
export interface Emitter {
  on(event: never, listener: never): unknown
}

/** Listens to an event whose arguments this library cannot check. */
export function listen(emitter: Emitter, event: string, listener: (...args: never[]) => void): void {
  Reflect.apply(emitter.on, emitter, [event, listener])
}

/** Replaces a method on the object itself. */
export function define(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, writable: true, configurable: true })
}

/** Number of rows of an SQL result: length of a list, or `rowCount`, `affectedRows`, `changes`; else `null`. */
export function sqlRows(result: unknown): number | null {
  if (Array.isArray(result)) return result.length
  if (typeof result !== 'object' || result === null) return null
  for (const name of ['rowCount', 'affectedRows', 'changes', 'numAffectedRows']) {
    const count: unknown = Reflect.get(result, name)
    if (typeof count === 'number' || typeof count === 'bigint') return Number(count)
  }
  // `pg` sets `rowCount` to null for queries without rows, such as `BEGIN`.
  if (Reflect.get(result, 'rowCount') === null) return null
  const rows: unknown = Reflect.get(result, 'rows')
  return Array.isArray(rows) ? rows.length : null
}
