// The JSON of each page: what ties a page to its description in `openapi/`.

import type { LockFacts } from '../lock-facts.ts'
import type { KnownTasks } from '../runs/read-tasks.ts'
import type { OpenRequestsData } from '../open-requests/open-requests.ts'
import type { CompareChoiceJson, ComparedJson } from './compare/compare-page.ts'
import type { RunsJson } from './compare/runs-page.ts'
import type { ExportJson } from './export/export-page.ts'
import type { GroupsJson } from './groups/groups-page.ts'
import type { HelpJson } from './help-page.ts'
import type { IssuesJson } from './issues/issues-page.ts'
import type { ListJson } from './list-page.ts'
import type { OpenApiDocument } from './openapi/openapi-document.ts'
import type { RoutesPageView } from './routes-view.ts'
import type { StatusJson } from './status/status-page.ts'
import type { RecentTracesJson, TraceJson } from './trace/trace-page.ts'

/** By the name of the page; `never` for pages that send something else. */
export interface PageJson {
  readonly _profiler_home: ListJson
  readonly _profiler_live: never
  readonly _profiler_latest: never
  readonly _profiler_groups: GroupsJson
  readonly _profiler_issues: IssuesJson
  readonly _profiler_runs: RunsJson
  readonly _profiler_trace: TraceJson | RecentTracesJson
  readonly _profiler_open: OpenRequestsData
  readonly _profiler_tasks: KnownTasks
  readonly _profiler_lock: LockFacts
  readonly _profiler_compare: ComparedJson | CompareChoiceJson
  readonly _profiler_changes: never
  readonly _profiler_reload: never
  readonly _profiler_export: ExportJson
  readonly _profiler_routes: RoutesPageView
  readonly _profiler_status: StatusJson
  readonly _profiler_openapi: OpenApiDocument
  readonly _profiler_help: HelpJson
}
