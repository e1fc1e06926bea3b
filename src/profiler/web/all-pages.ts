// The pages of the profiler beside the profiles themselves, in the order in which the band of every page links them.

import { comparePage } from './compare/compare-page.ts'
import { runsPage } from './compare/runs-page.ts'
import { exportPage } from './export/export-page.ts'
import { latestPage } from './latest-page.ts'
import { listPage } from './list-page.ts'
import { openPage } from './open-requests/open-page.ts'
import { groupsPage } from './groups/groups-page.ts'
import { livePage } from './live/live-page.ts'
import type { ProfilerPage } from './profiler-page.ts'
import { routeTablePage } from './route-table-page.ts'
import { statusPage } from './status/status-page.ts'

/** All of them. No path may look like a token: 10 to 16 of 0-9 and a-z. */
export const allPages: readonly ProfilerPage[] = [
  listPage,
  livePage,
  latestPage,
  groupsPage,
  runsPage,
  openPage,
  comparePage,
  exportPage,
  routeTablePage,
  statusPage,
]
