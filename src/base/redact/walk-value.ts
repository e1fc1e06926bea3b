// Walks any value without running its code: no getter, `toJSON`, iterator override or Proxy trap. A masker decides what is
// hidden, limits how much is kept, and a printer what the output is.

import { types } from 'node:util'
import { isPairedValue } from './sensitive-key.ts'
import { cutText } from './cut-text.ts'
import { mask } from './rules.ts'

/** How much of a value is kept. A mark shows where something was left out. */
export interface ValueLimits {
  /** Levels of nesting. Default 6. */
  readonly maxDepth?: number
  /** Keys of one object, members of one array. Default 100. */
  readonly maxKeys?: number
  /** Characters of one string. Default 4096. */
  readonly maxStringLength?: number
  /** Characters of all keys and strings together. Default 65536. */
  readonly maxTotalLength?: number
  /** Whether errors have their stack and lack members that are undefined, as logs want them. Default: no. */
  readonly errorStacks?: boolean
}

export interface ValueMasker {
  /** Whether this value under this key is masked, whole subtree included. `hasSibling` tells whether the same object has a key. */
  isMaskedKey(key: string, hasSibling?: (key: string) => boolean, value?: unknown): boolean
  /** A string with its secrets masked, at most `maxLength` characters long (and a mark). */
  maskString(text: string, maxLength: number): string
  /** Whether a number is a secret by its digits. */
  isMaskedNumber(value: number): boolean
}

/** Masks nothing and only cuts. */
export const showsAll: ValueMasker = {
  isMaskedKey: () => false,
  maskString: cutText,
  isMaskedNumber: () => false,
}

/** Makes the output. `head` is the class of an object, `Map(2)` with its size; empty for plain objects and lists. */
export interface ValuePrinter<Out> {
  /** Whether `head` is shown; otherwise the `name` of an error is listed with its members. */
  readonly showsHead: boolean
  string(text: string): Out
  constant(value: number | boolean | null | undefined): Out
  /** `[Getter]`, `12n`, `[3 more]`. */
  mark(text: string): Out
  /** Members that were left out. Default: a mark. */
  more?(count: number): Out
  /** An object inside itself, by its levels from the top. Default: a mark. */
  circular?(level: number): Out
  /** An object below `maxDepth`. Default: a mark. */
  deep?(className: string): Out
  list(head: string, items: readonly Out[]): Out
  record(head: string, fields: readonly (readonly [name: string, value: Out])[]): Out
  map(head: string, entries: readonly (readonly [key: Out, value: Out])[]): Out
}

/** Walks one value. Never throws: what cannot be read is `[Unreadable]`. */
export class ValueWalker<Out> {
  readonly #printer: ValuePrinter<Out>
  readonly #masker: ValueMasker
  readonly #maxDepth: number
  readonly #maxKeys: number
  readonly #maxStringLength: number
  readonly #errorStacks: boolean
  readonly #ancestors: object[] = []
  #budget: number

  constructor(printer: ValuePrinter<Out>, limits: ValueLimits, masker: ValueMasker) {
    this.#printer = printer
    this.#masker = masker
    this.#maxDepth = limits.maxDepth ?? 6
    this.#maxKeys = limits.maxKeys ?? 100
    this.#maxStringLength = limits.maxStringLength ?? 4096
    this.#errorStacks = limits.errorStacks ?? false
    this.#budget = limits.maxTotalLength ?? 65_536
  }

  value(value: unknown): Out {
    this.#budget -= 8
    switch (typeof value) {
      case 'string':
        return this.#text(value, 'string')
      case 'number':
        return this.#masker.isMaskedNumber(value) ? this.#printer.mark(mask) : this.#printer.constant(value)
      case 'boolean':
      case 'undefined':
        return this.#printer.constant(value)
      case 'object':
        return value === null ? this.#printer.constant(null) : this.#object(value)
      case 'bigint':
      case 'symbol':
      case 'function':
        return this.#text(markOf(value), 'mark')
    }
  }

  /** The value of an own property: masked by its name, `[Getter]`, or read. */
  property(holder: object, key: string): Out {
    const property = Object.getOwnPropertyDescriptor(holder, key)
    const value: unknown = property?.value
    const isMasked =
      mayBeSecret(value) &&
      (this.#masker.isMaskedKey(key, (sibling) => Object.hasOwn(holder, sibling), value) ||
        (valueNames.has(key) && pairNames.some((name) => this.#isMaskedName(ownValue(holder, name)))))
    return isMasked ? this.#printer.mark(mask) : this.#read(property)
  }

  #isMaskedName(name: unknown): boolean {
    return typeof name === 'string' && this.#masker.isMaskedKey(name)
  }

  #isEntry(name: unknown, value: unknown): boolean {
    return this.#isMaskedName(name) && mayBeSecret(value) && isPairedValue(String(name), value)
  }

  #own(holder: object, key: string | number): Out {
    return this.#read(Object.getOwnPropertyDescriptor(holder, key))
  }

  #read(property: PropertyDescriptor | undefined): Out {
    if (property === undefined) return this.#printer.mark('[empty]')
    if ('value' in property) return this.value(property.value)
    return this.#printer.mark(property.get === undefined ? '[Setter]' : '[Getter]')
  }

  #text(text: string, kind: 'string' | 'mark'): Out {
    if (this.#budget <= 0) return this.#printer.mark('[left out]')
    const shown = this.#masker.maskString(text, Math.min(this.#maxStringLength, this.#budget))
    this.#budget -= shown.length
    return this.#printer[kind](shown)
  }

  #object(value: object): Out {
    try {
      const described = describeObject(value)
      if (described.kind === 'mark') return this.#text(described.text, 'mark')
      const { className } = described
      const level = this.#ancestors.indexOf(value)
      if (level >= 0) return this.#printer.circular?.(level) ?? this.#printer.mark('[Circular]')
      if (this.#ancestors.length >= this.#maxDepth) {
        return this.#printer.deep?.(className) ?? this.#printer.mark(`[${className}]`)
      }
      this.#ancestors.push(value)
      try {
        return this.#members(value, className)
      } finally {
        this.#ancestors.pop()
      }
    } catch {
      return this.#printer.mark('[Unreadable]')
    }
  }

  #members(value: object, className: string): Out {
    if (Array.isArray(value)) return this.#array(value, className)
    if (types.isSet(value)) return this.#set(value, className)
    return types.isMap(value) ? this.#map(value, className) : this.#record(value, className)
  }

  #array(array: readonly unknown[], className: string): Out {
    const items: Out[] = []
    const length = Math.min(array.length, this.#maxKeys)
    // `['password', '…']`: an entry of an object.
    if (array.length === 2 && this.#isEntry(ownValue(array, 0), ownValue(array, 1))) {
      return this.#printer.list('', [this.#own(array, 0), this.#printer.mark(mask)])
    }
    for (let index = 0; index < length && this.#budget > 0; index += 1) items.push(this.#own(array, index))
    if (items.length < array.length) items.push(this.#more(array.length - items.length))
    return this.#printer.list(className === 'Array' ? '' : className, items)
  }

  #set(set: ReadonlySet<unknown>, className: string): Out {
    const items: Out[] = []
    const size = Number(native(Set.prototype, 'size', set))
    for (const item of Set.prototype.values.call(set)) {
      if (items.length >= this.#maxKeys || this.#budget <= 0) break
      items.push(this.value(item))
    }
    if (items.length < size) items.push(this.#more(size - items.length))
    return this.#printer.list(`${className}(${size})`, items)
  }

  #map(map: ReadonlyMap<unknown, unknown>, className: string): Out {
    const entries: [Out, Out][] = []
    const size = Number(native(Map.prototype, 'size', map))
    const hasSibling = (sibling: string): boolean => Map.prototype.has.call(map, sibling)
    for (const [key, value] of Map.prototype.entries.call(map)) {
      if (entries.length >= this.#maxKeys || this.#budget <= 0) break
      const isMasked = typeof key === 'string' && mayBeSecret(value) && this.#masker.isMaskedKey(key, hasSibling, value)
      const shownKey = typeof key === 'string' ? this.#printer.string(this.#key(key)) : this.value(key)
      entries.push([shownKey, isMasked ? this.#printer.mark(mask) : this.value(value)])
    }
    if (entries.length < size) entries.push([this.#printer.mark('…'), this.#more(size - entries.length)])
    return this.#printer.map(`${className}(${size})`, entries)
  }

  #record(value: object, className: string): Out {
    const isError = types.isNativeError(value)
    const hasStack = isError && this.#errorStacks
    const keys = hasStack ? Object.keys(value).filter((key) => !isUndefined(value, key)) : Object.keys(value)
    const first = hasStack ? loggedErrorKeys : errorKeys
    const names = isError ? new Set([...first, ...keys.slice(0, this.#maxKeys)]) : keys
    const fields: [string, Out][] = []
    let missing = keys.length
    for (const key of names) {
      if (fields.length >= this.#maxKeys || this.#budget <= 0) break
      if (hasStack && key === 'stack') fields.push([key, this.value(stackOf(value) ?? '')])
      else if (!isError || Object.hasOwn(value, key)) fields.push([this.#key(key), this.property(value, key)])
      else if (key === 'name' && !this.#printer.showsHead) fields.push([key, this.#printer.string(className)])
      if (!isError || Object.prototype.propertyIsEnumerable.call(value, key)) missing -= 1
    }
    if (missing > 0) fields.push(['…', this.#more(missing)])
    const isPlain = className === 'Object'
    if (fields.length === 0 && !isPlain) return this.#printer.mark(`[${className}]`)
    return this.#printer.record(isPlain ? '' : className, fields)
  }

  #key(key: string): string {
    // No secret can be recognized that is this short.
    const shown = key.length <= 12 ? key : this.#masker.maskString(key, 200)
    this.#budget -= shown.length
    return shown
  }

  #more(count: number): Out {
    return this.#printer.more?.(count) ?? this.#printer.mark(`[${count} more]`)
  }
}

const errorKeys = ['name', 'message', 'cause']
const loggedErrorKeys = ['name', 'message', 'stack', 'cause', 'errors']

function isUndefined(holder: object, key: string): boolean {
  const property = Object.getOwnPropertyDescriptor(holder, key)
  return property !== undefined && 'value' in property && property.value === undefined
}

const nativeStack = Object.getOwnPropertyDescriptor(new Error(), 'stack')?.get

/** The stack is a value or an accessor of V8, by version. Another accessor is not called. */
function stackOf(error: object): unknown {
  const property = Object.getOwnPropertyDescriptor(error, 'stack')
  if (property?.get === undefined) return property?.value
  return property.get === nativeStack ? Reflect.apply(property.get, error, []) : '[Getter]'
}

/** `{ name: 'password', value: '…' }` */
const pairNames: readonly string[] = ['name', 'key', 'field', 'header', 'param']
const valueNames: ReadonlySet<string> = new Set(['value', 'val', 'values'])

/** `private: false` and `token: null` say what is wrong and give nothing away. */
function mayBeSecret(value: unknown): boolean {
  return typeof value !== 'boolean' && value !== null
}

/** The value in about `maxLength` characters. Never throws. */
export function describeValue(value: unknown, maxLength = 4096, masker: ValueMasker = showsAll): string {
  return cutText(textWalker(maxLength, masker).value(value), maxLength)
}

/** An own property, masked by its name: `404`, `******`, `[Getter]`. */
export function describeProperty(holder: object, key: string, maxLength: number, masker: ValueMasker): string {
  return cutText(textWalker(maxLength, masker).property(holder, key), maxLength)
}

/** Room for quotes and the mark of a cut string, so that the line is not cut again. */
const markLength = 40

function textWalker(maxLength: number, masker: ValueMasker): ValueWalker<string> {
  return new ValueWalker(textPrinter, { maxTotalLength: maxLength - markLength }, masker)
}

const textPrinter: ValuePrinter<string> = {
  showsHead: true,
  string: (text) => JSON.stringify(text),
  constant: (value) => (Object.is(value, -0) ? '-0' : String(value)),
  mark: (text) => text,
  list: (head, items) => `${spaced(head)}[${items.join(', ')}]`,
  record: (head, fields) => spaced(head) + braced(fields.map(([name, value]) => `${quoted(name)}: ${value}`)),
  map: (head, entries) => spaced(head) + braced(entries.map(([key, value]) => `${key} => ${value}`)),
}

function spaced(head: string): string {
  return head === '' ? '' : `${head} `
}

function braced(parts: readonly string[]): string {
  return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`
}

function quoted(name: string): string {
  return /^(?:[A-Za-z_$][\w$]*|…)$/.test(name) ? name : JSON.stringify(name)
}

/** An object whose members are shown, or one that is shown as a mark: `[Proxy]`, `[Uint8Array of 3 bytes]`. */
type DescribedObject =
  | { readonly kind: 'members'; readonly className: string }
  | { readonly kind: 'mark'; readonly text: string }

/** `12n`, `Symbol(id)`, `[Function pay]`. */
function markOf(value: bigint | symbol | object): string {
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
function describeObject(value: object): DescribedObject {
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
function native(prototype: object, name: string, instance: object): unknown {
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
