// Applies all filters that are set, to a summary or as a condition.

import { browserMethod, spansMethod, type ProfileSummary } from '../profile.ts'
import type { ProfileFilter } from '../profile-store.ts'
import { condition, type SqlCondition } from './filter-definition.ts'
import { filterNames, filters } from './filters.ts'

/** Whether a profile passes every filter that is set. `searchText` is asked only for what no summary holds. */
export function matchesFilter(summary: ProfileSummary, filter: ProfileFilter, searchText: () => string): boolean {
  if (leavesOutSubRequests(filter) && summary.parentToken !== null) return false
  if (leavesOutReports(filter) && summary.method === browserMethod) return false
  return filterNames.every((name) => filters[name].test(summary, filter, searchText))
}

/** The same as one condition. */
export function sqlCondition(filter: ProfileFilter): SqlCondition {
  const parts = filterNames.flatMap((name) => filters[name].sql(filter) ?? [])
  if (leavesOutSubRequests(filter)) parts.push(condition('parent_token IS NULL'))
  if (leavesOutReports(filter)) parts.push(condition('method <> ?', browserMethod))
  if (parts.length === 0) return condition('TRUE')
  return { sql: parts.map(({ sql }) => sql).join(' AND '), values: parts.flatMap(({ values }) => values) }
}

/** Lists show requests; their sub-requests are asked for by name. */
function leavesOutSubRequests({ parentToken, token: wanted, method, withSubRequests }: ProfileFilter): boolean {
  const isNamed = method === spansMethod || method === browserMethod
  return !isNamed && parentToken === undefined && wanted === undefined && withSubRequests !== true
}

/** What pages report is kept below their request, and is no sub-request of it. */
function leavesOutReports({ parentToken, method }: ProfileFilter): boolean {
  return parentToken !== undefined && method === undefined
}
