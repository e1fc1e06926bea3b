// Any value as plain JSON data, for logs and profiles.

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
