// Turns any value into plain, bounded JSON data without trusting it: no getter, `toJSON`, iterator override or Proxy trap of
// the value is ever run. What may be shown and what is masked is decided by the caller's masker, before anything is cut.

import { types } from 'node:util'
import { describeObject, markOf, native } from './plain-marker.ts'

/** A JSON value. Objects of it inherit nothing, because their keys come from outside. */
export type PlainValue =
  | string
  | number
  | boolean
  | null
  | readonly PlainValue[]
  | { readonly [key: string]: PlainValue }

/** How much of a value is kept; a visible mark stands where something was left out. */
export interface PlainLimits {
  /** Levels of nesting. Default 6. */
  readonly maxDepth?: number
  /** Keys of one object, members of one array. Default 100. */
  readonly maxKeys?: number
  /** Characters of one string. Default 4096. */
  readonly maxStringLength?: number
  /** Characters of all keys and strings together. Default 65536. */
  readonly maxTotalLength?: number
}

/** Says what is masked while a value is made plain. */
export interface ValueMasker {
  /** Whether the value under this key is masked, whole subtree included. `siblings` tells whether the same object has a key. */
  isMaskedKey(key: string, hasSibling: (key: string) => boolean): boolean
  /** A string with its secrets masked, at most `maxLength` characters long (and a mark). */
  maskString(text: string, maxLength: number): string
  /** Whether a number is a secret by its digits. */
  isMaskedNumber(value: number): boolean
  /** What stands for something masked. */
  readonly mask: string
}

/** Makes a value plain. Never throws; whatever cannot be read becomes a mark in square brackets, `[Getter]`. */
export function toPlainValue(value: unknown, limits: PlainLimits = {}, masker: ValueMasker = keepsAll): PlainValue {
  return new PlainReader(limits, masker).read(value, 0)
}

/** Shows everything and only cuts. */
const keepsAll: ValueMasker = {
  isMaskedKey: () => false,
  maskString: (text, maxLength) => cutText(text, maxLength),
  isMaskedNumber: () => false,
  mask: '******',
}

/** A text of at most `maxLength` characters; a longer one ends with a mark that says how much was cut. No surrogate pair is split. */
export function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  const last = text.charCodeAt(maxLength - 1)
  const end = last >= 0xd800 && last <= 0xdbff ? maxLength - 1 : maxLength
  return `${text.slice(0, end)}… [${text.length - end} more characters]`
}

/** A key as it is shown: with its secrets masked, where it is long enough to hold one, and cut. */
export function shownKey(key: string, masker: ValueMasker): string {
  return key.length <= 12 ? key : masker.maskString(key, 200)
}

class PlainReader {
  readonly #maxDepth: number
  readonly #maxKeys: number
  readonly #maxStringLength: number
  readonly #masker: ValueMasker
  readonly #ancestors: object[] = []
  #budget: number

  constructor(limits: PlainLimits, masker: ValueMasker) {
    this.#maxDepth = limits.maxDepth ?? 6
    this.#maxKeys = limits.maxKeys ?? 100
    this.#maxStringLength = limits.maxStringLength ?? 4096
    this.#budget = limits.maxTotalLength ?? 65_536
    this.#masker = masker
  }

  read(value: unknown, depth: number): PlainValue {
    this.#budget -= 8
    if (typeof value === 'string') return this.#readString(value)
    if (typeof value === 'number') {
      if (this.#masker.isMaskedNumber(value)) return this.#masker.mask
      return Number.isFinite(value) ? value : `[${String(value)}]`
    }
    if (typeof value === 'boolean' || value === null) return value
    if (typeof value === 'object') return this.#readObject(value, depth)
    return this.#readString(markOf(value))
  }

  #readString(text: string): string {
    if (this.#budget <= 0) return '[left out]'
    const shown = this.#masker.maskString(text, Math.min(this.#maxStringLength, this.#budget))
    this.#budget -= shown.length
    return shown
  }

  #readObject(value: object, depth: number): PlainValue {
    try {
      const described = describeObject(value)
      if (described.kind === 'mark') return this.#readString(described.text)
      if (this.#ancestors.includes(value)) return '[Circular]'
      if (depth >= this.#maxDepth) return `[${described.className}]`
      this.#ancestors.push(value)
      try {
        return this.#readMembers(value, described.className, depth)
      } finally {
        this.#ancestors.pop()
      }
    } catch {
      return '[Unreadable]'
    }
  }

  #readMembers(value: object, className: string, depth: number): PlainValue {
    if (Array.isArray(value)) return this.#readArray(value, depth)
    if (types.isMap(value)) return this.#readMap(value, depth)
    if (types.isSet(value)) return this.#readSet(value, depth)
    if (types.isNativeError(value)) {
      const keys = Object.keys(value)
      const first = ['name', 'message', 'cause']
      const others = keys.slice(0, this.#maxKeys + first.length)
      const names = new Set([...first, ...others])
      return this.#readFields(
        value,
        { names: [...names], count: names.size + keys.length - others.length },
        className,
        depth,
      )
    }
    const keys = Object.keys(value)
    return this.#readFields(value, { names: keys, count: keys.length }, className, depth)
  }

  #readArray(array: readonly unknown[], depth: number): PlainValue {
    const length = Math.min(array.length, this.#maxKeys)
    const result: PlainValue[] = []
    for (let index = 0; index < length && this.#budget > 0; index += 1) {
      const property = Object.getOwnPropertyDescriptor(array, index)
      result.push(property === undefined ? '[empty]' : this.#readProperty(property, depth))
    }
    if (result.length < array.length) result.push(`[${array.length - result.length} more]`)
    return result
  }

  #readSet(set: ReadonlySet<unknown>, depth: number): PlainValue {
    const result: PlainValue[] = []
    const size = Number(native(Set.prototype, 'size', set))
    for (const member of { [Symbol.iterator]: () => Set.prototype.values.call(set) }) {
      if (result.length >= this.#maxKeys || this.#budget <= 0) break
      result.push(this.read(member, depth + 1))
    }
    if (result.length < size) result.push(`[${size - result.length} more]`)
    return result
  }

  #readMap(map: ReadonlyMap<unknown, unknown>, depth: number): PlainValue {
    const result = new PlainRecord()
    const size = Number(native(Map.prototype, 'size', map))
    let count = 0
    for (const [key, member] of { [Symbol.iterator]: () => Map.prototype.entries.call(map) }) {
      if (count >= this.#maxKeys || this.#budget <= 0) break
      count += 1
      const name = typeof key === 'string' ? key : plainKey(this.read(key, depth + 1))
      const isMasked = this.#masker.isMaskedKey(name, (sibling) => Map.prototype.has.call(map, sibling))
      result[this.#readKey(name)] = isMasked ? this.#masker.mask : this.read(member, depth + 1)
    }
    if (count < size) result['…'] = `[${size - count} more]`
    return result
  }

  #readFields(value: object, { names, count: total }: FieldNames, className: string, depth: number): PlainValue {
    const result = new PlainRecord()
    let count = 0
    for (const key of names) {
      if (count >= this.#maxKeys || this.#budget <= 0) break
      count += 1
      const property = Object.getOwnPropertyDescriptor(value, key)
      if (property === undefined) {
        if (key === 'name') result['name'] = className
        continue
      }
      const isMasked = this.#masker.isMaskedKey(key, (sibling) => Object.hasOwn(value, sibling))
      result[this.#readKey(key)] = isMasked ? this.#masker.mask : this.#readProperty(property, depth)
    }
    if (count < total) result['…'] = `[${total - count} more]`
    const isEmptyInstance = total === 0 && className !== 'Object'
    return isEmptyInstance ? `[${className}]` : result
  }

  #readProperty(property: PropertyDescriptor, depth: number): PlainValue {
    if ('value' in property) return this.read(property.value, depth + 1)
    return property.get === undefined ? '[Setter]' : '[Getter]'
  }

  #readKey(key: string): string {
    const shown = shownKey(key, this.#masker)
    this.#budget -= shown.length
    return shown
  }
}

interface FieldNames {
  /** At least as many as are shown. */
  readonly names: readonly string[]
  /** How many there are in all. */
  readonly count: number
}

/** Inherits nothing, as an object without a prototype does; but V8 keeps this one in its quick form. */
export class PlainRecord {
  [key: string]: PlainValue
  static {
    Object.setPrototypeOf(this.prototype, null)
    Reflect.deleteProperty(this.prototype, 'constructor')
    Object.freeze(this.prototype)
  }
}

function plainKey(key: PlainValue): string {
  return typeof key === 'string' ? key : JSON.stringify(key)
}
