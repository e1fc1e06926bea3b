// Values that are shown as one word, not opened: dates, buffers, functions, errors inside other values.

import { types } from 'node:util'
import { byteLength } from './builtin-parts.ts'
import { constructorName, cutText, isErrorValue, isReadable, ownValue } from './read-once.ts'

/** The word, or `undefined` for an object that is to be opened. Calls nothing of the object's own. */
export function describeAtom(value: object): string | undefined {
  if (types.isDate(value)) return describeDate(value)
  if (types.isRegExp(value)) return '[RegExp]'
  if (types.isPromise(value)) return '[Promise]'
  if (types.isWeakMap(value) || types.isWeakSet(value)) return `[${constructorName(value)}]`
  if (types.isAnyArrayBuffer(value) || ArrayBuffer.isView(value))
    return `${constructorName(value)}(${byteLength(value)} bytes)`
  if (types.isBoxedPrimitive(value)) return `[${constructorName(value)}]`
  return isErrorValue(value) ? describeInnerError(value) : undefined
}

/** `[Function show]`, `[class Product]` is `[Function Product]` too: telling them apart would read the source. */
export function describeFunction(value: object): string {
  if (!isReadable(value)) return '[Proxy]'
  const name = ownValue(value, 'name')?.value
  return typeof name === 'string' && name !== '' ? `[Function ${cutText(name, 200)}]` : '[Function]'
}

/** `404n`; numbers of more than 100 digits are not written out. */
export function describeBigInt(value: bigint): string {
  const limit = 10n ** 100n
  return value < limit && value > -limit ? `${value}n` : '[BigInt of more than 100 digits]'
}

function describeDate(value: Date): string {
  const time = Date.prototype.getTime.call(value)
  return Number.isNaN(time) ? 'Invalid Date' : new Date(time).toISOString()
}

function describeInnerError(error: object): string {
  const message = ownValue(error, 'message')?.value
  const name = constructorName(error) || 'Error'
  return typeof message === 'string' && message !== '' ? `[${name}: ${cutText(message, 200)}]` : `[${name}]`
}
