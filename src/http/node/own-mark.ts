// Tells the servers, listeners and requests of applications of this library from all others, for all copies of it in a process.

const own: unique symbol = Symbol.for('fanlight.own')

export function markOwn(object: object): void {
  Object.defineProperty(object, own, { value: true })
}

export function isOwn(object: object): boolean {
  return Object.hasOwn(object, own)
}
