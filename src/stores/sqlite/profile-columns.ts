// Between a profile and its row: the summary stands in columns. The whole of it is the business of `body-blocks.ts`.

import { findingNames, ProfileRefusedError, tokenPattern } from '../../profiler/profile-store.ts'
import type { Finding, ListedProfile } from '../../profiler/profile-store.ts'
import { costOf } from '../cost-of.ts'
import { errorFamilyOf, findingsOf, traceIdOf, versionOf } from '../findings.ts'
import type { GroupedProfile } from '../group-profiles.ts'

/** What is written of one profile besides its body. */
export interface ProfileRow {
  readonly token: string
  /** Values of `columns`, in their order. */
  readonly values: readonly (string | number | null)[]
  /** Whether there are findings. */
  readonly isKeptLonger: boolean
  /** What its columns count towards the bound of the store, a share of the indices included. */
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

/** The row of a profile; from `slowMs` milliseconds on it is found slow. Throws `ProfileRefusedError` for a malformed token or summary. */
export function toRow(profile: unknown, slowMs: number): ProfileRow {
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
  const url = text('url')
  const noticed = {
    status: number('status'),
    durationMs: number('durationMs'),
    errorClass: textOrNull('errorClass'),
    logErrorCount: number('logErrorCount'),
    data: isRecord(rest['data']) ? rest['data'] : {},
  }
  const errorFamily = errorFamilyOf(noticed)
  const findings = findingsOf(noticed, slowMs)
  const traceId = traceIdOf(noticed)
  const version = versionOf(noticed)
  const { ownCpuMs, queryCount } = costOf(noticed)
  const values = [
    token,
    textOrNull('parentToken'),
    JSON.stringify(Array.isArray(rest['childTokens']) ? rest['childTokens'] : refuse('childTokens')),
    text('method'),
    url,
    textOrNull('route'),
    noticed.status,
    text('ip'),
    number('time'),
    noticed.durationMs,
    noticed.errorClass,
    text('handler'),
    noticed.logErrorCount,
    number('logCount'),
    findings.reduce((bits, name) => bits | findingBit(name), 0),
    errorFamily,
    traceId,
    ownCpuMs,
    queryCount,
    version,
  ]
  const inIndices = 2 * ((traceId?.length ?? 0) + (version?.length ?? 0))
  const bytes = 2 * url.length + (errorFamily?.length ?? 0) + inIndices + overhead
  return { token, values, bytes, isKeptLonger: findings.length > 0 }
}

/** The summary of a row, or `undefined` when the row is damaged. */
export function toListed(row: Readonly<Record<string, unknown>>): ListedProfile | undefined {
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
    findings: findingNames.filter((name) => (Number(row['findings']) & findingBit(name)) !== 0),
    errorFamily: textOrNull(row['error_family']),
    traceId: textOrNull(row['trace_id']),
    version: textOrNull(row['version']),
  }
}

/** The bit of the column `findings` that stands for one. */
export function findingBit(name: Finding): number {
  return 2 ** findingNames.indexOf(name)
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
    hasError: (Number(row['findings']) & findingBit('error')) !== 0,
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
  throw new ProfileRefusedError([''], 'it is no object')
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
