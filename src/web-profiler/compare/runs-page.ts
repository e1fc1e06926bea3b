// `/_profiler/compare-runs`: what an application did in one stretch of time against another, route by route. The address is the
// permalink. Where no run is named, the two newest starts of a process are compared.

import { heading } from '../profiler-pages.ts'
import { readRuns, recentStarts, type RunComparison, type RunsRequest } from '../../profiler/compare/read-runs.ts'
import type { PageTools, ProfilerPage } from '../profiler-page.ts'
import { fromStore } from '../unreadable-store.ts'
import { RunQuery } from './run-query.ts'
import { runsMarkdown } from './runs-markdown.ts'
import { runsStyles, runsView } from './runs-view.ts'

/** Groups the newest 10,000 profiles of each side. 400 for what cannot be used. */
export const runsPage: ProfilerPage = {
  name: '_profiler_runs',
  path: 'compare-runs',
  async answer({ context }, tools) {
    const { profilerPath } = tools.options
    const query = new RunQuery(context.query)
    const { problems } = query
    const starts = problems.length > 0 ? [] : await fromStore(async () => recentStarts(tools.options.profiles))
    const request = query.request ?? newestStarts(query, starts)
    const comparison = problems.length > 0 || request === null ? null : await compared(request, tools)
    return {
      status: problems.length === 0 ? 200 : 400,
      html: () => ({
        title: 'Comparison of runs',
        headline: heading('Comparison of runs'),
        content: runsView({ query, starts, comparison, profilerPath, now: Date.now() }),
        styles: [runsStyles],
        search: query.list.value('url'),
      }),
      json: () => ({ run: null, base: null, routes: [], ...comparison, starts, problems }),
      markdown: () => runsMarkdown(comparison, problems),
    }
  },
}

async function compared(request: RunsRequest, { options: { profiles } }: PageTools): Promise<RunComparison> {
  return fromStore(async () => readRuns(profiles, request))
}

/** The process that answers now against the one before it. */
function newestStarts({ list: { filter } }: RunQuery, [newest, before]: readonly number[]): RunsRequest | null {
  if (newest === undefined || before === undefined) return null
  return { filter, run: { since: newest, until: null }, base: { since: before, until: newest } }
}
