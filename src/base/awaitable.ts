// Values that may come later.

/** A value, or the promise of one. */
export type Awaitable<T> = T | Promise<T>

/** Tells a promise (or any thenable) from a value. */
export function isPromise<T>(value: Awaitable<T>): value is Promise<T> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}

/** Goes on with a value at once, and with that of a promise later. */
export function whenThere<T, U>(value: Awaitable<T>, next: (value: T) => Awaitable<U>): Awaitable<U> {
  return isPromise(value) ? later(value, next) : next(value)
}

async function later<T, U>(value: Promise<T>, next: (value: T) => Awaitable<U>): Promise<U> {
  return next(await value)
}

/** The first result that is not `undefined`, of items in turn. Waits only for promises. */
export function firstInTurn<Item, Result>(
  items: readonly Item[],
  ask: (item: Item) => Awaitable<Result | undefined>,
  from = 0,
): Awaitable<Result | undefined> {
  for (let index = from; index < items.length; index += 1) {
    const result = ask(items[index] as Item)
    if (isPromise(result)) return later(result, (value) => value ?? firstInTurn(items, ask, index + 1))
    if (result !== undefined) return result
  }
  return undefined
}
