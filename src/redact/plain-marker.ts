// Names values that have no JSON form, and sorts objects into those whose members are read and those that only get a mark.
// Works with native checks and property descriptors, so no code of the value runs.

import { types } from 'node:util'

/** An object whose members can be read, or one that a mark stands for. */
export type DescribedObject =
  | { readonly kind: 'members'; readonly className: string }
  | { readonly kind: 'mark'; readonly text: string }

/** A mark for a value that is no object: `[undefined]`, `12n`, `[Function pay]`. */
export function markOf(value: bigint | symbol | undefined | Function): string {
  switch (typeof value) {
    case 'undefined':
      return '[undefined]'
    case 'bigint':
      return value < hugeBigInt && value > -hugeBigInt ? `${value}n` : '[BigInt of more than 300 digits]'
    case 'symbol':
      return `Symbol(${value.description ?? ''})`
    case 'function':
      return types.isProxy(value) ? '[Proxy]' : `[Function ${ownText(value, 'name') ?? ''}]`.replace(' ]', ']')
  }
}

/** Tells how an object is shown. A Proxy is never looked into. */
export function describeObject(value: object): DescribedObject {
  if (types.isProxy(value)) return mark('[Proxy]')
  if (types.isDate(value)) return mark(describeDate(value))
  if (types.isRegExp(value)) return mark(`[RegExp ${regExpSource.call(value)}]`)
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
const regExpSource = getterOf<string>(RegExp.prototype, 'source')
const dateTime = Date.prototype.getTime
const urlHref = getterOf<string>(URL.prototype, 'href')
const arrayLength = getterOf<number>(Object.getPrototypeOf(Uint8Array.prototype) as object, 'byteLength')
const dataViewLength = getterOf<number>(DataView.prototype, 'byteLength')

function mark(text: string): DescribedObject {
  return { kind: 'mark', text }
}

function describeDate(value: Date): string {
  const time = dateTime.call(value)
  return Number.isNaN(time) ? '[Invalid Date]' : new Date(time).toISOString()
}

function viewLength(view: ArrayBufferView): number {
  return types.isDataView(view) ? dataViewLength.call(view) : arrayLength.call(view)
}

function describeUrl(value: object): DescribedObject {
  try {
    return mark(urlHref.call(value))
  } catch {
    return { kind: 'members', className: 'URL' }
  }
}

function ownText(value: object, name: string): string | undefined {
  const text: unknown = Object.getOwnPropertyDescriptor(value, name)?.value
  return typeof text === 'string' ? text.slice(0, 200) : undefined
}

function getterOf<T>(prototype: object, name: string): (this: unknown) => T {
  return Object.getOwnPropertyDescriptor(prototype, name)?.get as (this: unknown) => T
}
