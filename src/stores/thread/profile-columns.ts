// Turns profiles into columns and a compressed body, and columns into summaries.

import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { isRecord } from '../../base/options/check-options.ts'
import { fieldList, findingNames, tokenPattern, type FieldValues, type ProfileSummary } from '../../observe/profile.ts'
import { ProfileRefusedError } from '../../profiles/profile-store.ts'
import { columnOf, findingBit } from '../../profiles/query/filters.ts'

export interface EncodedProfile {
  /** Checked before it is written. */
  readonly profile: unknown
  readonly json: string
}

type ColumnValue = string | number | null

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
  readonly isAnyText: boolean
  readonly declared: string
  /** Makes its index in SQLite. */
  readonly index: string
  /** The value of the column; `undefined` if the property has the wrong type. */
  readonly encode: (value: unknown) => ColumnValue | undefined
  /** The property; `undefined` if the column is damaged. */
  readonly decode: (value: unknown) => unknown
}

interface Holding {
  readonly type: 'TEXT' | 'INTEGER' | 'REAL'
  /** The property; `undefined` for a column that holds something else. */
  readonly read: (value: unknown) => unknown
  /** The value of the column; `undefined` if the property has the wrong type. Default: as it is read. */
  readonly write?: (value: unknown) => ColumnValue | undefined
  /** Most have none, and an index of those that have some needs to know. */
  readonly isNullIfEmpty?: true
}

const token = (value: unknown): unknown => (tokenPattern.test(String(value)) ? value : undefined)
const listed = (value: unknown): string | undefined => (Array.isArray(value) ? JSON.stringify(value) : undefined)

const holdings: { readonly [Name in keyof FieldValues]: Holding } = {
  token: { type: 'TEXT', read: token, write: textOf },
  tokens: { type: 'TEXT', read: textsOf, write: listed },
  text: { type: 'TEXT', read: textOf },
  traceId: { type: 'TEXT', read: textOf },
  count: { type: 'INTEGER', read: numberOf },
  figure: { type: 'REAL', read: numberOf },
  findings: {
    type: 'INTEGER',
    read: (bits) => findingNames.filter((name) => (Number(bits) & findingBit(name)) !== 0),
    write: (value) =>
      Array.isArray(value)
        ? findingNames.reduce((bits, name) => (value.includes(name) ? bits | findingBit(name) : bits), 0)
        : undefined,
  },
  tags: {
    type: 'TEXT',
    read: (json) => (json == null ? [] : textsOf(json)),
    write: (value) => (Array.isArray(value) && value.length === 0 ? null : listed(value)),
    isNullIfEmpty: true,
  },
}

export const columns: readonly Column[] = fieldList.map(([property, facts]) => {
  const { holds, isOptional = false, isAnyText = false, index } = facts
  const { type, read, write = read as Column['encode'], isNullIfEmpty = false } = holdings[holds]
  const name = columnOf(property)
  const where = index === 'set' ? ` WHERE ${name} IS NOT NULL` : ''
  return {
    name,
    property,
    isAnyText,
    declared: `${name} ${type}${isOptional || isNullIfEmpty ? '' : ' NOT NULL'}${index === 'unique' ? ' UNIQUE' : ''}`,
    index:
      index === undefined || index === 'unique'
        ? ''
        : `CREATE INDEX profile_by_${name} ON profile (${name}, parent_token)${where};`,
    encode: isOptional ? (value) => (value === null ? null : write(value)) : write,
    decode: isOptional ? (value) => read(value) ?? null : read,
  }
})

/** A body that unpacks to more than this many bytes is damaged. */
const maxUnpackedBytes = 64 * 1024 * 1024

const compression = {
  // Of the buffer of each body. Most are smaller, and by default it takes 16 kB until the batch is written.
  chunkSize: 4096,
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

/** The value, if it is a text. SQLite gives the bytes of one: Node 22 cuts a text at its first NUL. */
export function textOf(value: unknown): string | undefined {
  if (value instanceof Uint8Array) return Buffer.from(value).toString()
  return typeof value === 'string' ? value : undefined
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
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
