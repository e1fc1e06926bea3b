// The JSON of each page, which ties it to its description in `openapi/`.

import type { JsonTypes } from './openapi/json-types.ts'
import type { PageName } from './profiler-routes.ts'

/** One of these types; none for pages that send something else. */
export const pageJson = {
  _profiler_home: ['ProfileList'],
  _profiler_live: [],
  _profiler_latest: [],
  _profiler_groups: ['ProfileGroups'],
  _profiler_issues: ['Issues'],
  _profiler_runs: ['RunComparison'],
  _profiler_trace: ['Trace', 'RecentTraces'],
  _profiler_open: ['OpenRequests'],
  _profiler_tasks: ['KnownTasks'],
  _profiler_lock: ['Lock'],
  _profiler_compare: ['Comparison', 'ComparisonChoice'],
  _profiler_changes: [],
  _profiler_reload: [],
  _profiler_export: ['ExportPreview'],
  _profiler_routes: ['RouteTable'],
  _profiler_status: ['Status'],
  _profiler_openapi: ['OpenApiDocument'],
  _profiler_help: ['Help'],
} as const

export type PageJson<Name extends PageName> = JsonTypes[(typeof pageJson)[Name][number]]
