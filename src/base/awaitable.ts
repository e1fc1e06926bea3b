// Values that may come later.

/** A value, or the promise of one. */
export type Awaitable<T> = T | Promise<T>

/** Tells a promise (or any thenable) from a value. */
export function isPromise<T>(value: Awaitable<T>): value is Promise<T> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}
