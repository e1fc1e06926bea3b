// Header fields: how callers write them, how HTTP code reads and sets them, and those of every response of the library.

import { isList } from '../members.ts'
import { channel, type Channel } from 'node:diagnostics_channel'

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

/** Hears of header fields where code sets them, or with a site, as name and values; of a cookie at least `name=value`. In debug somebody listens. */
export const setFields: Channel = channel('fanlight.fields')

export function tellField(...field: readonly [name: string, value: unknown, site?: Error]): void {
  if (setFields.hasSubscribers) setFields.publish(field)
}

/** Never cached, never sniffed: a flat list of names and values (SECURITY R14). */
export const protectiveHeaders: readonly string[] = ['cache-control', 'no-store', 'x-content-type-options', 'nosniff']

/** For pages that show the inside of the application: a window of another site that opened one has no hold on it. */
export const ownWindowHeaders: readonly string[] = ['cross-origin-opener-policy', 'same-origin']
