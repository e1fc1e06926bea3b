// `/_profiler/groups`: profiles counted by route, error or version, the most frequent first, with a way into the list.

import { codeSpan } from '../../../errors/markdown-text.ts'
import { countOf } from '../../../errors/page/page-budget.ts'
import {
  dataTable,
  emptyState,
  formatDuration,
  formatTime,
  formatCount,
  sortHead,
} from '../../../framework/html/components.ts'
import { html, type SafeHtml } from '../../../framework/html/html.ts'
import { cutText } from '../../../framework/redact/cut-text.ts'
import { styleSheet } from '../../../framework/html/style-sheet.ts'
import { parseQuery } from '../../../framework/http/query.ts'
import { groupings, type GroupBy, type ProfileGroup, type ProfileGroups } from '../../profile-store.ts'
import {
  countedName,
  countedProfiles,
  groupOrders,
  inOrder,
  meanText,
  scopeSentence,
  type GroupOrder,
} from '../../query/groups.ts'
import { noneReachable } from '../../query/missing-parts.ts'
import { isoTime, untrustedSpans } from '../../query/profile-facts.ts'
import { listForm, listFormId } from '../list-form.ts'
import { filterStyles } from '../list-styles.ts'
import { countedParts, ListQuery } from '../list-query.ts'
import type { AskedJson, ProfilerPage } from '../profiler-page.ts'
import { quoted, readValues } from '../query-values.ts'
import { fromStore } from '../unreadable-store.ts'

export interface GroupsJson extends ProfileGroups, AskedJson {
  readonly sort: GroupOrder
}

/** Counts of the newest 10,000 profiles that the filters leave. 400 for a filter, a `by` or a `sort` that cannot be used. */
export const groupsPage: ProfilerPage<GroupsJson> = async ({ request }, { options }) => {
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
    status: problems.length === 0 ? 200 : 400,
    ignored: query.ignored,
    missing,
    html: () => ({
      title: `Profiles by ${by}`,
      content: groupsTable(view),
      styles: [filterStyles, groupsStyles],
      search: { text: query.value('search'), form: listFormId },
    }),
    json: () => ({ ...groups, sort: order, problems, ignored: query.ignored }),
    markdown: () => asMarkdown(groups, view),
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

function asMarkdown(groups: ProfileGroups, { what, problems, query }: GroupsView): string {
  const title = `# Profiles by ${groups.by}`
  if (problems.length > 0) return `${title}\n\n${problems.map(codeSpan).join('\n')}\n`
  if (groups.groups.length === 0) return `${title}\n\n${emptySentence(groups, query)}\n`
  const lines = groups.groups.map(
    ({ key, count, errorCount, p50Ms, p95Ms, p99Ms, maxMs, ownCpuP50Ms, meanQueries, ...seen }) =>
      `- ${key === null ? `no ${groups.by}` : codeSpan(key)}: ${countOf(count, 'profile')}, ${countOf(errorCount, 'error')}, ` +
      `p50 ${p50Ms.toFixed(1)} ms, p95 ${p95Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms, max ${maxMs.toFixed(1)} ms, ` +
      `own code ${ownCpuP50Ms === null ? 'unknown' : `${ownCpuP50Ms.toFixed(1)} ms`}, ` +
      `queries ${meanQueries === null ? 'unknown' : meanText(meanQueries)}, ` +
      `first ${isoTime(seen.firstTime)}, last ${isoTime(seen.lastTime)} ${codeSpan(seen.lastToken)}` +
      (groups.by === 'error' && seen.lastMessage !== null ? `, message ${codeSpan(seen.lastMessage)}` : ''),
  )
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
    <nav class="row groups-by screen-only" aria-label="Group by">
      ${choice('route', 'By route', view)} ${choice('error', 'By error', view)} ${choice('version', 'By version', view)}
      <a href="${profilerPath}/compare-runs?${query.with({})}">Compare two runs</a>
      ${groups.by === 'error' ? html`<a href="${profilerPath}/issues?${query.with({})}">Open and fixed issues</a>` : null}
    </nav>
    ${problems.length > 0 ? problems.map((problem) => html`<p class="note tone-warning">${problem}</p>`) : content(view)}`
}

function choice(by: GroupBy, label: string, { groups, order, query, profilerPath }: GroupsView): SafeHtml {
  const href = `${profilerPath}/groups?${query.with({ by, ...(order === 'count' ? {} : { sort: order }) })}`
  return html`<a class="button" href="${href}" aria-current="${by === groups.by && 'page'}">${label}</a>`
}

function content(view: GroupsView): SafeHtml {
  const { groups, query, what, order } = view
  if (groups.groups.length === 0) return emptyState(emptySentence(groups, query))
  const longestMs = Math.max(...groups.groups.map(({ p95Ms }) => p95Ms))
  return html`<p class="muted small">${scopeSentence(groups, what)}</p>
    ${dataTable(
      'groups',
      `Groups, ${orderTitles[order]}, the greatest first`,
      [columnTitles[groups.by], ...groupOrders.map((one) => orderHead(one, view))],
      groups.groups.map((group) => row(group, longestMs, view)),
    )}`
}

const orderTitles: Readonly<Record<GroupOrder, string>> = {
  count: 'Count',
  errors: 'Errors',
  p50: 'p50',
  p95: 'p95',
  p99: 'p99',
  longest: 'Longest',
  'own-code': 'Own code',
  queries: 'Queries',
  last: 'Last (UTC)',
}

/** What the columns mean that a title does not say. */
const orderHints: Readonly<Partial<Record<GroupOrder, string>>> = {
  p50: 'Half of the profiles took at most this long',
  p95: '95 of 100 profiles took at most this long',
  p99: '99 of 100 profiles took at most this long',
  'own-code': 'Time in which code of the request ran: the median',
  queries: 'Queries per profile, on average',
}

function orderHead(order: GroupOrder, { groups, query, profilerPath, order: current }: GroupsView): SafeHtml {
  return sortHead(orderTitles[order], `${profilerPath}/groups?${query.with({ by: groups.by, sort: order })}`, {
    isCurrent: order === current,
    hint: orderHints[order],
    className: order === 'last' ? '' : 'number',
  })
}

function row(group: ProfileGroup, longestMs: number, { groups, query, profilerPath }: GroupsView): SafeHtml {
  const { key, count, errorCount, p50Ms, p95Ms, p99Ms, maxMs, ownCpuP50Ms, meanQueries, lastTime, lastToken } = group
  const { firstTime, lastMessage, strip } = group
  const share = (errorCount / count) * 100
  const parts = membersOf(groups.by, key, query)
  const name = key === null ? `no ${groups.by}` : cutText(key, 300)
  const title =
    parts === null
      ? html`<span class="muted">${name}</span>`
      : html`<a href="${profilerPath}/?${query.with(parts)}">${name}</a>`
  return html`<tr class="tone-${errorCount > 0 ? 'error' : 'neutral'}">
    <th scope="row" class="name">
      ${title}${groups.by === 'error' && lastMessage !== null ? html`<div class="message">${cutText(lastMessage, 300)}</div>` : null}
    </th>
    <td class="number" data-label="profiles">${formatCount(count)}${stripOf(strip)}</td>
    <td class="number" data-label="errors">
      ${errorCount === 0 ? html`<span class="muted">0</span>` : html`${formatCount(errorCount)} <span class="muted">${formatShare(share)}</span>`}
    </td>
    <td class="number" data-label="p50">${formatDuration(p50Ms)}</td>
    <td class="number" data-label="p95">${formatDuration(p95Ms)}${bar(p50Ms, p95Ms, longestMs)}</td>
    <td class="number" data-label="p99">${formatDuration(p99Ms)}</td>
    <td class="number" data-label="longest">${formatDuration(maxMs)}</td>
    <td class="number" data-label="own code">${ownCpuP50Ms === null ? unknown : formatDuration(ownCpuP50Ms)}</td>
    <td class="number" data-label="queries">${meanQueries === null ? unknown : meanText(meanQueries)}</td>
    <td class="nowrap" data-label="last">
      <a href="${profilerPath}/${lastToken}">${formatTime(lastTime).slice(0, 19)}</a>
      <div class="first">first ${formatTime(firstTime).slice(0, 19)}</div>
    </td>
  </tr> `
}

const columnTitles: Readonly<Record<GroupBy, string>> = { route: 'Route', error: 'Error', version: 'Version' }

/** The filter that leaves the members of a group; `null` where there is none: for those without a version. */
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

const unknown = html`<span class="muted">unknown</span>`

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

const groupsStyles: SafeHtml = styleSheet(`
.groups-by { gap: var(--space-2); margin-bottom: var(--space-3) }
.groups-by [aria-current=page] { font-weight: 600; box-shadow: inset 0 -2px var(--link) }
.groups thead a { color: inherit; text-decoration: none }
.groups thead :is(a:hover, [aria-sort] a) { text-decoration: underline }
.groups .name { text-align: left; font-weight: 400; font-family: var(--mono); font-size: .86em; overflow-wrap: anywhere }
.groups .duration-bar .whole { opacity: .45 }
body:has(.groups) .page { max-width: 100rem }
.groups .message { color: var(--muted); font-family: var(--font) }
.groups .first { color: var(--muted); font-size: var(--size-small) }
.groups .strip { display: block; width: 6rem; height: .9rem; margin: 2px 0 0 auto; border-bottom: 1px solid var(--line-strong) }
.groups .strip path { fill: var(--tone-edge) }
@media (max-width: 70rem) {
  .groups, .groups :is(thead, tbody, tr) { display: block }
  .groups thead th:first-child { display: none }
  .groups tr { padding: var(--space-2); border-top: 1px solid var(--line) }
  .groups tr > * { display: inline-block; border: 0 !important; padding: 0 var(--space-2) 0 0; font-size: var(--size-small); box-shadow: none !important }
  .groups .name { display: block }
  .groups td[data-label]::before { content: attr(data-label) ' '; color: var(--muted) }
  .groups .duration-bar { display: none }
  .groups .strip { display: inline-block; margin: 0 0 0 var(--space-2); vertical-align: middle }
}
`)
