// A comparison of runs as Markdown, for tickets, chats and agents. Names of routes and filters stand in code spans.

import { codeSpan } from '../../../errors/markdown-text.ts'
import { formatDuration } from '../../../framework/html/components.ts'
import { routeChanges, type RouteDifference } from '../../compare/compare-runs.ts'
import type { RunComparison } from '../../compare/read-runs.ts'
import type { ProfileGroup } from '../../profile-store.ts'
import { meanText } from '../groups/groups-table.ts'
import { changeTitles, errorText, relativeText, routeText, runText, scopeText, verdictTexts } from './run-text.ts'

/** Routes of one section at most. */
const maxRows = 100

const title = '# Comparison of runs'

/** Why there is no comparison, one sentence each. */
export function noRunsMarkdown(reasons: readonly string[]): string {
  return `${title}\n\n${reasons.join('\n')}\n`
}

/** Both sides, then every route, what got worse first. */
export function runsMarkdown(comparison: RunComparison): string {
  const { run, base, routes } = comparison
  const sides = `- Run: ${runText(run, codeSpan)}, ${scopeText(run)}\n- Base: ${runText(base, codeSpan)}, ${scopeText(base)}`
  const sections = routeChanges.flatMap((change) => {
    const found = routes.filter((one) => one.change === change)
    if (found.length === 0) return []
    const rest = found.length > maxRows ? [`- and ${found.length - maxRows} more`] : []
    return [`## ${changeTitles[change]}\n\n${[...found.slice(0, maxRows).map(line), ...rest].join('\n')}`]
  })
  const nothing = routes.length === 0 ? ['Neither side has a profile.'] : []
  return `${[title, sides, ...nothing, ...sections].join('\n\n')}\n`
}

function line({ route, verdicts, isFew, run, base }: RouteDifference): string {
  const name = route === null ? routeText(route) : codeSpan(route)
  const marks = [...verdicts.map((verdict) => verdictTexts[verdict]), ...(isFew ? ['few profiles'] : [])]
  const only = run ?? base
  const facts = run === null || base === null ? (only === null ? [] : onlyFacts(only)) : bothFacts(run, base)
  return `- ${name}${marks.length === 0 ? '' : ` (${marks.join(', ')})`}: ${facts.join(', ')}`
}

function bothFacts(run: ProfileGroup, base: ProfileGroup): readonly string[] {
  const time = (label: string, now: number, before: number): string =>
    `${label} ${formatDuration(now)} against ${formatDuration(before)}${inBrackets(relativeText(now, before))}`
  return [
    time('p50', run.p50Ms, base.p50Ms),
    time('p95', run.p95Ms, base.p95Ms),
    ...(run.ownCpuP50Ms === null || base.ownCpuP50Ms === null
      ? []
      : [time('own code', run.ownCpuP50Ms, base.ownCpuP50Ms)]),
    ...(run.meanQueries === null || base.meanQueries === null
      ? []
      : [`queries ${meanText(run.meanQueries)} against ${meanText(base.meanQueries)}`]),
    `errors ${errorText(run)} against ${errorText(base)}`,
  ]
}

function onlyFacts(group: ProfileGroup): readonly string[] {
  return [`p50 ${formatDuration(group.p50Ms)}`, `p95 ${formatDuration(group.p95Ms)}`, `errors ${errorText(group)}`]
}

function inBrackets(text: string): string {
  return text === '' ? '' : ` (${text})`
}
