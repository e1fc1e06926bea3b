// `fanlight profiles compare` and `compare-runs`.

import { countOf } from '../../base/html/page-budget.ts'
import type { Engine } from '../../profiles/stores/engine.ts'
import { readComparison } from '../../analysis/compare/compare.ts'
import { compareMarkdown } from '../../analysis/compare/compare-markdown.ts'
import type { Cli } from '../cli.ts'
import { CliError, exitCodes } from '../command.ts'
import { visibleText } from '../terminal.ts'
import { findRuns, namedOrNull, type AskedRuns, type FoundRuns, readRuns } from '../../analysis/compare/read-runs.ts'
import { nothingFound, runsMarkdown } from '../../analysis/compare/runs-blocks.ts'
import { NotedReads } from '../../profiles/query/missing-parts.ts'
import type { ProfileFilter } from '../../profiles/query/filters.ts'
import { countedProfiles } from '../../profiles/query/groups.ts'
import { readOption, toFilter, type ProfileFilterOptions } from './profile-filters.ts'

/** Prints the differences as Markdown, or all of it as JSON. Throws a CliError (3) for a profile that is not there. */
export async function compareProfiles(
  cli: Cli,
  engine: Engine,
  a: string,
  b: string,
  options: { readonly json?: true },
): Promise<void> {
  const profiles = new NotedReads(engine.profiles)
  const read = await readComparison(profiles, a, b)
  const { missing } = profiles
  cli.noteMissing(missing)
  if (read.state === 'missing') throw new CliError(read.problem, exitCodes.notFound)
  if (options.json === true) cli.terminal.json({ a: read.a, b: read.b, ...read.comparison, missing })
  else cli.terminal.markdown(compareMarkdown(read))
}

/** Options as they were typed: `since`, `until` and `appVersion` name the run. */
export interface CompareRunsOptions extends ProfileFilterOptions {
  readonly baseSince?: string
  readonly baseUntil?: string
  readonly baseVersion?: string
  readonly failOnWorse?: true
  readonly json?: true
}

/**
 * Prints the comparison as Markdown, or as JSON. Throws a CliError (3) if the other run is not named and none is known,
 * a usage error for what cannot be read, and, if that is asked for, an error (1) that counts routes which
 * got worse.
 */
export async function compareRunsOf(cli: Cli, options: CompareRunsOptions): Promise<void> {
  const asked = toAsked(options)
  await cli.withEngine(async (engine) => {
    const profiles = new NotedReads(engine.profiles)
    const found = await findRuns(profiles, asked)
    const comparison = found.state === 'found' ? await readRuns(profiles, found) : nothingToCompare(found)
    const { missing } = profiles
    cli.noteMissing(missing)
    if (comparison instanceof CliError) throw comparison
    if (options.json === true) cli.terminal.json({ ...comparison, missing })
    else cli.terminal.markdown(runsMarkdown(comparison))
    const worse = comparison.routes.filter(({ change }) => change === 'worse').length
    if (options.failOnWorse === true && worse > 0) throw new CliError(`${countOf(worse, 'route')} got worse`)
  })
}

function toAsked(options: CompareRunsOptions): AskedRuns {
  const filter = toFilter(options)
  const { baseSince, baseUntil, baseVersion } = options
  const { since = null, until = null, version = null } = filter
  const base = {
    since: null,
    until: null,
    version: null,
    ...namedBase('--base-since', 'since', baseSince),
    ...namedBase('--base-until', 'until', baseUntil),
    ...namedBase('--base-version', 'version', baseVersion),
  }
  return {
    filter: countedProfiles(filter),
    run: namedOrNull({ since, until, version }),
    base: namedOrNull(base),
  }
}

function namedBase(option: string, name: 'since' | 'until' | 'version', value: string | undefined): ProfileFilter {
  return value === undefined ? {} : readOption(option, name, value)
}

function nothingToCompare(found: Exclude<FoundRuns, { state: 'found' }>): CliError {
  if (found.state === 'no-base') {
    return new CliError('name the base too: --base-since, --base-until or --base-version', exitCodes.usage)
  }
  return new CliError(visibleText(nothingFound(found)), exitCodes.notFound)
}
