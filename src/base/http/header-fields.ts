// How callers write header fields, and how HTTP code reads them.

import { isList } from '../members.ts'

/**
 * Header fields by name, or a Fetch `Headers`. A list sends one field per value: `{ 'set-cookie': ['a=1', 'b=2'] }`. Names of a
 * record are sent as written, in its order.
 */
export type HeaderFields = Readonly<Record<string, string | readonly string[]>> | Headers

/** One pair for each field to send. Checks nothing. */
export function headerPairs(fields: HeaderFields = {}): [name: string, value: string][] {
  // `instanceof Headers` would load Node's whole Fetch implementation.
  const entries = Symbol.iterator in fields ? [...fields] : Object.entries(fields)
  const pairs: [name: string, value: string][] = []
  for (const [name, values] of entries) {
    if (isList(values)) for (const value of values) pairs.push([name, value])
    else pairs.push([name, values])
  }
  return pairs
}

/** The fields of a flat list: name, value, name, value … */
export function* listedFields(flat: readonly string[]): Generator<readonly [name: string, value: string]> {
  for (let index = 0; index < flat.length; index += 2) yield [flat[index] ?? '', flat[index + 1] ?? '']
}

/** The first value of a field; `name` is in lower case. */
export function fieldValue(fields: Iterable<readonly [name: string, value: string]>, name: string): string | undefined {
  for (const [field, value] of fields) if (field.toLowerCase() === name) return value
  return undefined
}
