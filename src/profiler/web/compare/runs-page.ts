// `/_profiler/compare-runs`: what an application did in one stretch of time against another, route by route. The address is the
// permalink. If no run is named, the two newest starts of a process are compared.

import { wallMs } from '../../../framework/timing/builtins.ts'
import { codeSpan } from '../../../errors/markdown-text.ts'
import type { FoundRuns, RunComparison } from '../../compare/read-runs.ts'
import { findRuns, recentStarts, recentVersions, readRuns } from '../../compare/read-runs.ts'
import { NotedReads } from '../../query/missing-parts.ts'
import { fromStore, type ProfilerPage } from '../profiler-page.ts'
import { RunQuery, runsStyles, runsView } from './runs-view.ts'
import { nothingFound, runsMarkdown, runsText } from '../../query/runs-blocks.ts'

/** Groups the newest 10,000 profiles of each side. 400 for what cannot be used. */
export const runsPage: ProfilerPage = async ({ request }, tools) => {
  const { profilerPath } = tools.options
  const query = new RunQuery(request.rawQuery)
  const reads = new NotedReads(tools.options.profiles)
  const { runs, comparison, found } = await read(query, reads)
  const { missing } = reads
  const problems = found?.state === 'no-base' ? [...query.problems, nothingFound(found)] : query.problems
  const nothing = found === null || found.state === 'found' || found.state === 'no-base' ? null : found
  return {
    problems,
    ignored: query.list.ignored,
    missing,
    html: () => ({
      title: 'Runs',
      content: runsView({
        query,
        ...runs,
        comparison,
        nothing: nothing === null ? null : nothingFound(nothing),
        profilerPath,
        linkTo: tools.linkTo,
        now: wallMs(),
      }),
      styles: [runsStyles],
    }),
    json: () => ({
      run: null,
      base: null,
      routes: [],
      ...comparison,
      ...runs,
      missing,
      problems,
      ignored: query.list.ignored,
    }),
    markdown: () => {
      if (comparison !== null) return runsMarkdown(comparison)
      return runsText(nothing === null ? [] : [nothingFound(nothing, codeSpan)])
    },
  }
}

interface ReadPage {
  readonly runs: { readonly starts: readonly number[]; readonly versions: readonly string[] }
  readonly comparison: RunComparison | null
  /** `null` if the address cannot be used. */
  readonly found: FoundRuns | null
}

async function read({ asked, problems }: RunQuery, profiles: NotedReads): Promise<ReadPage> {
  if (problems.length > 0) return { runs: { starts: [], versions: [] }, comparison: null, found: null }
  return fromStore(async () => {
    const [found, starts, versions] = await Promise.all([
      findRuns(profiles, asked),
      recentStarts(profiles),
      recentVersions(profiles),
    ])
    const runs = { starts, versions }
    return { runs, comparison: found.state === 'found' ? await readRuns(profiles, found) : null, found }
  })
}
