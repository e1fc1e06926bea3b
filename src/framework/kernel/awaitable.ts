// Values that may come later.

/** A value, or the promise of one. */
export type Awaitable<T> = T | Promise<T>

/** Tells a promise (or any thenable) from a value. */
export function isPromise<T>(value: Awaitable<T>): value is Promise<T> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}

/** Goes on with `next` now if the value is there, else when it is. */
export function andThen<T, U>(value: Awaitable<T>, next: (value: T) => Awaitable<U>): Awaitable<U> {
  return isPromise(value) ? value.then(next) : next(value)
}
