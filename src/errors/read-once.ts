// Reads thrown values, which may be hostile: each property at most once, and nothing of a Proxy.

import { types } from 'node:util'
import { isReadable, prototypeChain } from '../framework/redact/value-marks.ts'

/** Whether a value is an Error, also of another realm or made by `Object.create(Error.prototype)`. Never throws. */
export function isErrorValue(value: unknown): value is object {
  if (!isReadable(value)) return false
  return types.isNativeError(value) || prototypeChain(value).some((prototype) => prototype === Error.prototype)
}

/** A property, own or inherited; `undefined` if there is none, its getter throws, or a prototype is a Proxy. */
export function readOnce(object: object, key: string): { readonly value: unknown } | undefined {
  try {
    for (const holder of prototypeChain(object)) {
      const property = Object.getOwnPropertyDescriptor(holder, key)
      if (property === undefined) continue
      return { value: property.get === undefined ? property.value : Reflect.apply(property.get, object, []) }
    }
  } catch {
    // The getter threw.
  }
  return undefined
}
