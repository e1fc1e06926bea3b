// How properties of objects that are observed are set.

/** Sets an own property: a method in the place of another one, or a mark. It is as hidden as it was, a new one wholly. */
export function define(target: object, name: string | symbol, value: unknown): void {
  Object.defineProperty(target, name, { value, writable: true, configurable: true })
}
