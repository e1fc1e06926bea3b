// Puts a method of ours before that of a single object of Node, where nobody who lists its properties sees it.

export function defineOwn(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, writable: true, configurable: true, enumerable: false })
}
