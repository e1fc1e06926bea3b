// Profiles as Redis keeps them: a row of text for the summary of each, and its body under a key.

import { isRecord } from '../base/options/check-options.ts'
import type { ProfileSummary } from '../observe/profile.ts'
import type { KeepingClass } from '../stores/profile-keeping.ts'
import { searchTextOf } from '../profiles/query/search-text.ts'
import { columns, toColumns, toSummary, unpackBody, type EncodedProfile } from '../stores/thread/profile-columns.ts'
import { listOf } from '../base/members.ts'

export interface StoredRow {
  readonly token: string
  readonly keepingClass: KeepingClass
  /** A JSON array: token, bytes, time, bytes of the search text, then the other columns. The scripts read the first three. */
  readonly text: string
  /** What is kept under the key of the profile, behind what the script puts in front of it: search text and compressed profile. */
  readonly stored: Buffer
  /** What the profile counts towards the bound of the store. */
  readonly bytes: number
}

/** Bytes that Redis itself needs for one profile: its key, its place in the stream, what the allocator rounds up. */
const overhead = 220

/** Bytes that the script puts in front: the number of the profile and the first letter of its class. */
export const headerLength = 17

/** Digits of the length of the search text, in bytes. */
const lengthDigits = 4

const isOther = (_: unknown, index: number): boolean =>
  columns[index]?.name !== 'token' && columns[index]?.name !== 'time'
const otherColumns = columns.filter(isOther)
/** Place of the first of them in the array of a row. */
const firstOther = 4
const timeIndex = columns.findIndex(({ name }) => name === 'time')
const findingsIndex = columns.findIndex(({ name }) => name === 'findings')

/** Throws `ProfileRefusedError` for a malformed token or summary. */
export function toStoredRow(encoded: EncodedProfile): StoredRow {
  const { token, values, body } = toColumns(encoded)
  const data = isRecord(encoded.profile) ? encoded.profile['data'] : undefined
  const searchText = Buffer.from(isRecord(data) ? searchTextOf({ data }) : '').subarray(0, 10 ** lengthDigits - 1)
  const length = String(searchText.byteLength).padStart(lengthDigits, '0')
  const stored = Buffer.concat([Buffer.from(length), searchText, body])
  const others = JSON.stringify(values.filter(isOther)).slice(1)
  const bytes = stored.byteLength + Buffer.byteLength(others) + overhead
  const text = `["${token}",${bytes},${values[timeIndex]},${searchText.byteLength},${others}`
  return { token, keepingClass: values[findingsIndex] === 0 ? 'ordinary' : 'longer', text, stored, bytes }
}

/** The JSON of a profile in what is stored of it. Throws for what is damaged. */
export function jsonOf(stored: Uint8Array): string {
  const length = Number(Buffer.from(stored.subarray(0, lengthDigits)).toString())
  return unpackBody(stored.subarray(lengthDigits + length))
}

/** Where each column lies in the array of a row. */
const places = columns.map(({ name }) => ({
  name,
  at: name === 'token' ? 0 : name === 'time' ? 2 : firstOther + otherColumns.findIndex((other) => other.name === name),
}))

/** The summary in a row; `undefined` for a damaged one. */
export function summaryOfRow(text: string): ProfileSummary | undefined {
  try {
    const values = listOf(JSON.parse(text))
    return toSummary(Object.fromEntries(places.map(({ name, at }) => [name, values[at]])), columns)
  } catch {
    return undefined
  }
}

/** When the profile of a row began, milliseconds since 1970; `undefined` for a damaged row. */
export function timeOfRow(text: string): number | undefined {
  const time = Number(/^\["\w+",\d+,([^,\]]+)/.exec(text)?.[1])
  return Number.isNaN(time) ? undefined : time
}

/** Where the search text of a row's profile lies under its key, both ends included; `undefined` if there is none. */
export function searchRangeOf(text: string): readonly [from: number, to: number] | undefined {
  const length = Number(/^\["\w+",\d+,[^,\]]+,(\d+)/.exec(text)?.[1] ?? 0)
  const from = headerLength + lengthDigits
  return length === 0 ? undefined : [from, from + length - 1]
}

export function tokenOfRow(text: string): string {
  return text.slice(2, text.indexOf('"', 2))
}
