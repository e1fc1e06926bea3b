// `fanlight profiles compare-runs`: what an application did in one stretch of time against another, route by route.

import type { Engine } from '../../engines/engine.ts'
import type { RouteDifference } from '../../profiler/compare/compare-runs.ts'
import { baseBefore, readRuns, recentStarts, type RunsRequest } from '../../profiler/compare/read-runs.ts'
import { runsMarkdown } from '../../web-profiler/compare/runs-markdown.ts'
import type { Cli } from '../cli.ts'
import { instant } from '../command.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { visibleText } from '../visible-text.ts'
import { toFilter, type ProfileFilterOptions } from './profile-filters.ts'

/** Options as they were typed: `since` and `until` name the run. */
export interface CompareRunsOptions extends ProfileFilterOptions {
  readonly baseSince?: string
  readonly baseUntil?: string
  readonly failOnWorse?: true
  readonly json?: true
}

/**
 * Prints the comparison as Markdown, or as JSON. Throws a CliError (3) where no run is named and only one start of the
 * application is known, a usage error for what cannot be read, and where it is asked for an error (1) that counts routes which
 * got worse.
 */
export async function compareRunsOf(cli: Cli, options: CompareRunsOptions): Promise<void> {
  const request = toRequest(options)
  await cli.withEngine(async ({ profiles }) => {
    const comparison = await readRuns(profiles, request ?? (await newestStarts(profiles, options)))
    if (options.json === true) cli.terminal.json(comparison)
    else cli.terminal.lines(runsMarkdown(comparison).trimEnd().split('\n').map(visibleText))
    if (options.failOnWorse === true) refuseWorse(comparison.routes)
  })
}

/** Routes with few profiles are not held against a run: their figures may be chance. */
function refuseWorse(routes: readonly RouteDifference[]): void {
  const worse = routes.filter(({ change, isFew }) => change === 'worse' && !isFew)
  if (worse.length > 0) throw new CliError(`${worse.length === 1 ? '1 route' : `${worse.length} routes`} got worse`)
}

function toRequest(options: CompareRunsOptions): RunsRequest | null {
  const filter = toFilter(options)
  const { baseSince, baseUntil } = options
  const run = { since: filter.since ?? null, until: filter.until ?? null }
  if (baseSince === undefined && baseUntil === undefined) {
    if (run.since === null && run.until === null) return null
    const base = baseBefore(run)
    if (base === null) throw new CliError('name the base too: --base-since, --base-until', exitCodes.usage)
    return { filter, run, base }
  }
  const base = {
    since: baseSince === undefined ? null : instant('--base-since', baseSince),
    until: baseUntil === undefined ? null : instant('--base-until', baseUntil),
  }
  return { filter, run, base }
}

/** The newest start of the application against the one before it. */
async function newestStarts(profiles: Engine['profiles'], options: CompareRunsOptions): Promise<RunsRequest> {
  const [newest, before] = await recentStarts(profiles)
  if (newest === undefined || before === undefined) {
    throw new CliError(
      'there are no two starts of the application to compare; name times: --since, --base-since',
      exitCodes.notFound,
    )
  }
  return { filter: toFilter(options), run: { since: newest, until: null }, base: { since: before, until: newest } }
}
