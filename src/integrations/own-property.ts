// Replaces a method of a single object of Node, without adding to the list of its properties.

export function defineOwn(target: object, name: string | symbol, value: unknown): void {
  Object.defineProperty(target, name, { value, writable: true, configurable: true, enumerable: false })
}
