// `/_profiler/groups`: profiles counted by route, error or version, the most frequent first, with a way into the list.

import { emptyState, formatClock, formatCount, formatDuration, sortHead } from '../../../framework/html/components.ts'
import { html, type SafeHtml } from '../../../framework/html/html.ts'
import { cutText } from '../../../framework/redact/cut-text.ts'
import { styleSheet } from '../../../framework/html/style-sheet.ts'
import { parseQuery } from '../../../framework/http/query.ts'
import { groupings, type GroupBy, type ProfileGroup, type ProfileGroups } from '../../profile-store.ts'
import type { GroupOrder } from '../../query/groups.ts'
import { countedName, countedProfiles, groupOrders, inOrder, meanText, scopeSentence } from '../../query/groups.ts'
import { noneReachable } from '../../query/missing-parts.ts'
import { untrustedSpans } from '../../query/profile-facts.ts'
import { columnLines, columnStyles, columnTable, type Column } from '../columns.ts'
import { listForm, listFormId, filterStyles } from '../list-form.ts'
import { countedParts, ListQuery } from '../list-query.ts'
import { fromStore, type ProfilerPage } from '../profiler-page.ts'
import { quoted, readValues } from '../query-values.ts'

/** Counts of the newest 10,000 profiles that the filters leave. 400 for a filter, a `by` or a `sort` that cannot be used. */
export const groupsPage: ProfilerPage = async ({ request }, { options }) => {
  const query = new ListQuery(request.rawQuery, ['by', 'sort'])
  const problems = [...query.problems]
  const { by, order } = readChoice(request.rawQuery, problems)
  const filter = countedProfiles(query.filter, by)
  const found = problems.length === 0 ? await fromStore(async () => options.profiles.group(filter, by)) : noGroups(by)
  const { missing } = found
  const groups = { ...found, groups: inOrder(found.groups, order) }
  const what = countedName(filter)
  const view: GroupsView = { groups, order, what, query, problems, profilerPath: options.profilerPath }
  return {
    problems,
    ignored: query.ignored,
    missing,
    html: () => ({
      title: `Groups by ${by}`,
      content: groupsTable(view),
      styles: groupsStyles,
      search: { text: query.value('search'), form: listFormId },
    }),
    json: () => ({ ...groups, sort: order, problems, ignored: query.ignored }),
    markdown: () => asMarkdown(view),
  }
}

function noGroups(by: GroupBy): ProfileGroups {
  return { by, groups: [], count: 0, isCut: false, omitted: 0 }
}

/** What is counted by, and in which order; says what cannot be used. */
function readChoice(rawQuery: string, problems: string[]): { readonly by: GroupBy; readonly order: GroupOrder } {
  const values = readValues(parseQuery(rawQuery), { by: 'By', sort: 'Sort' }, problems)
  const named = values.get('by') || 'route'
  const by = groupings.find((name) => name === named)
  if (by === undefined) problems.push(`By: ${quoted(named)} is not valid. Use ${groupings.join(', ')}.`)
  const sort = values.get('sort') || 'count'
  const order = groupOrders.find((name) => name === sort)
  if (order === undefined) problems.push(`Sort: ${quoted(sort)} is not valid. Use ${groupOrders.join(', ')}.`)
  return { by: by ?? 'route', order: order ?? 'count' }
}

function asMarkdown(view: GroupsView): string {
  const { groups, what, query } = view
  const title = `# Groups by ${groups.by}`
  if (view.problems.length > 0) return `${title}\n`
  if (groups.groups.length === 0) return `${title}\n\n${emptySentence(groups, query)}\n`
  const lines = columnLines([...groupColumns(view), ...lineColumns(groups.by)], groups.groups)
  return `${title}\n\n${scopeSentence(groups, what)}\n\n${untrustedSpans}\n\n${lines.join('\n')}\n`
}

interface GroupsView {
  readonly groups: ProfileGroups
  /** What they are ordered by. */
  readonly order: GroupOrder
  /** What is counted, for people: `requests`. */
  readonly what: string
  readonly query: ListQuery
  /** What cannot be used, one sentence each. */
  readonly problems: readonly string[]
  readonly profilerPath: string
}

function groupsTable(view: GroupsView): SafeHtml {
  const { groups, order, query, problems, profilerPath } = view
  const parts = [['by', groups.by] as const, ...(order === 'count' ? [] : [['sort', order] as const])]
  return html`${listForm(query, profilerPath, { path: 'groups', parts })}
    <nav class="row choices screen-only" aria-label="Group by">
      ${choice('route', 'By route', view)} ${choice('error', 'By error', view)} ${choice('version', 'By version', view)}
      <a href="${profilerPath}/compare-runs?${query.with({})}">Compare two runs</a>
      ${groups.by === 'error' ? html`<a href="${profilerPath}/issues?${query.with({})}">Open and fixed issues</a>` : null}
    </nav>
    ${problems.length > 0 ? null : content(view)}`
}

function choice(by: GroupBy, label: string, { groups, order, query, profilerPath }: GroupsView): SafeHtml {
  const href = `${profilerPath}/groups?${query.with({ by, ...(order === 'count' ? {} : { sort: order }) })}`
  return html`<a class="button" href="${href}" aria-current="${by === groups.by && 'page'}">${label}</a>`
}

function content(view: GroupsView): SafeHtml {
  const { groups, query, what, order } = view
  if (groups.groups.length === 0) return emptyState(emptySentence(groups, query))
  const columns = groupColumns(view)
  return html`<p class="muted small">${scopeSentence(groups, what)}</p>
    ${columnTable(columns, groups.groups, {
      className: 'groups',
      caption: `Groups, ${columns[1 + groupOrders.indexOf(order)]?.title}, the greatest first`,
      tone: ({ errorCount }) => (errorCount > 0 ? 'error' : 'neutral'),
    })}`
}

/** What a group is, then a column for each order. */
function groupColumns(view: GroupsView): readonly Column<ProfileGroup>[] {
  const { groups, profilerPath } = view
  const longestMs = Math.max(...groups.groups.map(({ p95Ms }) => p95Ms))
  const figures = figureColumns(longestMs, profilerPath)
  return [
    {
      title: columnTitles[groups.by],
      text: ({ key }) => key ?? `no ${groups.by}`,
      cell: (group) => nameCell(group, view),
      className: 'mono',
    },
    ...groupOrders.map((order) => sortable(order, figures[order], view)),
  ]
}

function sortable(order: GroupOrder, { hint, ...column }: Figure, view: GroupsView): Column<ProfileGroup> {
  const { groups, query, profilerPath } = view
  const href = `${profilerPath}/groups?${query.with({ by: groups.by, sort: order })}`
  const { title, className = 'number' } = column
  return { ...column, className, head: sortHead(title, href, { isCurrent: order === view.order, hint, className }) }
}

/** What the table says in other columns. */
function lineColumns(by: GroupBy): readonly Column<ProfileGroup>[] {
  return [
    { title: 'First (UTC)', text: ({ firstTime }) => formatClock(firstTime) },
    { title: 'Newest', text: ({ lastToken }) => lastToken },
    { title: 'Message', text: ({ lastMessage }) => (by === 'error' ? lastMessage : null) },
  ]
}

interface Figure extends Column<ProfileGroup> {
  /** What the title does not say. */
  readonly hint?: string
}

function figureColumns(longestMs: number, profilerPath: string): Readonly<Record<GroupOrder, Figure>> {
  const unknown = 'unknown'
  return {
    count: {
      title: 'Count',
      text: ({ count }) => formatCount(count),
      cell: ({ count, strip }) => html`${formatCount(count)}${stripOf(strip)}`,
    },
    errors: {
      title: 'Errors',
      text: ({ errorCount }) => formatCount(errorCount),
      cell: ({ errorCount, count }) =>
        errorCount === 0
          ? html`<span class="muted">0</span>`
          : html`${formatCount(errorCount)} <span class="muted">${formatShare((errorCount / count) * 100)}</span>`,
    },
    p50: {
      title: 'p50',
      hint: 'Half of the profiles were at most this long',
      text: ({ p50Ms }) => formatDuration(p50Ms),
    },
    p95: {
      title: 'p95',
      hint: '95 of 100 profiles were at most this long',
      text: ({ p95Ms }) => formatDuration(p95Ms),
      cell: ({ p50Ms, p95Ms }) => html`${formatDuration(p95Ms)}${bar(p50Ms, p95Ms, longestMs)}`,
    },
    p99: {
      title: 'p99',
      hint: '99 of 100 profiles were at most this long',
      text: ({ p99Ms }) => formatDuration(p99Ms),
    },
    longest: { title: 'Longest', text: ({ maxMs }) => formatDuration(maxMs) },
    'own-code': {
      title: 'Own code',
      hint: 'Time in which code of the request ran: the median',
      text: ({ ownCpuP50Ms }) => (ownCpuP50Ms === null ? null : formatDuration(ownCpuP50Ms)),
      none: unknown,
    },
    queries: {
      title: 'Queries',
      hint: 'Queries per profile, on average',
      text: ({ meanQueries }) => (meanQueries === null ? null : meanText(meanQueries)),
      none: unknown,
    },
    last: {
      title: 'Last (UTC)',
      text: ({ lastTime }) => formatClock(lastTime),
      cell: ({ firstTime, lastTime, lastToken }) =>
        html`<a href="${profilerPath}/${lastToken}">${formatClock(lastTime)}</a>
          <div class="first">first ${formatClock(firstTime)}</div>`,
      className: 'nowrap',
    },
  }
}

function nameCell({ key, lastMessage }: ProfileGroup, { groups, query, profilerPath }: GroupsView): SafeHtml {
  const parts = membersOf(groups.by, key, query)
  const name = key === null ? `no ${groups.by}` : cutText(key, 300)
  return html`${
    parts === null
      ? html`<span class="muted">${name}</span>`
      : html`<a href="${profilerPath}/?${query.with(parts)}">${name}</a>`
  }${groups.by === 'error' && lastMessage !== null ? html`<div class="message" dir="auto">${cutText(lastMessage, 300)}</div>` : null}`
}

const columnTitles: Readonly<Record<GroupBy, string>> = { route: 'Route', error: 'Error', version: 'Version' }

/** The filter that leaves the members of a group; `null` if there is none: for those without a version. */
function membersOf(by: GroupBy, key: string | null, query: ListQuery): Readonly<Record<string, string>> | null {
  if (by === 'error') return key === null ? null : { family: key }
  if (by === 'route' && key !== null) return { route: key }
  const counted = countedParts(query)
  if (by === 'route') return { matched: 'no', ...counted }
  return key === null ? null : { version: key, ...counted }
}

/** When they came: a bar for each part of the time of all groups, the newest on the right, against the fullest part. */
function stripOf(strip: readonly number[]): SafeHtml | null {
  const most = Math.max(...strip)
  if (!(most > 0)) return null
  const bars = strip.map((count, index) => {
    const height = count === 0 ? 0 : Math.max(1, (count / most) * 10)
    return height === 0 ? '' : `M${index} 10v-${height.toFixed(1)}h.7v${height.toFixed(1)}z`
  })
  return html`<svg class="strip" viewBox="0 0 ${strip.length} 10" preserveAspectRatio="none" aria-hidden="true">
    <path d="${bars.join('')}" />
  </svg>`
}

/** p95 against the longest of the page, p50 in it. */
function bar(p50Ms: number, p95Ms: number, longestMs: number): SafeHtml | null {
  if (!(longestMs > 0)) return null
  const width = (ms: number): string => Math.max(1, (ms / longestMs) * 100).toFixed(1)
  return html`<svg class="duration-bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
    <rect class="lane" width="100" height="4" />
    <rect class="whole" width="${width(p95Ms)}" height="4" />
    <rect width="${width(p50Ms)}" height="4" />
  </svg>`
}

function formatShare(percent: number): string {
  if (percent >= 99.95) return '100 %'
  return percent < 0.1 ? '< 0.1 %' : `${percent.toFixed(1)} %`
}

/** The empty state. */
function emptySentence({ by, missing }: ProfileGroups, { isFiltered }: ListQuery): string {
  if (isFiltered) return 'No profiles match these filters.'
  if (missing !== undefined) return noneReachable
  return by === 'error' ? 'No errors recorded.' : 'No request has been profiled yet: open a page of the application.'
}

const groupsStyles: readonly SafeHtml[] = [
  filterStyles,
  columnStyles('groups', '70rem'),
  styleSheet(`
.groups thead a { color: inherit; text-decoration: none }
.groups thead :is(a:hover, [aria-sort] a) { text-decoration: underline }
.groups .duration-bar .whole { opacity: .45 }
body:has(.groups) .page { max-width: 100rem }
.groups .message { color: var(--muted); font-family: var(--font) }
.groups .first { color: var(--muted); font-size: var(--size-small) }
.groups .strip { display: block; width: 6rem; height: .9rem; margin: 2px 0 0 auto; border-bottom: 1px solid var(--line-strong) }
.groups .strip path { fill: var(--tone-edge) }
@media (max-width: 70rem) {
  .stacked.groups thead { display: block }
  .groups thead th:first-child, .groups .duration-bar { display: none }
  .groups .strip { display: inline-block; margin: 0 0 0 var(--space-2); vertical-align: middle }
}
`),
]
