// What a comparison of two runs says, and why there is none.

import { codeSpan } from '../../base/markdown-text.ts'
import { counted, formatCount, formatDuration, formatTime, type Tone } from '../../base/html/components.ts'
import { cutText } from '../../base/redact/cut-text.ts'
import { detail, empty, facts, heading, note, recorded, text, wideTable } from '../../observe/blocks/blocks.ts'
import type { Blocks, Inline, Line, Table } from '../../observe/blocks/blocks.ts'
import { sectionTexts } from '../../observe/blocks/sections.ts'
import { doOverlap, isWorse, routeChanges, type RouteDifference, type RouteChange } from './read-runs.ts'
import type { ComparedRun, FoundRuns, RunComparison, RunScope, Verdict } from './read-runs.ts'
import type { ProfileGroup } from '../../profiles/profile-store.ts'
import { meanText } from '../../profiles/query/groups.ts'
import { isoTime } from '../../profiles/profile-facts.ts'

/** Rows of each change in Markdown. */
const maxRows = 100

export function runsMarkdown(comparison: RunComparison): string {
  return runsText(sectionTexts(runsBlocks(comparison, maxRows), codeSpan))
}

export function runsText(parts: readonly string[]): string {
  return `${['# Compare runs', ...parts].join('\n\n')}\n`
}

export function runsBlocks(comparison: RunComparison, most: number = Number.POSITIVE_INFINITY): Blocks {
  const { run, base, routes } = comparison
  return [
    facts('Runs', [
      ['After', [...runLine(run), { quiet: `(${scopeText(run)})` }]],
      ['Before', [...runLine(base), { quiet: `(${scopeText(base)})` }]],
    ]),
    note(doOverlap(run, base) && 'The times overlap, so some profiles count on both sides.'),
    note(
      run.omitted + base.omitted > 0 &&
        'A route missing on one side may be among its rarest routes, which are not shown.',
    ),
    ...(routes.length === 0
      ? [empty('Neither run has profiles.')]
      : [
          text(
            '+ means more after. Own code is the median, queries the mean. The first requests of each route are left out as warm-up. A change is what a rank test tells from chance.',
          ),
        ]),
    ...routeChanges.flatMap((change) => changeBlocks(change, comparison, most)),
  ]
}

/** What stayed the same is folded. */
function changeBlocks(change: RouteChange, comparison: RunComparison, most: number): Blocks {
  const found = comparison.routes.filter((one) => one.change === change)
  if (found.length === 0) return []
  const title = `${changeTitles[change]} (${found.length})`
  const rows = found.slice(0, most).map((one) => rowOf(one, comparison))
  const heads = ['Profiles', 'p50', 'p95', 'Own code', 'Queries', 'Errors'].map((number) => ({ number }))
  const block = wideTable(changeTitles[change], 'route', ['Route', ...heads], rows)
  const rest = text(found.length > most && `${formatCount(found.length - most)} more are not shown.`)
  return change === 'same'
    ? [heading(title), { kind: 'fold', title: 'Routes', block }, rest]
    : [heading(title), block, rest]
}

function rowOf(one: RouteDifference, comparison: RunComparison): Table['rows'][number] {
  const { run, base, verdicts, isFew } = one
  const only = run ?? base
  const figure = (
    name: string,
    read: (group: ProfileGroup) => number | null,
    show: (value: number) => string,
    judged: readonly Verdict[] = [],
  ): Line => {
    const shown = (group: ProfileGroup | null): string | null => {
      const value = group && read(group)
      return value === null ? null : show(value)
    }
    if (run === null || base === null) return shown(only)
    const [now, before] = [read(run), read(base)]
    const change = now === null || before === null ? '' : relativeText(now, before)
    const verdict = isFew ? undefined : judged.find((of) => verdicts.includes(of))
    return [
      changeInline(change, verdict === undefined ? undefined : isWorse(verdict) ? 'warning' : 'success'),
      shown(run),
      detail(`${name} before`, shown(base)),
    ]
  }
  const profiles = (group: ProfileGroup | null, scope: RunScope): Inline =>
    group && { page: '', with: { ...routeParts(one), ...scopeParts(scope) }, text: formatCount(group.count) }
  return {
    tone:
      one.change === 'better'
        ? 'success'
        : one.change !== 'worse'
          ? 'neutral'
          : verdicts.includes('more-errors')
            ? 'error'
            : 'warning',
    cells: [
      [
        nameOf(one),
        ...(isFew ? [] : verdicts.map((verdict) => ({ mark: verdictTexts[verdict], tone: toneOf(verdict) }))),
      ],
      [
        profiles(run, comparison.run),
        run === null ? profiles(base, comparison.base) : detail('profiles before', profiles(base, comparison.base)),
      ],
      figure('p50', ({ p50Ms }) => p50Ms, formatDuration, ['slower', 'faster']),
      figure('p95', ({ p95Ms }) => p95Ms, formatDuration, ['slower-tail', 'faster-tail']),
      figure('own code', ({ ownCpuP50Ms }) => ownCpuP50Ms, formatDuration, ['more-own-code', 'less-own-code']),
      figure('queries', ({ meanQueries }) => meanQueries, meanText, ['more-queries', 'fewer-queries']),
      [only && errorText(only), run && base && detail('errors before', errorText(base))],
    ],
  }
}

/** Leads to the comparison of the newest profiles of both sides. */
function nameOf({ route, run, base }: RouteDifference): Inline {
  if (route === null) return { quiet: 'no route' }
  const name = cutText(route, 300)
  if (run === null || base === null) return recorded(name)
  return { page: 'compare', with: { a: run.lastToken, b: base.lastToken }, text: name }
}

function routeParts({ route }: RouteDifference): Readonly<Record<string, string>> {
  return route === null ? { matched: 'no' } : { route }
}

function toneOf(verdict: Verdict): Tone {
  return isWorse(verdict) ? 'warning' : 'success'
}

/** Colour is a verdict: a difference that may be chance has none. */
function changeInline(change: string, tone: Tone | undefined): Inline {
  if (change === '' || change === '±0') return null
  return tone === undefined ? { quiet: change } : { mark: change, tone }
}

/** What names a run in an address; empty for what is open. */
export function scopeParts(
  { since, until, version }: RunScope,
  prefix: '' | 'base-' = '',
): Readonly<Record<string, string>> {
  return {
    [`${prefix}since`]: since === null ? '' : isoTime(since),
    [`${prefix}until`]: until === null ? '' : isoTime(until),
    [`${prefix}version`]: version ?? '',
  }
}

const verdictTexts: Readonly<Record<Verdict, string>> = {
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

const changeTitles: Readonly<Record<RouteChange, string>> = {
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

function runLine(run: RunScope): readonly Inline[] {
  if (run.version === null) return [timesText(run)]
  const isOpen = run.since === null && run.until === null
  return [isOpen ? 'version' : `${timesText(run)}, version`, { code: run.version }]
}

function timesText({ since, until }: Pick<RunScope, 'since' | 'until'>): string {
  if (since === null && until === null) return 'at any time'
  if (since === null) return `before ${formatTime(until ?? 0)} UTC`
  return until === null ? `from ${formatTime(since)} UTC on` : `${formatTime(since)} to ${formatTime(until)} UTC`
}

function scopeText({ count, isCut, omitted }: ComparedRun): string {
  const profiles = counted(count, 'profile')
  const rare = omitted === 0 ? '' : `; ${formatCount(omitted)} rarest routes not shown`
  return `${isCut ? `newest ${profiles}; older ones are not counted` : profiles}${rare}`
}

function asItIs(text: string): string {
  return text
}

/** `3 of 40`. */
function errorText({ errorCount, count }: Pick<ProfileGroup, 'errorCount' | 'count'>): string {
  return `${formatCount(errorCount)} of ${formatCount(count)}`
}

/** `+12 %`, `−3.4 %`, `×2.1`; `±0` where hardly anything differs, nothing if it cannot be said. */
function relativeText(run: number, base: number): string {
  if (run === base) return '±0'
  if (base === 0) return ''
  const factor = run / base
  if (factor >= 2) return `×${factor >= 10 ? factor.toFixed(0) : factor.toFixed(1)}`
  const percent = (factor - 1) * 100
  const size = Math.abs(percent)
  if (size < 0.05) return '±0'
  return `${percent > 0 ? '+' : '−'}${size < 9.95 ? size.toFixed(1) : size.toFixed(0)} %`
}
