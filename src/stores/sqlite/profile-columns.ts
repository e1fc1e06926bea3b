// Turns profiles into rows and rows into summaries: the summary in columns, the whole profile as a compressed body.

import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { findingBit } from '../../profiler/query/filters.ts'
import { findingNames, tokenPattern } from '../../profiler/profile.ts'
import { ProfileRefusedError } from '../../profiler/profile-store.ts'
import type { Finding, ProfileSummary } from '../../profiler/profile.ts'
import type { GroupedProfile } from '../group-profiles.ts'

/** A profile, and the same as JSON. */
export interface EncodedProfile {
  /** Checked before it is written. */
  readonly profile: unknown
  readonly json: string
}

/** What is written of one profile. */
export interface ProfileRow {
  readonly token: string
  /** Values of `columns`, in their order. */
  readonly values: readonly (string | number | null)[]
  /** The whole profile, compressed. */
  readonly body: Uint8Array
  /** What the profile counts towards the bound of the store: body, columns and its part of the indices. */
  readonly bytes: number
}

/** Names of the summary's columns. */
export const columns: readonly string[] = [
  'token',
  'parent_token',
  'child_tokens',
  'method',
  'url',
  'route',
  'status',
  'ip',
  'time',
  'duration_ms',
  'error_class',
  'handler',
  'log_error_count',
  'log_count',
  'findings',
  'error_family',
  'trace_id',
  'own_cpu_ms',
  'query_count',
  'version',
]

/** Bytes of the short columns, the indices and the row headers of one profile. */
const overhead = 340

/** A body that unpacks to more than this many bytes is damaged. */
const maxUnpackedBytes = 64 * 1024 * 1024

const compression = {
  params: { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 },
}

/** The row of a profile. Throws `ProfileRefusedError` for a malformed token or summary. */
export function toRow({ profile, json }: EncodedProfile): ProfileRow {
  const rest = recordOf(profile)
  const { token } = rest
  if (typeof token !== 'string' || !tokenPattern.test(token)) {
    throw new ProfileRefusedError([String(token)], 'a token is 10 to 16 of 0-9 and a-z')
  }
  const refuse = (field: string): never => {
    throw new ProfileRefusedError([token], `its "${field}" has the wrong type`)
  }
  const text = (field: string) => (typeof rest[field] === 'string' ? rest[field] : refuse(field))
  const textOrNull = (field: string) => (rest[field] === null ? null : text(field))
  const number = (field: string) => (typeof rest[field] === 'number' ? rest[field] : refuse(field))
  const numberOrNull = (field: string) => (rest[field] === null ? null : number(field))
  const url = text('url')
  const findings = findingsOf(rest['findings'])
  if (findings === undefined) return refuse('findings')
  const errorFamily = textOrNull('errorFamily')
  const traceId = textOrNull('traceId')
  const version = textOrNull('version')
  const values = [
    token,
    textOrNull('parentToken'),
    JSON.stringify(Array.isArray(rest['childTokens']) ? rest['childTokens'] : refuse('childTokens')),
    text('method'),
    url,
    textOrNull('route'),
    number('status'),
    text('ip'),
    number('time'),
    number('durationMs'),
    textOrNull('errorClass'),
    text('handler'),
    number('logErrorCount'),
    number('logCount'),
    findings.reduce((bits, name) => bits | findingBit(name), 0),
    errorFamily,
    traceId,
    numberOrNull('ownCpuMs'),
    numberOrNull('queryCount'),
    version,
  ]
  const inIndices = 2 * ((traceId?.length ?? 0) + (version?.length ?? 0))
  const body = zstdCompressSync(json, compression)
  const bytes = body.byteLength + url.length + (errorFamily?.length ?? 0) + inIndices + overhead
  return { token, values, body, bytes }
}

/** The JSON of a body. Throws for a damaged one: it carries a checksum. */
export function unpackBody(body: Uint8Array): string {
  return zstdDecompressSync(body, { maxOutputLength: maxUnpackedBytes }).toString()
}

/** The summary of a row, or `undefined` when the row is damaged. */
export function toListed(row: Readonly<Record<string, unknown>>): ProfileSummary | undefined {
  const token = row['token']
  const childTokens = tokensOf(row['child_tokens'])
  if (typeof token !== 'string' || !tokenPattern.test(token) || childTokens === undefined) return undefined
  return {
    token,
    parentToken: textOrNull(row['parent_token']),
    childTokens,
    method: String(row['method']),
    url: String(row['url']),
    route: textOrNull(row['route']),
    status: Number(row['status']),
    ip: String(row['ip']),
    time: Number(row['time']),
    durationMs: Number(row['duration_ms']),
    errorClass: textOrNull(row['error_class']),
    handler: String(row['handler']),
    logErrorCount: Number(row['log_error_count']),
    logCount: Number(row['log_count']),
    findings: findingsIn(row['findings']),
    errorFamily: textOrNull(row['error_family']),
    traceId: textOrNull(row['trace_id']),
    version: textOrNull(row['version']),
    ownCpuMs: numberOrNull(row['own_cpu_ms']),
    queryCount: numberOrNull(row['query_count']),
  }
}

function findingsIn(bits: unknown): readonly Finding[] {
  return findingNames.filter((name) => (Number(bits) & findingBit(name)) !== 0)
}

function findingsOf(value: unknown): readonly Finding[] | undefined {
  return Array.isArray(value) ? findingNames.filter((name) => value.includes(name)) : undefined
}

/** The columns that `toGrouped` reads. */
export const groupedColumns: readonly string[] = [
  'token',
  'route',
  'error_family',
  'findings',
  'duration_ms',
  'time',
  'own_cpu_ms',
  'query_count',
  'version',
]

/** What a grouping needs of a row. */
export function toGrouped(row: Readonly<Record<string, unknown>>): GroupedProfile {
  return {
    token: String(row['token']),
    route: textOrNull(row['route']),
    errorFamily: textOrNull(row['error_family']),
    version: textOrNull(row['version']),
    findings: findingsIn(row['findings']),
    durationMs: Number(row['duration_ms']),
    time: Number(row['time']),
    ownCpuMs: numberOrNull(row['own_cpu_ms']),
    queryCount: numberOrNull(row['query_count']),
  }
}

function numberOrNull(value: unknown): number | null {
  return typeof value === 'number' ? value : null
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  if (isRecord(value)) return value
  throw new ProfileRefusedError([''], 'it is not an object')
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function tokensOf(json: unknown): readonly string[] | undefined {
  try {
    const tokens: unknown = JSON.parse(String(json))
    if (Array.isArray(tokens) && tokens.every((token) => typeof token === 'string')) return tokens
  } catch {
    // A damaged row.
  }
  return undefined
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
