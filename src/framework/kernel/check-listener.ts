// Checks listeners: a method that is misspelt would never be called.

import { describe } from '../options/check-options.ts'
import { nearestName } from '../options/nearest-name.ts'
import { moments } from './listener-step.ts'

/** Names of the methods that are called. */
export const listenerMoments: ReadonlySet<string> = new Set(moments)

/** Throws a TypeError for a value that is not a listener, or has a method whose name is almost one of a listener. */
export function checkListener(place: string, listener: unknown): void {
  if (typeof listener === 'function') {
    throw new TypeError(`${place} is a function; a listener is an object: { name: 'login', onRequest(exchange) {} }`)
  }
  if (typeof listener !== 'object' || listener === null) {
    throw new TypeError(
      `${place} is ${describe(listener)}; allowed: an object such as { name: 'login', onRequest(exchange) {} }`,
    )
  }
  const { name } = listener as { readonly name?: unknown }
  if (typeof name !== 'string' || name === '') {
    throw new TypeError(
      `${place} has no name; a listener is an object such as { name: 'login', onRequest(exchange) {} }`,
    )
  }
  for (const method of methodsOf(listener)) {
    if (listenerMoments.has(method)) continue
    const near = nearestName(method, moments)
    if (near === null && !/^on[A-Z]/.test(method)) continue
    const advice = near === null ? `There are ${moments.join(', ')}.` : `Did you mean "${near}"?`
    throw new TypeError(`Listener "${name}" has a method "${method}", which is never called. ${advice}`)
  }
  for (const moment of moments) {
    const value: unknown = (listener as Readonly<Record<string, unknown>>)[moment]
    if (value === undefined || typeof value === 'function') continue
    throw new TypeError(`"${moment}" of listener "${name}" is ${describe(value)}; allowed: a function`)
  }
}

/** Names of an object's methods, its own and those of its classes. */
function methodsOf(listener: object): readonly string[] {
  const names: string[] = []
  for (let one = listener; one !== Object.prototype && one !== null; one = Object.getPrototypeOf(one) as object) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(one))) {
      if (typeof value === 'function' && name !== 'constructor') names.push(name)
    }
  }
  return names
}
