// Describes a value without running any of its code, by native checks and property descriptors.

import { types } from 'node:util'
import { cutText } from './cut-text.ts'

/** An object whose members are shown, or one that is shown as a mark: `[Proxy]`, `[Uint8Array of 3 bytes]`. */
type DescribedObject =
  | { readonly kind: 'members'; readonly className: string }
  | { readonly kind: 'mark'; readonly text: string }

/** `12n`, `Symbol(id)`, `[Function pay]`. */
export function markOf(value: bigint | symbol | object): string {
  if (typeof value === 'symbol') return `Symbol(${value.description ?? ''})`
  if (typeof value === 'bigint') {
    return value < hugeBigInt && value > -hugeBigInt ? `${value}n` : '[BigInt of more than 300 digits]'
  }
  if (!isReadable(value)) return '[Proxy]'
  const name = ownName(value)
  return name === '' ? '[Function]' : `[Function ${name}]`
}

const hugeBigInt = 10n ** 300n

/** Throws for what cannot be read, such as a detached DataView. */
export function describeObject(value: object): DescribedObject {
  if (types.isProxy(value)) return mark('[Proxy]')
  // Nearly every object is a plain one or a list.
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype === Array.prototype && Array.isArray(value)) return plainList
  if (prototype === Object.prototype && !ArrayBuffer.isView(value)) return plainObject
  if (types.isDate(value)) return mark(describeDate(value))
  if (types.isRegExp(value)) return mark(`[RegExp ${String(native(RegExp.prototype, 'source', value))}]`)
  const className = classNameOf(value)
  if (types.isAnyArrayBuffer(value) || ArrayBuffer.isView(value)) {
    return mark(`[${className} of ${byteLength(value)} bytes]`)
  }
  if (types.isPromise(value)) return mark('[Promise]')
  if (types.isWeakMap(value) || types.isWeakSet(value)) return mark(`[${className}]`)
  if (types.isModuleNamespaceObject(value)) return mark('[Module]')
  if (types.isBoxedPrimitive(value)) return mark(`[${className} object]`)
  return className === 'URL' ? describeUrl(value) : { kind: 'members', className }
}

const plainObject: DescribedObject = { kind: 'members', className: 'Object' }
const plainList: DescribedObject = { kind: 'members', className: 'Array' }

function mark(text: string): DescribedObject {
  return { kind: 'mark', text }
}

function describeDate(value: Date): string {
  const time = Date.prototype.getTime.call(value)
  return Number.isNaN(time) ? '[Invalid Date]' : new Date(time).toISOString()
}

function describeUrl(value: object): DescribedObject {
  try {
    return mark(String(native(URL.prototype, 'href', value)))
  } catch {
    return { kind: 'members', className: 'URL' }
  }
}

const typedArrayPrototype: object = Object.getPrototypeOf(Uint8Array.prototype)

function byteLength(value: ArrayBufferLike | ArrayBufferView): number {
  if (types.isArrayBuffer(value)) return Number(native(ArrayBuffer.prototype, 'byteLength', value))
  if (types.isSharedArrayBuffer(value)) return Number(native(SharedArrayBuffer.prototype, 'byteLength', value))
  return Number(native(types.isDataView(value) ? DataView.prototype : typedArrayPrototype, 'byteLength', value))
}

/** Calls the built-in accessor of a class. An instance may override it, and the override must not run. */
export function native(prototype: object, name: string, instance: object): unknown {
  return Reflect.get(prototype, name, instance)
}

/** An object or function, but not a Proxy. */
export function isReadable(value: unknown): value is object {
  return ((typeof value === 'object' && value !== null) || typeof value === 'function') && !types.isProxy(value)
}

/** An object and its prototypes, up to a Proxy. */
export function* prototypeChain(value: object): Generator<object> {
  let holder: unknown = value
  for (let depth = 0; depth < 50 && isReadable(holder); depth += 1) {
    yield holder
    holder = Object.getPrototypeOf(holder)
  }
}

/** Class of an object, by the `constructor` of its prototypes; `otherwise` without one. */
export function classNameOf(value: object, otherwise = 'Object'): string {
  const first: unknown = Object.getPrototypeOf(value)
  if (!isReadable(first)) return otherwise
  for (const prototype of prototypeChain(first)) {
    const maker = ownValue(prototype, 'constructor')
    const name = typeof maker === 'function' && isReadable(maker) ? ownName(maker) : ''
    if (name !== '') return name
  }
  return otherwise
}

/** Value of an own data property; `undefined` for a getter or a missing property. */
export function ownValue(object: object, key: string | number): unknown {
  return Object.getOwnPropertyDescriptor(object, key)?.value
}

function ownName(maker: object): string {
  const name = ownValue(maker, 'name')
  return typeof name === 'string' ? cutText(name, 200) : ''
}
