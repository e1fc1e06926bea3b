// A comparison of two runs as text and Markdown.

import { codeSpan } from '../../errors/markdown-text.ts'
import { counted, formatCount, formatDuration, formatTime } from '../../framework/html/components.ts'
import {
  routeChanges,
  type RouteDifference,
  type RouteChange,
  type Verdict,
  type RunComparison,
  type ComparedRun,
  type RunScope,
  type FoundRuns,
} from '../compare/read-runs.ts'
import type { ProfileGroup } from '../profile-store.ts'
import { meanText } from './groups.ts'

const maxRows = 100

const title = '# Compare runs'

/** What is not compared, and what counts as a change. */
export const warmUpSentence =
  'The first requests of each route are left out as warm-up. A change is what a rank test tells from chance.'

export function noRunsMarkdown(reasons: readonly string[]): string {
  return `${title}\n\n${reasons.join('\n')}\n`
}

export function runsMarkdown(comparison: RunComparison): string {
  const { run, base, routes } = comparison
  const sides = `- After: ${runText(run, codeSpan)}, ${scopeText(run)}\n- Before: ${runText(base, codeSpan)}, ${scopeText(base)}`
  const sections = routeChanges.flatMap((change) => {
    const found = routes.filter((one) => one.change === change)
    if (found.length === 0) return []
    const rest = found.length > maxRows ? [`- and ${found.length - maxRows} more`] : []
    return [`## ${changeTitles[change]}\n\n${[...found.slice(0, maxRows).map(line), ...rest].join('\n')}`]
  })
  const note = routes.length === 0 ? [] : [warmUpSentence]
  const nothing = routes.length === 0 ? ['Neither run has profiles.'] : []
  return `${[title, sides, ...note, ...nothing, ...sections].join('\n\n')}\n`
}

function line({ route, verdicts, isFew, run, base }: RouteDifference): string {
  const name = route === null ? routeText(route) : codeSpan(route)
  const marks = [...verdicts.map((verdict) => verdictTexts[verdict]), ...(isFew ? ['too few'] : [])]
  const only = run ?? base
  const facts = run === null || base === null ? (only === null ? [] : onlyFacts(only)) : bothFacts(run, base)
  return `- ${name}${marks.length === 0 ? '' : ` (${marks.join(', ')})`}: ${facts.join(', ')}`
}

function bothFacts(run: ProfileGroup, base: ProfileGroup): readonly string[] {
  const time = (label: string, now: number, before: number): string =>
    `${label} ${formatDuration(now)} vs ${formatDuration(before)}${inBrackets(relativeText(now, before))}`
  return [
    time('p50', run.p50Ms, base.p50Ms),
    time('p95', run.p95Ms, base.p95Ms),
    ...(run.ownCpuP50Ms === null || base.ownCpuP50Ms === null
      ? []
      : [time('own code', run.ownCpuP50Ms, base.ownCpuP50Ms)]),
    ...(run.meanQueries === null || base.meanQueries === null
      ? []
      : [`queries ${meanText(run.meanQueries)} vs ${meanText(base.meanQueries)}`]),
    `errors ${errorText(run)} vs ${errorText(base)}`,
  ]
}

function onlyFacts(group: ProfileGroup): readonly string[] {
  return [`p50 ${formatDuration(group.p50Ms)}`, `p95 ${formatDuration(group.p95Ms)}`, `errors ${errorText(group)}`]
}

function inBrackets(text: string): string {
  return text === '' ? '' : ` (${text})`
}

export const verdictTexts: Readonly<Record<Verdict, string>> = {
  slower: 'slower',
  faster: 'faster',
  'slower-tail': 'slower p95',
  'faster-tail': 'faster p95',
  'more-own-code': 'more own code',
  'less-own-code': 'less own code',
  'more-queries': 'more queries',
  'fewer-queries': 'fewer queries',
  'more-errors': 'more errors',
  'fewer-errors': 'fewer errors',
}

export const changeTitles: Readonly<Record<RouteChange, string>> = {
  worse: 'Worse',
  better: 'Better',
  few: 'Not enough data',
  'only-run': 'Only after',
  'only-base': 'Only before',
  same: 'Unchanged',
}

/** Why there is nothing to compare. `asCode` says how a version is written. */
export function nothingFound(
  found: Exclude<FoundRuns, { state: 'found' }>,
  asCode: (text: string) => string = asItIs,
): string {
  switch (found.state) {
    case 'no-starts':
      return 'Nothing to compare yet: restart the application and use it, or name the times or versions of two runs.'
    case 'no-other-version':
      return `All recent profiles are of version ${asCode(found.version)}.`
    case 'no-base':
      return 'Before: unknown. Give a start time for After, or times or a version for Before.'
  }
}

/** `version 2.1.0`, `2026-11-21 08:00:00.000 to 2026-11-21 09:00:00.000 UTC`, or both; open ends in words. */
export function runText(run: RunScope, asCode: (text: string) => string = asItIs): string {
  if (run.version === null) return timesText(run)
  const version = `version ${asCode(run.version)}`
  return run.since === null && run.until === null ? version : `${version}, ${timesText(run)}`
}

function timesText({ since, until }: Pick<RunScope, 'since' | 'until'>): string {
  if (since === null && until === null) return 'at any time'
  if (since === null) return `before ${formatTime(until ?? 0)} UTC`
  return until === null ? `from ${formatTime(since)} UTC on` : `${formatTime(since)} to ${formatTime(until)} UTC`
}

export function scopeText({ count, isCut, omitted }: ComparedRun): string {
  const profiles = counted(count, 'profile')
  const rare = omitted === 0 ? '' : `; ${formatCount(omitted)} rarest routes not shown`
  return `${isCut ? `newest ${profiles}; older ones are not counted` : profiles}${rare}`
}

function asItIs(text: string): string {
  return text
}

export function routeText(route: string | null): string {
  return route ?? 'no route'
}

/** `3 of 40`. */
export function errorText({ errorCount, count }: Pick<ProfileGroup, 'errorCount' | 'count'>): string {
  return `${formatCount(errorCount)} of ${formatCount(count)}`
}

/** `+12 %`, `−3.4 %`, `×2.1`; `±0` where hardly anything differs, nothing if it cannot be said. */
export function relativeText(run: number, base: number): string {
  if (run === base) return '±0'
  if (base === 0) return ''
  const factor = run / base
  if (factor >= 2) return `×${factor >= 10 ? factor.toFixed(0) : factor.toFixed(1)}`
  const percent = (factor - 1) * 100
  const size = Math.abs(percent)
  if (size < 0.05) return '±0'
  return `${percent > 0 ? '+' : '−'}${size < 9.95 ? size.toFixed(1) : size.toFixed(0)} %`
}
