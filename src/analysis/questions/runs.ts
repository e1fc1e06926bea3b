// How often, how long and how well: requests counted by route or version, and what of it changed since the run before.

import {
  counted,
  formatClock,
  formatCount,
  formatDuration,
  formatTime,
  type Tone,
  isoTime,
} from '../../base/html/components.ts'
import { cutText } from '../../base/redact/cut-text.ts'
import { detail, empty, facts, note, offPage, text, sortable, wideTable } from '../../observe/blocks/blocks.ts'
import type { Blocks, Inline, Line } from '../../observe/blocks/blocks.ts'
import { partsOf } from '../../observe/blocks/sections.ts'
import { isNarrowing, oneOf, parameter, question, type Question } from '../../pages/question.ts'
import {
  groupings,
  type GroupBy,
  type MissingParts,
  type ProfileGroup,
  NotedReads,
  nothingYet,
} from '../../profiles/profile-store.ts'
import { filters, type ProfileFilter } from '../../profiles/query/filters.ts'
import { countedName, countedProfiles, groupOrders, groupsSentence, meanText } from './groups.ts'
import type { GroupOrder } from './groups.ts'
import { doOverlap, isWorse, readRuns, scopeOf, verdictOn } from '../compare/read-runs.ts'
import type { ComparedGroup, CountedRun, ReadRuns, RunScope, Verdict } from '../compare/read-runs.ts'

const instant = (name: 'since' | 'until', label: string, help: string) =>
  parameter<number | null>({
    label,
    help,
    what: 'a time',
    use: filters[name].use,
    field: { label, hint: filters.until.hint ?? '' },
    read: (typed) => {
      const read = filters[name].read(typed)
      return 'problem' in read ? undefined : read.filter[name]
    },
    default: null,
  })

const parameters = {
  by: oneOf(groupings, 'route', {
    label: 'By',
    help: 'route or version (default: route)',
    buttons: { route: 'By route', version: 'By version' },
  }),
  compare: {
    ...oneOf(['before', 'no'], 'before', {
      label: 'Compare',
      help: 'before: routes, with the run before, where one is known; no: count only (default: before)',
      buttons: { before: 'With the run before', no: 'All requests' },
    }),
    isOffered: ({ by }: Readonly<Record<string, unknown>>) => by === 'route',
  },
  sort: oneOf(groupOrders, undefined, {
    label: 'Sort',
    help: `${groupOrders.join(', ')}; the greatest first (default: what got worse, else count)`,
  }),
  'base-since': instant('since', 'Before: from (UTC)', 'the run before starts here (default: with the first profile)'),
  'base-until': instant('until', 'Before: to (UTC)', 'and ends before this instant (default: where the run begins)'),
  'base-version': parameter<string | null>({
    label: 'Before: version',
    help: 'the run before is this version of the application (default: the one before)',
    use: filters.version.use,
    field: { label: 'Before: version', hint: '2.0.0' },
    read: (typed) => typed,
    default: null,
  }),
}

interface FoundRuns extends ReadRuns {
  readonly by: GroupBy
  readonly sort: GroupOrder | null
  readonly missing?: MissingParts | undefined
}

export const runs: Question = question<typeof parameters, FoundRuns>({
  name: 'runs',
  label: 'Runs',
  title: ({ values: { by } }) => (by === 'route' ? 'Runs' : `Runs by ${by}`),
  command: 'profiles runs',
  about:
    'count requests by route or version, with percentiles, and compare a run with the one before: --since, --until and\n--app-version select it; without them the newest start of the application',
  isFiltered: true,
  rows: 20,
  parameters,
  fails: {
    option: 'fail-on-worse',
    help: 'exit with 1 if a route with enough profiles got worse, or nothing was compared',
    problem: ({ base, groups }) => {
      const worse = groups.filter(({ change }) => change === 'worse').length
      return base === null ? 'nothing was compared' : worse > 0 ? `${counted(worse, 'route')} got worse` : undefined
    },
  },
  listed: { groups: { fixed: { compare: 'no' }, usual: { sort: 'p95' } } },
  ask: async ({ profiles }, { filter, values }): Promise<FoundRuns> => {
    const { by, compare, sort, 'base-since': since, 'base-until': until, 'base-version': version } = values
    const reads = new NotedReads(profiles)
    const isCompared = by === 'route' && compare === 'before'
    const base = scopeOf({ since, until, version })
    const found = await readRuns(reads, { filter: countedProfiles(filter), by, base, isCompared, sort })
    return { by, sort: sort ?? (found.base === null ? 'count' : null), ...found, missing: reads.missing }
  },
  draw: (found, { filter, limit = found.groups.length }) => {
    const { by, sort, run, base, groups, nothing } = found
    const shown = groups.slice(0, limit)
    const head = [note(nothing !== null && nothing, 'info'), ...(base === null ? [] : runBlocks(run, base))]
    if (groups.length === 0) return [...head, empty(noGroups(found, filter))]
    const longestMs = Math.max(...shown.map((group) => group.run?.p95Ms ?? 0))
    return [
      ...head,
      text([
        base === null ? groupsSentence({ by, ...run, groups }, countedName(countedProfiles(filter))) : changes(groups),
        shown.length < groups.length ? `The first ${shown.length} are shown.` : null,
        shown.length < groups.length ? { page: 'runs', with: { limit: '200' }, text: 'Show more' } : null,
      ]),
      wideTable(
        sort === null ? 'Routes, what got worse first' : `Groups, ${figures[sort].title}, the greatest first`,
        'group',
        [by === 'route' ? 'Route' : 'Version', ...groupOrders.map((order) => sortable(order, figures[order], sort))],
        shown.map((group) => ({
          tone: toneOf(group),
          cells: [
            nameCell(group, found, filter),
            ...groupOrders.map((order) => cellOf(group, order, found, filter, longestMs)),
          ],
        })),
      ),
    ]
  },
})

function noGroups({ base, missing }: FoundRuns, filter: ProfileFilter): string {
  if (base !== null) return 'Neither run has profiles.'
  if (isNarrowing(filter)) return 'No profiles match these filters.'
  return nothingYet(missing)
}

function runBlocks(run: CountedRun, base: CountedRun): Blocks {
  return [
    facts('Runs', [
      ['After', runLine(run)],
      ['Before', runLine(base)],
    ]),
    note(doOverlap(run, base) && 'The times overlap, so some profiles count on both sides.'),
    note(
      run.omitted + base.omitted > 0 &&
        'A route missing on one side may be among its rarest routes, which are not shown.',
    ),
  ]
}

function runLine({ since, until, version, count, isCut, omitted }: CountedRun): Line {
  const isOpen = since === undefined && until === undefined
  const times = isOpen
    ? 'at any time'
    : since === undefined
      ? `before ${formatTime(until ?? 0)} UTC`
      : until === undefined
        ? `from ${formatTime(since)} UTC on`
        : `${formatTime(since)} to ${formatTime(until)} UTC`
  const rare = omitted === 0 ? '' : `; ${formatCount(omitted)} rarest routes not shown`
  const profiles = counted(count, 'profile')
  return [
    version === undefined ? times : isOpen ? 'version' : `${times}, version`,
    version === undefined ? null : { code: version },
    { quiet: `(${isCut ? `newest ${profiles}; older ones are not counted` : profiles}${rare})` },
  ]
}

/** The news in a sentence, and how to read the rest. */
function changes(groups: readonly ComparedGroup[]): string {
  const of = (change: ComparedGroup['change']): number => groups.filter((group) => group.change === change).length
  return `${of('worse')} of ${counted(groups.length, 'route')} got worse, ${of('better')} better. After above, before below. Only significant changes are marked; times and queries exclude warm-up.`
}

function toneOf({ change, verdicts, run }: ComparedGroup): Tone {
  if (change === 'better') return 'success'
  if (change === 'worse') return verdicts.includes('more errors') ? 'error' : 'warning'
  return (run?.errorCount ?? 0) > 0 ? 'error' : 'neutral'
}

/** Leads to the profiles; in a comparison to that of the newest profiles of both sides. */
function nameCell({ key, change, verdicts, run, base }: ComparedGroup, found: FoundRuns, filter: ProfileFilter): Line {
  const [verdict] = change === 'few' ? [] : verdicts
  const name = key === null ? `no ${found.by}` : cutText(key, 300)
  const isPair = run !== null && base !== null
  const pair = { a: run?.lastToken ?? '', b: base?.lastToken ?? '' }
  return [
    isPair
      ? { page: 'compare', with: pair, text: name, isBare: true }
      : listLink(key, name, run === null ? found.base : found.base && found.run, found.by, filter),
    verdict === undefined ? null : { mark: verdict, tone: verdictTone(verdict) },
    found.base === null || isPair ? null : { quiet: run === null ? 'only before' : 'only after' },
  ]
}

/** Leads to the profiles of a group; in a run, where it is of one. */
function listLink(key: string | null, text: string, run: RunScope | null, by: GroupBy, filter: ProfileFilter): Inline {
  const parts = membersOf(by, key, filter)
  return parts === null ? { quiet: text } : { page: '', with: { ...parts, ...(run && scopeParts(run)) }, text }
}

/** The filter that leaves the members of a group; `null` if there is none: for those without a version. */
function membersOf(
  by: GroupBy,
  key: string | null,
  { type, method }: ProfileFilter,
): Readonly<Record<string, string>> | null {
  if (by === 'route' && key !== null) return { route: key }
  // The list leaves no commands out where it is narrowed.
  const named: Record<string, string> = type === undefined && method === undefined ? { type: 'request' } : {}
  if (by === 'route') return { matched: 'no', ...named }
  return key === null ? null : { version: key, ...named }
}

/** What a column shows of a group. */
interface Figure {
  readonly title: string
  /** What the title does not say. */
  readonly hint?: string
  readonly cell: (group: ProfileGroup, longestMs: number) => Line
  /** Of a figure that is judged. */
  readonly value?: (group: ProfileGroup) => number | null
}

const unknown: Inline = { quiet: 'unknown' }

const figures: Readonly<Record<GroupOrder, Figure>> = {
  count: { title: 'Count', cell: ({ count, strip }) => [formatCount(count), { strip }] },
  errors: {
    title: 'Errors',
    cell: ({ errorCount, count }) =>
      errorCount === 0
        ? offPage('0')
        : [formatCount(errorCount), { quiet: `(${formatShare((errorCount / count) * 100)})` }],
    value: ({ errorCount, count }) => errorCount / count,
  },
  p50: {
    title: 'p50',
    hint: 'Half of the profiles were at most this long',
    cell: ({ p50Ms }) => formatDuration(p50Ms),
    value: ({ p50Ms }) => p50Ms,
  },
  p95: {
    title: 'p95',
    hint: '95 of 100 profiles were at most this long',
    cell: ({ p50Ms, p95Ms }, longestMs) => [
      formatDuration(p95Ms),
      longestMs > 0 ? { bar: [p95Ms / longestMs, p50Ms / longestMs] } : null,
    ],
    value: ({ p95Ms }) => p95Ms,
  },
  'own-code': {
    title: 'Own code',
    hint: 'Time in which code of the request ran: the median',
    cell: ({ ownCpuP50Ms }) => (ownCpuP50Ms === null ? unknown : formatDuration(ownCpuP50Ms)),
    value: ({ ownCpuP50Ms }) => ownCpuP50Ms,
  },
  queries: {
    title: 'Queries',
    hint: 'Queries per profile, on average',
    cell: ({ meanQueries }) =>
      meanQueries === null ? unknown : meanQueries === 0 ? offPage('0') : meanText(meanQueries),
    value: ({ meanQueries }) => meanQueries,
  },
  last: {
    title: 'Last (UTC)',
    cell: ({ lastTime, lastToken }) => ({ profile: lastToken, text: formatClock(lastTime) }),
  },
}

/** In a comparison the figure of before is below that of after, and what changed is marked. */
function cellOf(
  group: ComparedGroup,
  order: GroupOrder,
  found: FoundRuns,
  filter: ProfileFilter,
  longestMs: number,
): Line {
  const { key, run, base, change } = group
  const { title, cell, value } = figures[order]
  if (found.base === null) return run && cell(run, longestMs)
  const shown = (of: ProfileGroup | null, scope: RunScope): Line => {
    if (of === null || order !== 'count') return of && cell({ ...of, strip: [] }, 0)
    return listLink(key, formatCount(of.count), scope, found.by, filter)
  }
  const [now, before] = [shown(run, found.run), shown(base, found.base)]
  if (run === null || base === null) return now ?? before
  if (order === 'last') return { profile: run.lastToken, text: formatClock(run.lastTime) }
  const verdict = change === 'few' ? undefined : verdictOn(order, group)
  const [figure, figureBefore] = [value?.(run) ?? 0, value?.(base) ?? 0]
  return [
    verdict === undefined ? null : { mark: relativeText(figure, figureBefore) || verdict, tone: verdictTone(verdict) },
    ...partsOf(now),
    order !== 'count' && figure === figureBefore ? null : detail(`${title.toLowerCase()} before`, before),
  ]
}

function formatShare(percent: number): string {
  if (percent >= 99.95) return '100 %'
  return percent < 0.1 ? '< 0.1 %' : `${percent.toFixed(1)} %`
}

/** `+12 %`, `−3.4 %`, `×2.1`; nothing if it cannot be said. */
function relativeText(run: number, base: number): string {
  if (base === 0) return ''
  const factor = run / base
  if (factor >= 2) return `×${factor >= 10 ? factor.toFixed(0) : factor.toFixed(1)}`
  const percent = (factor - 1) * 100
  const size = Math.abs(percent)
  return `${percent > 0 ? '+' : '−'}${size < 9.95 ? size.toFixed(1) : size.toFixed(0)} %`
}

function verdictTone(verdict: Verdict): Tone {
  return isWorse(verdict) ? 'warning' : 'success'
}

/** What names a run in an address; empty for what is open. */
function scopeParts({ since, until, version }: RunScope): Readonly<Record<string, string>> {
  return {
    since: since === undefined ? '' : isoTime(since),
    until: until === undefined ? '' : isoTime(until),
    version: version ?? '',
  }
}
