// Whether a profile belongs into a list, decided in memory. Engines with a query language of their own translate the filter.

import { redirectStatuses } from '../framework/http/redirect-statuses.ts'
import { commandMethod, type ProfileSummary } from '../profiler/profile.ts'
import { type ProfileFilter } from '../profiler/profile-store.ts'

/** Whether all given parts of the filter hold. Letter case of the URL is ignored for A–Z, as SQL's LIKE does. */
export function matchesFilter(summary: ProfileSummary, filter: ProfileFilter): boolean {
  if (filter.parentToken !== undefined) {
    if (summary.parentToken !== filter.parentToken) return false
  } else if (filter.token === undefined && summary.parentToken !== null) return false
  if (filter.token !== undefined && summary.token !== filter.token) return false
  if (filter.method !== undefined && summary.method !== filter.method) return false
  if (filter.isCommand !== undefined && (summary.method === commandMethod) !== filter.isCommand) return false
  if (filter.status !== undefined && !hasStatus(summary.status, filter.status)) return false
  if (filter.isRedirect !== undefined && redirectStatuses.includes(summary.status) !== filter.isRedirect) return false
  if (filter.url !== undefined && !lowerCase(summary.url).includes(lowerCase(filter.url))) return false
  if (filter.route !== undefined && summary.route !== filter.route) return false
  if (filter.hasRoute !== undefined && (summary.route !== null) !== filter.hasRoute) return false
  if (filter.ip !== undefined && summary.ip !== filter.ip) return false
  if (filter.since !== undefined && summary.time < filter.since) return false
  if (filter.until !== undefined && summary.time >= filter.until) return false
  if (filter.minDurationMs !== undefined && summary.durationMs < filter.minDurationMs) return false
  if (filter.hasError !== undefined && (summary.errorClass !== null) !== filter.hasError) return false
  if (filter.finding !== undefined && !summary.findings.includes(filter.finding)) return false
  if (filter.errorFamily !== undefined && summary.errorFamily !== filter.errorFamily) return false
  if (filter.traceId !== undefined && summary.traceId !== filter.traceId) return false
  if (filter.version !== undefined && summary.version !== filter.version) return false
  return true
}

/** The statuses that a filter's status stands for, both ends included: `'4xx'` is `[400, 499]`. */
export function statusRange(status: NonNullable<ProfileFilter['status']>): readonly [number, number] {
  if (typeof status === 'number') return [status, status]
  const hundreds = Number(status.charAt(0)) * 100
  return [hundreds, hundreds + 99]
}

function hasStatus(status: number, wanted: NonNullable<ProfileFilter['status']>): boolean {
  const [from, to] = statusRange(wanted)
  return status >= from && status <= to
}

function lowerCase(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}
