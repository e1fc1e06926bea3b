// A short key that is equal for equal query parameters. It stays in the record and never reaches a profile.

import { hash } from 'node:crypto'

/** Longer lists and objects get no key. */
const maxValues = 50
const maxDepth = 4
const maxLength = 2000

/** Equal for equal values; `null` for values that cannot be compared. Never throws. */
export function valueKey(values: unknown): string | null {
  if (values === undefined) return ''
  try {
    const written = write(values, 0)
    if (written === null) return null
    return written.length <= 64 ? written : hash('sha1', written)
  } catch {
    return null
  }
}

function write(value: unknown, depth: number): string | null {
  switch (typeof value) {
    case 'string':
      return value.length > maxLength ? null : `${value.length}:${value}`
    case 'number':
    case 'boolean':
    case 'undefined':
      return String(value)
    case 'bigint':
      return String(value)
    case 'object':
      return value === null ? 'null' : writeObject(value, depth)
    default:
      return null
  }
}

function writeObject(value: object, depth: number): string | null {
  if (value instanceof Date) return `date ${value.getTime()}`
  if (value instanceof Uint8Array)
    return value.length > maxLength ? null : `bytes ${Buffer.from(value).toString('base64')}`
  if (depth >= maxDepth) return null
  const isList = Array.isArray(value)
  const entries: readonly unknown[] = isList ? value : Object.entries(value)
  if (entries.length > maxValues) return null
  let written = isList ? '[' : '{'
  for (let index = 0; index < entries.length; index += 1) {
    const part = write(entries[index], depth + 1)
    if (part === null) return null
    written += `${part},`
    if (written.length > maxLength) return null
  }
  return written
}
