// Profiles as Redis keeps them: a row of text for the summary of each, and its body under a key.

import type { ProfileSummary } from '../../profiler/profile.ts'
import type { KeepingClass } from '../evict.ts'
import { columns, toColumns, toSummary, type EncodedProfile } from '../thread/profile-columns.ts'

export interface StoredRow {
  readonly token: string
  readonly keepingClass: KeepingClass
  /** A JSON array: token, bytes, time, then the other columns. The scripts read the first three. */
  readonly text: string
  readonly body: Uint8Array
  /** What the profile counts towards the bound of the store. */
  readonly bytes: number
}

/** Bytes that Redis itself needs for one profile: its key, its place in the stream, what the allocator rounds up. */
const overhead = 220

const isOther = (_: unknown, index: number): boolean =>
  columns[index]?.name !== 'token' && columns[index]?.name !== 'time'
const otherColumns = columns.filter(isOther)
const timeIndex = columns.findIndex(({ name }) => name === 'time')
const findingsIndex = columns.findIndex(({ name }) => name === 'findings')

/** Throws `ProfileRefusedError` for a malformed token or summary. */
export function toStoredRow(encoded: EncodedProfile): StoredRow {
  const { token, values, body } = toColumns(encoded)
  const others = JSON.stringify(values.filter(isOther)).slice(1)
  const bytes = body.byteLength + Buffer.byteLength(others) + overhead
  const text = `["${token}",${bytes},${values[timeIndex]},${others}`
  return { token, keepingClass: values[findingsIndex] === 0 ? 'ordinary' : 'longer', text, body, bytes }
}

/** The summary in a row; `undefined` for a damaged one. */
export function summaryOfRow(text: string): ProfileSummary | undefined {
  let values: unknown
  try {
    values = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!Array.isArray(values)) return undefined
  const row: Record<string, unknown> = { token: values[0], time: values[2] }
  for (const [index, { name }] of otherColumns.entries()) row[name] = values[index + 3]
  return toSummary(row, columns)
}

/** When the profile of a row began, milliseconds since 1970; `undefined` for a damaged row. */
export function timeOfRow(text: string): number | undefined {
  const time = Number(/^\["\w+",\d+,([^,\]]+)/.exec(text)?.[1])
  return Number.isNaN(time) ? undefined : time
}

/** Bytes in front of a stored body: the number of the profile and the first letter of its class. */
export const headerLength = 17

/** The body in what is stored under a profile's key. */
export function bodyOf(value: Uint8Array): Uint8Array {
  return value.subarray(headerLength)
}
