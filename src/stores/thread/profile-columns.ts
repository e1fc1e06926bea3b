// Turns profiles into columns and a compressed body, and columns into summaries.

import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { isRecord } from '../../framework/options/check-options.ts'
import { findingNames, tokenPattern, type ProfileSummary } from '../../profiler/profile.ts'
import { ProfileRefusedError } from '../../profiler/profile-refused-error.ts'
import { findingBit } from '../../profiler/query/filters.ts'

export interface EncodedProfile {
  /** Checked before it is written. */
  readonly profile: unknown
  readonly json: string
}

type ColumnValue = string | number | null

/** A profile as it is stored. */
export interface ProfileColumns {
  readonly token: string
  /** Values of `columns`, in their order. */
  readonly values: readonly ColumnValue[]
  /** The whole profile, compressed. */
  readonly body: Uint8Array
}

export interface Column<Property = keyof ProfileSummary> {
  readonly name: string
  readonly property: Property
  /** The value of the column; `undefined` if the property has the wrong type. */
  readonly encode: (value: unknown) => ColumnValue | undefined
  /** The property; `undefined` if the column is damaged. */
  readonly decode: (value: unknown) => unknown
  /** Any character may be in it. SQLite gives `decode` its bytes: Node 22 cuts a text at its first NUL. */
  readonly isAnyText?: boolean
}

const text = { encode: textOf, decode: String }
const number = { encode: numberOf, decode: Number }
const textOrNull = { encode: orNull(textOf), decode: (value: unknown) => textOf(value) ?? null }
const anyTextOrNull = {
  encode: orNull(textOf),
  decode: (value: unknown) => (value instanceof Uint8Array ? Buffer.from(value).toString() : (textOf(value) ?? null)),
  isAnyText: true,
}
const numberOrNull = { encode: orNull(numberOf), decode: (value: unknown) => numberOf(value) ?? null }
const token = { encode: textOf, decode: (value: unknown) => (tokenPattern.test(String(value)) ? value : undefined) }
const tokens = {
  encode: (value: unknown) => (Array.isArray(value) ? JSON.stringify(value) : undefined),
  decode: textsOf,
}
const findings = {
  encode: (value: unknown) =>
    Array.isArray(value)
      ? findingNames.reduce((bits, name) => (value.includes(name) ? bits | findingBit(name) : bits), 0)
      : undefined,
  decode: (bits: unknown) => findingNames.filter((name) => (Number(bits) & findingBit(name)) !== 0),
}

export const columns: readonly Column[] = [
  { name: 'token', property: 'token', ...token },
  { name: 'parent_token', property: 'parentToken', ...textOrNull },
  { name: 'child_tokens', property: 'childTokens', ...tokens },
  { name: 'method', property: 'method', ...text },
  { name: 'url', property: 'url', ...text },
  { name: 'route', property: 'route', ...textOrNull },
  { name: 'status', property: 'status', ...number },
  { name: 'ip', property: 'ip', ...text },
  { name: 'time', property: 'time', ...number },
  { name: 'duration_ms', property: 'durationMs', ...number },
  { name: 'error_class', property: 'errorClass', ...textOrNull },
  { name: 'handler', property: 'handler', ...text },
  { name: 'log_error_count', property: 'logErrorCount', ...number },
  { name: 'log_count', property: 'logCount', ...number },
  { name: 'findings', property: 'findings', ...findings },
  { name: 'error_family', property: 'errorFamily', ...textOrNull },
  { name: 'error_message', property: 'errorMessage', ...anyTextOrNull },
  { name: 'trace_id', property: 'traceId', ...textOrNull },
  { name: 'own_cpu_ms', property: 'ownCpuMs', ...numberOrNull },
  { name: 'query_count', property: 'queryCount', ...numberOrNull },
  { name: 'version', property: 'version', ...textOrNull },
  // Last, so that rows without them read as null.
  { name: 'service', property: 'service', ...textOrNull },
  { name: 'replay_of', property: 'replayOf', ...textOrNull },
  { name: 'tags', property: 'tags', encode: tagsOf, decode: (json) => (json == null ? [] : textsOf(json)) },
]

/** A body that unpacks to more than this many bytes is damaged. */
const maxUnpackedBytes = 64 * 1024 * 1024

const compression = {
  params: { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 },
}

/** Throws `ProfileRefusedError` for a malformed token or summary. */
export function toColumns({ profile, json }: EncodedProfile): ProfileColumns {
  if (!isRecord(profile)) throw new ProfileRefusedError([''], 'it is not an object')
  const own = String(profile['token'])
  if (!tokenPattern.test(own)) throw new ProfileRefusedError([own], 'a token is 10 to 16 of 0-9 and a-z')
  const values = columns.map(({ property, encode }) => {
    const value = encode(profile[property])
    if (value === undefined) throw new ProfileRefusedError([own], `its "${property}" has the wrong type`)
    return value
  })
  return { token: own, values, body: zstdCompressSync(json, compression) }
}

/** The JSON of a body. Throws for a damaged one: it carries a checksum. */
export function unpackBody(body: Uint8Array): string {
  return zstdDecompressSync(body, { maxOutputLength: maxUnpackedBytes }).toString()
}

/** What a row holds of a summary in these columns, or `undefined` when the row is damaged. */
export function toSummary<Property extends keyof ProfileSummary>(
  row: Readonly<Record<string, unknown>>,
  selected: readonly Column<Property>[],
): Pick<ProfileSummary, Property> | undefined {
  const summary: Partial<Record<Property, unknown>> = {}
  for (const { name, property, decode } of selected) {
    const value = decode(row[name])
    if (value === undefined) return undefined
    summary[property] = value
  }
  // Each column decodes to the type of its property.
  return summary as Pick<ProfileSummary, Property>
}

/** The value, if it is a string. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}

function orNull(encode: Column['encode']): Column['encode'] {
  return (value) => (value === null ? null : encode(value))
}

/** Most profiles have none, and an index of those that have some needs to know. */
function tagsOf(value: unknown): ColumnValue | undefined {
  if (!Array.isArray(value)) return undefined
  return value.length === 0 ? null : JSON.stringify(value)
}

function textsOf(json: unknown): readonly string[] | undefined {
  try {
    const list: unknown = JSON.parse(String(json))
    if (Array.isArray(list) && list.every((one) => typeof one === 'string')) return list
  } catch {
    // A damaged row.
  }
  return undefined
}
