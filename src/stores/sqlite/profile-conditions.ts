// Translates the filter of a list into conditions of SQL with bound values.

import { redirectStatuses } from '../../framework/http/redirect-statuses.ts'
import { commandMethod } from '../../profiler/profile.ts'
import { type ProfileFilter } from '../../profiler/profile-store.ts'
import { statusRange } from '../matches-filter.ts'
import { findingBit } from './profile-columns.ts'

/** One query's condition: nothing of the filter stands in `sql`, all of it in `values`. */
export interface Conditions {
  readonly sql: string
  readonly values: readonly (string | number)[]
}

/** No URL that a server takes is longer; SQLite refuses patterns of more than 50,000 bytes. */
const maxUrlLength = 8192

/**
 * The conditions whose results, put together, are what the filter asks for: one, except for a class of statuses, which
 * becomes one per status that occurs, so that each can walk the index newest first.
 */
export function toConditions(
  filter: ProfileFilter,
  statusesWithin: (from: number, to: number) => readonly number[],
): readonly Conditions[] {
  const parts: string[] = []
  const values: (string | number)[] = []
  const add = (sql: string, value: string | number) => {
    parts.push(sql)
    values.push(value)
  }
  if (filter.parentToken !== undefined) add('parent_token = ?', filter.parentToken)
  else if (filter.token === undefined) parts.push('parent_token IS NULL')
  if (filter.token !== undefined) add('token = ?', filter.token)
  if (filter.method !== undefined) add('method = ?', filter.method)
  if (filter.isCommand !== undefined) add(filter.isCommand ? 'method = ?' : 'method <> ?', commandMethod)
  if (filter.url !== undefined) {
    if (filter.url.length > maxUrlLength || filter.url.includes('\0')) return []
    add(`url LIKE ? ESCAPE '\\'`, `%${filter.url.replaceAll(/[\\%_]/g, '\\$&')}%`)
  }
  if (filter.route !== undefined) add('route = ?', filter.route)
  if (filter.hasRoute !== undefined) parts.push(filter.hasRoute ? 'route IS NOT NULL' : 'route IS NULL')
  if (filter.ip !== undefined) add('ip = ?', filter.ip)
  if (filter.since !== undefined) add('time >= ?', filter.since)
  if (filter.until !== undefined) add('time < ?', filter.until)
  if (filter.minDurationMs !== undefined) add('duration_ms >= ?', filter.minDurationMs)
  if (filter.hasError !== undefined) parts.push(filter.hasError ? 'error_class IS NOT NULL' : 'error_class IS NULL')
  // As the partial index has it, which is not chosen for a bound value.
  if (filter.finding !== undefined) parts.push(`findings & ${findingBit(filter.finding)}`)
  if (filter.errorFamily !== undefined) add('error_family = ?', filter.errorFamily)
  if (filter.traceId !== undefined) add('trace_id = ?', filter.traceId)
  if (filter.version !== undefined) add('version = ?', filter.version)
  if (filter.isRedirect === false) parts.push(`status NOT IN (${redirectStatuses.join(', ')})`)
  const statuses = statusesOf(filter, statusesWithin)
  if (statuses === null) return [{ sql: parts.length === 0 ? 'TRUE' : parts.join(' AND '), values }]
  return statuses.map((status) => ({ sql: ['status = ?', ...parts].join(' AND '), values: [status, ...values] }))
}

/** The statuses to look for one by one, `null` for any. */
function statusesOf(
  { status, isRedirect }: ProfileFilter,
  statusesWithin: (from: number, to: number) => readonly number[],
): readonly number[] | null {
  if (status === undefined) return isRedirect === true ? redirectStatuses : null
  const [from, to] = statusRange(status)
  const statuses = from === to ? [from] : statusesWithin(from, to)
  return isRedirect === true ? statuses.filter((one) => redirectStatuses.includes(one)) : statuses
}
