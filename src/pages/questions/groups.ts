// How often, how long and how well: profiles counted by route or version.

import { formatClock, formatCount, formatDuration } from '../../base/html/components.ts'
import { cutText } from '../../base/redact/cut-text.ts'
import { detail, empty, text, wideTable, type Head, type Inline, type Line } from '../../observe/blocks/blocks.ts'
import { groupings, type GroupBy, type ProfileGroup } from '../../profiles/profile-store.ts'
import type { ProfileFilter } from '../../profiles/query/filters.ts'
import {
  countedName,
  countedProfiles,
  groupOrders,
  inOrder,
  meanText,
  scopeSentence,
} from '../../profiles/query/groups.ts'
import type { GroupOrder } from '../../profiles/query/groups.ts'
import { noneReachable } from '../../profiles/query/missing-parts.ts'
import { isNarrowing, oneOf, question, type Question } from './question.ts'

export const groups: Question = question({
  name: 'groups',
  label: 'Groups',
  title: ({ values: { by } }) => `Groups by ${by}`,
  command: 'profiles groups',
  about: 'count profiles, with percentiles of their durations',
  isFiltered: true,
  parameters: {
    by: oneOf(groupings, 'route', {
      label: 'By',
      help: 'route or version (default: route)',
      buttons: { route: 'By route', version: 'By version' },
    }),
    sort: oneOf(groupOrders, 'count', {
      label: 'Sort',
      help: `${groupOrders.join(', ')}; the greatest first (default: count)`,
    }),
  },
  listed: { groups: { usual: { sort: 'p95' } } },
  links: () => [{ page: 'compare-runs', with: {}, text: 'Compare two runs' }],
  ask: async ({ profiles }, { filter, values: { by, sort } }) => {
    const found = await profiles.group(countedProfiles(filter), by)
    return { ...found, groups: inOrder(found.groups, sort), sort }
  },
  draw: (found, asked) => {
    const { filter, values } = asked
    const { by, sort } = values
    if (found.groups.length === 0) {
      if (isNarrowing(filter)) return [empty('No profiles match these filters.')]
      if (found.missing !== undefined) return [empty(noneReachable)]
      return [empty('No request has been profiled yet: open a page of the application.')]
    }
    const longestMs = Math.max(...found.groups.map(({ p95Ms }) => p95Ms))
    return [
      text(scopeSentence(found, countedName(countedProfiles(filter)))),
      wideTable(
        `Groups, ${figures[sort].title}, the greatest first`,
        'group',
        [titles[by], ...groupOrders.map((order) => headOf(order, sort))],
        found.groups.map((group) => ({
          tone: group.errorCount > 0 ? 'error' : 'neutral',
          cells: [nameCell(group, by, filter), ...groupOrders.map((order) => figures[order].cell(group, longestMs))],
        })),
      ),
    ]
  },
})

const titles: Readonly<Record<GroupBy, string>> = { route: 'Route', version: 'Version' }

function headOf(order: GroupOrder, sort: GroupOrder): Head {
  const { title, hint } = figures[order]
  return { number: title, sort: order, isSorted: order === sort, hint }
}

function nameCell({ key }: ProfileGroup, by: GroupBy, filter: ProfileFilter): Line {
  const parts = membersOf(by, key, filter)
  const name = key === null ? `no ${by}` : cutText(key, 300)
  return parts === null ? { quiet: name } : { page: '', with: parts, text: name }
}

/** The filter that leaves the members of a group; `null` if there is none: for those without a version. */
function membersOf(
  by: GroupBy,
  key: string | null,
  { type, method }: ProfileFilter,
): Readonly<Record<string, string>> | null {
  if (by === 'route' && key !== null) return { route: key }
  // The list leaves no commands out where it is narrowed.
  const counted: Record<string, string> = type === undefined && method === undefined ? { type: 'request' } : {}
  if (by === 'route') return { matched: 'no', ...counted }
  return key === null ? null : { version: key, ...counted }
}

interface Figure {
  readonly title: string
  /** What the title does not say. */
  readonly hint?: string
  readonly cell: (group: ProfileGroup, longestMs: number) => Line
}

const unknown: Inline = { quiet: 'unknown' }

const figures: Readonly<Record<GroupOrder, Figure>> = {
  count: { title: 'Count', cell: ({ count, strip }) => [formatCount(count), { strip }] },
  errors: {
    title: 'Errors',
    cell: ({ errorCount, count }) =>
      errorCount === 0
        ? { quiet: '0' }
        : [formatCount(errorCount), { quiet: `(${formatShare((errorCount / count) * 100)})` }],
  },
  p50: {
    title: 'p50',
    hint: 'Half of the profiles were at most this long',
    cell: ({ p50Ms }) => formatDuration(p50Ms),
  },
  p95: {
    title: 'p95',
    hint: '95 of 100 profiles were at most this long',
    cell: ({ p50Ms, p95Ms }, longestMs) => [
      formatDuration(p95Ms),
      longestMs > 0 ? { bar: [p95Ms / longestMs, p50Ms / longestMs] } : null,
    ],
  },
  p99: {
    title: 'p99',
    hint: '99 of 100 profiles were at most this long',
    cell: ({ p99Ms }) => formatDuration(p99Ms),
  },
  longest: { title: 'Longest', cell: ({ maxMs }) => formatDuration(maxMs) },
  'own-code': {
    title: 'Own code',
    hint: 'Time in which code of the request ran: the median',
    cell: ({ ownCpuP50Ms }) => (ownCpuP50Ms === null ? unknown : formatDuration(ownCpuP50Ms)),
  },
  queries: {
    title: 'Queries',
    hint: 'Queries per profile, on average',
    cell: ({ meanQueries }) => (meanQueries === null ? unknown : meanText(meanQueries)),
  },
  last: {
    title: 'Last (UTC)',
    cell: ({ firstTime, lastTime, lastToken }) => [
      { profile: lastToken, text: formatClock(lastTime) },
      detail('first', formatClock(firstTime), true),
    ],
  },
}

function formatShare(percent: number): string {
  if (percent >= 99.95) return '100 %'
  return percent < 0.1 ? '< 0.1 %' : `${percent.toFixed(1)} %`
}
