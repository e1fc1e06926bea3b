// Touches values that may be hostile: each property is read at most once, own getters are not called, Proxies are left
// alone. Everything else in this folder sees a thrown value only through these functions.

import { types } from 'node:util'

/**
 * Longer texts are not looked into, not even at their beginning: one that was put together of parts is first made one piece,
 * which takes as long as it is.
 */
export const maxReadChars: number = 32 * 1024 * 1024

/** What came of reading a property; `undefined` where reading threw. */
export interface ReadValue {
  readonly value: unknown
}

/** Whether a value may be looked into: an object or function that is no Proxy. */
export function isReadable(value: unknown): value is object {
  return ((typeof value === 'object' && value !== null) || typeof value === 'function') && !types.isProxy(value)
}

/**
 * Whether a value is an Error, of this realm or another one, or made by `Object.create(Error.prototype)`. Never
 * throws.
 */
export function isErrorValue(value: unknown): value is object {
  if (!isReadable(value)) return false
  return types.isNativeError(value) || hasErrorPrototype(value)
}

/**
 * Reads a property, own or inherited, once; `undefined` where there is none, where its getter throws, and where a Proxy
 * among the prototypes would have to be asked.
 */
export function readOnce(object: object, key: string): ReadValue | undefined {
  try {
    let holder: unknown = object
    for (let depth = 0; depth < maxPrototypes && isReadable(holder); depth += 1) {
      const descriptor = Object.getOwnPropertyDescriptor(holder, key)
      if (descriptor !== undefined) return { value: valueOf(descriptor, object) }
      holder = Object.getPrototypeOf(holder)
    }
  } catch {
    // A getter threw: the property cannot be read.
  }
  return undefined
}

/** Value of an own data property; `undefined` where there is none or where it is a getter. */
export function ownValue(object: object, key: string): ReadValue | undefined {
  const descriptor = Object.getOwnPropertyDescriptor(object, key)
  return descriptor !== undefined && 'value' in descriptor ? { value: descriptor.value } : undefined
}

/** Name of the class of an object, from its prototype's own `constructor`; empty where there is none. Calls nothing. */
export function constructorName(object: object): string {
  let prototype: unknown = Object.getPrototypeOf(object)
  for (let depth = 0; depth < maxPrototypes && isReadable(prototype); depth += 1) {
    const made = ownValue(prototype, 'constructor')?.value
    if (typeof made === 'function' && isReadable(made)) {
      const name = ownValue(made, 'name')?.value
      if (typeof name === 'string' && name !== '') return cutText(name, 200)
    }
    prototype = Object.getPrototypeOf(prototype)
  }
  return ''
}

/** At most `maxChars` of a text, with a mark that says how long it was. */
export function cutText(text: string, maxChars: number): string {
  if (text.length > maxReadChars) return `[text of ${text.length} characters, too long to be read]`
  if (text.length <= maxChars) return text
  return `${text.slice(0, maxChars)}… (cut, ${text.length} characters in all)`
}

const maxPrototypes = 50

function valueOf(descriptor: PropertyDescriptor, receiver: object): unknown {
  return descriptor.get === undefined ? descriptor.value : Reflect.apply(descriptor.get, receiver, [])
}

function hasErrorPrototype(value: object): boolean {
  let prototype: unknown = Object.getPrototypeOf(value)
  for (let depth = 0; depth < maxPrototypes && isReadable(prototype); depth += 1) {
    if (prototype === Error.prototype) return true
    prototype = Object.getPrototypeOf(prototype)
  }
  return false
}
