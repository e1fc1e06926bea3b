// Which queries take most time, run most often, or run again and again: those of all profiles.

import { counted, formatCount, formatDuration } from '../../base/html/components.ts'
import { detail, empty, place, recorded, text, sortable, wideTable } from '../../observe/blocks/blocks.ts'
import type { Inline, Line } from '../../observe/blocks/blocks.ts'
import { queryAnchor } from '../../observe/outgoing/database-data.ts'
import {
  queryOrders,
  type QueryOrder,
  type QueryRun,
  type QueryTotal,
  type SlowestQuery,
} from '../../profiles/gather.ts'
import { gatheredFrom } from './groups.ts'
import { noneReachable } from '../../profiles/profile-store.ts'
import { noQueries } from '../../pages/panels/database.ts'
import { isNarrowing, oneOf, question, type Question } from '../../pages/question.ts'

export const queries: Question = question({
  name: 'queries',
  label: 'Queries',
  title: () => 'Queries',
  command: 'profiles queries',
  about: 'list queries by total time, count, slowest run, p95 or N+1',
  isFiltered: true,
  searches: 'Text, file or route',
  rows: 15,
  hasWindows: true,
  parameters: {
    sort: oneOf(queryOrders, 'total', {
      label: 'Sort',
      help: `${queryOrders.join(', ')}; the greatest first (default: total)`,
    }),
  },
  listed: { queries: {} },
  ask: ({ profiles }, { filter: { text: words, ...filter }, values: { sort: order } }) =>
    profiles.gather({ ...filter, withSubRequests: true }, { of: 'queries', order, words, now: Date.now() }),
  draw: (found, { filter, limit = found.queries.length, values: { sort } }) => {
    const { count, totalMs, omitted, slowest, slowestOfMinute } = found
    if (count === 0) {
      if (found.missing !== undefined) return [empty(noneReachable)]
      return [empty(isNarrowing(filter) ? 'No query matches.' : noQueries)]
    }
    const shown = found.queries.slice(0, limit)
    const all = found.queries.length + omitted
    const longestMs = Math.max(...shown.map((query) => query.totalMs))
    const hasSystems = new Set(shown.map(({ system }) => system)).size > 1
    return [
      text([
        `${counted(count, 'query', 'queries')}, ${formatDuration(totalMs)}, in ${gatheredFrom(found, 'with queries')}.`,
        shown.length < all ? `The first ${shown.length} of ${all} are shown.` : null,
        shown.length < found.queries.length ? { page: 'queries', with: { limit: '200' }, text: 'Show more' } : null,
      ]),
      text(slowest !== null && ['Slowest:', ...slowestLine(slowest)]),
      text(
        slowestOfMinute !== null &&
          slowest?.time !== slowestOfMinute.time && ['Last minute:', ...slowestLine(slowestOfMinute)],
      ),
      wideTable(
        `Queries, ${figures[sort].title}, the greatest first`,
        'query',
        ['Query', ...queryOrders.map((order) => sortable(order, figures[order], sort)), 'From'],
        shown.map((query) => ({
          tone: query.repeatedIn > 0 ? 'warning' : 'neutral',
          cells: [
            nameCell(query, hasSystems),
            ...queryOrders.map((order) => figures[order].cell(query, longestMs)),
            sourceCell(query),
          ],
        })),
      ),
    ]
  },
})

interface Figure {
  readonly title: string
  /** What the title does not say. */
  readonly hint?: string
  readonly cell: (query: QueryTotal, longestMs: number) => Line
}

const figures: Readonly<Record<QueryOrder, Figure>> = {
  total: {
    title: 'Total',
    cell: ({ totalMs }, longestMs) => [formatDuration(totalMs), longestMs > 0 ? { bar: [totalMs / longestMs] } : null],
  },
  count: { title: 'Count', cell: ({ count }) => formatCount(count) },
  slowest: {
    title: 'Slowest',
    hint: 'Opens the profile at this query',
    cell: ({ slowest }) => (slowest === null ? { quiet: 'unknown' } : runLink(slowest)),
  },
  p95: {
    title: 'p95',
    hint: '95 of 100 runs were at most this long',
    cell: ({ p95Ms, slowest }) => (slowest === null ? { quiet: 'unknown' } : formatDuration(p95Ms)),
  },
  repeated: {
    title: 'N+1',
    hint: 'Profiles that sent it again and again from one place, with other values',
    cell: ({ repeatedIn, profileCount }) =>
      repeatedIn === 0
        ? ''
        : [{ mark: formatCount(repeatedIn), tone: 'warning' }, { quiet: `of ${formatCount(profileCount)}` }],
  },
}

/** The profile, at the query. */
function runLink({ token, durationMs, group }: QueryRun): Inline {
  return { profile: token, panel: 'database', at: queryAnchor(group), text: formatDuration(durationMs) }
}

function slowestLine(slowest: SlowestQuery): readonly Inline[] {
  return [runLink(slowest), { query: slowest.text, system: slowest.system }]
}

function nameCell({ slowest, ...query }: QueryTotal, hasSystems: boolean): Line {
  return [
    { query: query.text, system: query.system },
    slowest === null ? null : { explains: query, token: slowest.token, index: slowest.group },
    detail('system', hasSystems ? recorded(query.system) : null),
  ]
}

/** Names of a cell, at most. */
const maxNamed = 3

function sourceCell({ places, sources }: QueryTotal): Line {
  return [
    ...places.slice(0, maxNamed).map(place),
    more(places.length),
    detail('route', [...sources.slice(0, maxNamed).map(recorded), more(sources.length)]),
  ]
}

function more(count: number): Inline {
  return count > maxNamed ? { quiet: `+${count - maxNamed}` } : null
}
