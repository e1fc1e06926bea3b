// Names values that have no JSON form, and sorts objects into those whose members are read and those that only get a mark.
// Works with native checks and property descriptors, so no code of the value runs.

import { types } from 'node:util'

/** An object whose members can be read, or one that a mark stands for. */
export type DescribedObject =
  | { readonly kind: 'members'; readonly className: string }
  | { readonly kind: 'mark'; readonly text: string }

/** A mark for a value that is neither object nor JSON: `[undefined]`, `12n`, `[Function pay]`. */
export function markOf(value: unknown): string {
  if (value === undefined) return '[undefined]'
  if (typeof value === 'symbol') return `Symbol(${value.description ?? ''})`
  if (typeof value === 'bigint') {
    return value < hugeBigInt && value > -hugeBigInt ? `${value}n` : '[BigInt of more than 300 digits]'
  }
  if (typeof value !== 'function') return `[${typeof value}]`
  if (types.isProxy(value)) return '[Proxy]'
  const name = ownText(value, 'name') ?? ''
  return name === '' ? '[Function]' : `[Function ${name}]`
}

/** Tells how an object is shown. A Proxy is never looked into. */
export function describeObject(value: object): DescribedObject {
  if (types.isProxy(value)) return mark('[Proxy]')
  // Nearly every object is a plain one or a list.
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype === Array.prototype && Array.isArray(value)) return plainList
  if (prototype === Object.prototype && !ArrayBuffer.isView(value)) return plainObject
  if (types.isDate(value)) return mark(describeDate(value))
  if (types.isRegExp(value)) return mark(`[RegExp ${String(native(RegExp.prototype, 'source', value))}]`)
  if (types.isAnyArrayBuffer(value))
    return mark(types.isSharedArrayBuffer(value) ? '[SharedArrayBuffer]' : '[ArrayBuffer]')
  const className = classNameOf(value)
  if (ArrayBuffer.isView(value)) return mark(`[${className} of ${viewLength(value)} bytes]`)
  if (types.isPromise(value)) return mark('[Promise]')
  if (types.isWeakMap(value) || types.isWeakSet(value)) return mark(`[${className}]`)
  if (types.isModuleNamespaceObject(value)) return mark('[Module]')
  if (types.isBoxedPrimitive(value)) return mark(`[${className} object]`)
  return className === 'URL' ? describeUrl(value) : { kind: 'members', className }
}

const plainObject: DescribedObject = { kind: 'members', className: 'Object' }
const plainList: DescribedObject = { kind: 'members', className: 'Array' }

/** Name of the class of an object, read from its prototypes' own data; `Object` where none can be told. */
export function classNameOf(value: object): string {
  let prototype: object | null = Object.getPrototypeOf(value) as object | null
  for (let steps = 0; prototype !== null && steps < 20; steps += 1) {
    if (types.isProxy(prototype)) return 'Object'
    const maker: unknown = Object.getOwnPropertyDescriptor(prototype, 'constructor')?.value
    if (typeof maker === 'function' && !types.isProxy(maker)) {
      const name = ownText(maker, 'name')
      if (name !== undefined && name !== '') return name
    }
    prototype = Object.getPrototypeOf(prototype) as object | null
  }
  return 'Object'
}

const hugeBigInt = 10n ** 300n
const typedArrayPrototype = Object.getPrototypeOf(Uint8Array.prototype) as object

/** What the built-in accessor of a class says about an instance, which may hide it behind one of its own that must not run. */
export function native(prototype: object, name: string, instance: object): unknown {
  return Reflect.get(prototype, name, instance)
}

function mark(text: string): DescribedObject {
  return { kind: 'mark', text }
}

function describeDate(value: Date): string {
  const time = Date.prototype.getTime.call(value)
  return Number.isNaN(time) ? '[Invalid Date]' : new Date(time).toISOString()
}

function viewLength(view: ArrayBufferView): number {
  return Number(native(types.isDataView(view) ? DataView.prototype : typedArrayPrototype, 'byteLength', view))
}

function describeUrl(value: object): DescribedObject {
  try {
    return mark(String(native(URL.prototype, 'href', value)))
  } catch {
    return { kind: 'members', className: 'URL' }
  }
}

function ownText(value: object, name: string): string | undefined {
  const text: unknown = Object.getOwnPropertyDescriptor(value, name)?.value
  return typeof text === 'string' ? text.slice(0, 200) : undefined
}
