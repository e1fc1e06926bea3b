// Any value as plain JSON data, for logs and profiles, and as a tree that keeps what JSON loses: classes, sizes, maps, sets, circles, and
// where something was cut.

import { ValueWalker, showsAll, type ValueLimits, type ValueMasker, type ValuePrinter } from './walk-value.ts'

/** A JSON value. Objects of it inherit nothing, because their keys come from outside. */
export type PlainValue =
  | string
  | number
  | boolean
  | null
  | readonly PlainValue[]
  | { readonly [key: string]: PlainValue }

/** Never throws. What JSON cannot hold becomes a mark: `[Getter]`. */
export function toPlainValue(value: unknown, limits: ValueLimits = {}, masker: ValueMasker = showsAll): PlainValue {
  return new ValueWalker(plainPrinter, limits, masker).value(value)
}

/** The same for an own property, masked by its name. */
export function plainProperty(holder: object, key: string, limits: ValueLimits, masker: ValueMasker): PlainValue {
  return new ValueWalker(plainPrinter, limits, masker).property(holder, key)
}

const plainPrinter: ValuePrinter<PlainValue> = {
  showsHead: false,
  string: (text) => text,
  constant: (value) =>
    value === undefined || (typeof value === 'number' && !Number.isFinite(value)) ? `[${String(value)}]` : value,
  mark: (text) => text,
  list: (_head, items) => items,
  record: (_head, fields) => recordOf(fields),
  map: (_head, entries) =>
    recordOf(entries.map(([key, value]) => [typeof key === 'string' ? key : JSON.stringify(key), value])),
}

function recordOf(fields: readonly (readonly [name: string, value: PlainValue])[]): PlainValue {
  const record = new PlainRecord()
  for (const [name, value] of fields) record[name] = value
  return record
}

/** Inherits nothing, like an object without a prototype; but V8 gives this one a hidden class, so it stays fast. */
class PlainRecord {
  [key: string]: PlainValue
  static {
    Object.setPrototypeOf(this.prototype, null)
    Reflect.deleteProperty(this.prototype, 'constructor')
    Object.freeze(this.prototype)
  }
}

/** `head` is the class, with the size of a map or set: `Map(2)`; empty for plain objects and arrays. */
export type ValueTree =
  | string
  | number
  | boolean
  | null
  /** `[Getter]`, `12n`, `undefined`, a date. */
  | { readonly mark: string }
  /** Members that were left out, at the end of a list. */
  | { readonly more: number }
  /** The value that is so many levels from the top, again. */
  | { readonly circular: number }
  /** An object of this class that lies too deep. */
  | { readonly deep: string }
  | { readonly head: string; readonly list: readonly ValueTree[] }
  | { readonly head: string; readonly fields: readonly (readonly [name: string, value: ValueTree])[] }
  | { readonly head: string; readonly map: readonly (readonly [key: ValueTree, value: ValueTree])[] }

/** The tree of an own property, masked by its name. `isPlain` if JSON loses nothing. Never throws. */
export function propertyTree(
  holder: object,
  key: string,
  limits: ValueLimits,
  masker: ValueMasker,
): { readonly tree: ValueTree; readonly isPlain: boolean } {
  let isPlain = true
  const special = (tree: ValueTree): ValueTree => {
    isPlain = false
    return tree
  }
  const headed = (head: string, tree: ValueTree): ValueTree => (head === '' ? tree : special(tree))
  const printer: ValuePrinter<ValueTree> = {
    showsHead: true,
    string: (text) => text,
    constant: (value) =>
      value === undefined || (typeof value === 'number' && !Number.isFinite(value))
        ? special({ mark: String(value) })
        : value,
    mark: (mark) => special({ mark }),
    more: (more) => special({ more }),
    circular: (level) => special({ circular: level }),
    deep: (className) => special({ deep: className }),
    list: (head, list) => headed(head, { head, list }),
    record: (head, fields) => headed(head, { head, fields }),
    map: (head, map) => special({ head, map }),
  }
  const tree = new ValueWalker(printer, limits, masker).property(holder, key)
  return { tree, isPlain }
}
