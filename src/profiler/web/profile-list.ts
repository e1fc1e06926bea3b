// The table of profiles: newest first, sub-requests below their parent, one page at a time.

import {
  badge,
  columnHead,
  dataTable,
  emptyState,
  formatBytes,
  formatDuration,
  formatTime,
} from '../../framework/html/components.ts'
import { html, type SafeHtml } from '../../framework/html/html.ts'
import type { HttpRequest } from '../../framework/http/request.ts'
import { cutText } from '../../framework/redact/cut-text.ts'
import { commandMethod, type ProfileSummary } from '../profile.ts'
import type { ProfilePage, ProfileStoreStats } from '../profile-store.ts'
import { findingBadges } from './profile-headline.ts'
import { listForm } from './list-form.ts'
import type { ListQuery } from './list-query.ts'
import { liveBar } from './live/live-bar.ts'
import { profileTone, searchSentence, statusMark, subjectOf, shortened } from '../query/profile-facts.ts'

export interface ProfileListView {
  readonly page: ProfilePage
  readonly stats: ProfileStoreStats
  readonly query: ListQuery
  /** Why profiles are kept in memory only; `null` when all is well. */
  readonly storeProblem: string | null
  readonly profilerPath: string
  readonly linkTo: (token: string, panel?: string) => string
  /** `http://127.0.0.1:8000`: of addresses of this origin the path is shown. */
  readonly origin: string
}

/** Characters of an address that a row shows at most, and those of its title. */
const maxUrlLength = 140
const maxTitleLength = 1000
/** Characters of the name of a route that a row shows at most. */
const maxRouteLength = 60
/** Characters of a version that a row shows at most: enough to know a commit by. */
const maxVersionLength = 16
const maxChildren = 10

export function profileList(view: ProfileListView): SafeHtml {
  const { page, stats, query, profilerPath, storeProblem } = view
  return html`${storeProblem === null ? null : html`<p class="note tone-warning">Storage is off: ${storeProblem} Profiles are kept in memory until the process ends.</p>`}
    ${listForm(query, profilerPath)} ${tools(view)}
    ${page.items.length === 0 ? nothing(query, stats) : table(page.items, view)}
    ${page.searchedNewest === undefined ? null : html`<p class="note tone-warning">${searchSentence(page.searchedNewest)}</p>`}
    <div class="row spread pager">
      <p class="muted small">
        ${count(stats.count)} / ${count(stats.maxCount)} profiles · ${formatBytes(stats.bytes)} of
        ${formatBytes(stats.maxBytes)} · kept ${Math.round(stats.maxAgeMs / 86_400_000)} days
      </p>
      <div class="row screen-only">
        ${query.after === undefined ? null : html`<a class="button" href="${profilerPath}/?${query.withCursor(null)}">Newest</a>`}
        ${page.next === null ? null : html`<a class="button" rel="next" href="${profilerPath}/?${query.withCursor(page.next)}">Older</a>`}
      </div>
    </div>`
}

function tools({ page, query, profilerPath }: ProfileListView): SafeHtml | null {
  const live = liveBar({ page, query, profilerPath })
  const compare = page.items.length < 2 ? null : compareButton(profilerPath)
  return live === null && compare === null
    ? null
    : html`<div class="row spread list-tools screen-only">${live} ${compare}</div>`
}

function nothing(query: ListQuery, stats: ProfileStoreStats): SafeHtml {
  return query.problems.length > 0
    ? html`${query.problems.map((problem) => html`<p class="note tone-warning">${problem}</p>`)}`
    : emptyState(emptySentence(query, stats))
}

function emptySentence(query: ListQuery, stats: ProfileStoreStats): string {
  if (query.isFiltered) return 'No profiles match these filters.'
  if (stats.count > 0) return 'There are no older profiles.'
  const since = (stats.reopened ?? null) === null ? 'yet' : 'since then'
  return `No request has been profiled ${since}: open a page of the application.`
}

function table(items: readonly ProfileSummary[], view: ProfileListView): SafeHtml {
  const longestMs = Math.max(...items.map(({ durationMs }) => durationMs))
  return dataTable(
    'profiles',
    'Profiles, newest first',
    [
      'Status',
      'Method',
      'URL',
      'Route',
      columnHead('Version', 'version'),
      columnHead('Duration', 'number'),
      'Time (UTC)',
      'Token',
    ],
    items.map((profile) => profileRow(profile, longestMs, view)),
  )
}

/** A row of the table; `longestMs` is the longest duration of the page, against which the bar is drawn. */
export function profileRow(
  profile: ProfileSummary,
  longestMs: number,
  { linkTo, origin }: Pick<ProfileListView, 'linkTo' | 'origin'>,
): SafeHtml {
  const tone = profileTone(profile)
  return html`<tr class="tone-${tone}" data-ms="${profile.durationMs}">
    <td>${badge(statusMark(profile), tone)}</td>
    <td class="mono">${cutText(profile.method, 20)}</td>
    <td class="url">
      <a href="${linkTo(profile.token)}" title="${cutText(profile.url, maxTitleLength)}"
        >${shortened(subject(profile, origin), maxUrlLength)}</a
      >
      ${findingBadges(profile)}
      ${profile.errorClass === null ? null : html`<div class="sub">${cutText(profile.errorClass, 100)}</div>`}
      ${children(profile, linkTo)}
    </td>
    ${routeCell(profile.route)} ${versionCell(profile.version)}
    <td class="number">${formatDuration(profile.durationMs)}${durationBar(profile.durationMs, longestMs)}</td>
    <td class="nowrap time">${formatTime(profile.time)}</td>
    <td class="nowrap">
      ${compareBox(profile.token)} <a class="mono" href="${linkTo(profile.token)}">${profile.token}</a>
    </td>
  </tr> `
}

function routeCell(route: string | null): SafeHtml {
  return route === null
    ? html`<td class="route"><span class="muted">none</span></td> `
    : html`<td class="route" title="${cutText(route, maxTitleLength)}">${shortened(route, maxRouteLength)}</td> `
}

/** The style shows the column where one profile of the page has a version, also where the live list brings the first such. */
function versionCell(version: string | null): SafeHtml {
  return version === null
    ? html`<td class="version"><span class="muted">none</span></td> `
    : html`<td class="version is-known" title="${version}">${shortened(version, maxVersionLength)}</td> `
}

export function originOf({ scheme, authority }: Pick<HttpRequest, 'scheme' | 'authority'>): string {
  return `${scheme}://${authority}`
}

/** Its address, of the list's own origin only the path; a command has a name instead. */
function subject(profile: ProfileSummary, origin: string): string {
  const text = subjectOf(profile)
  return text.startsWith(`${origin}/`) ? text.slice(origin.length) : text
}

function children({ childTokens, method }: ProfileSummary, linkTo: ProfileListView['linkTo']): SafeHtml {
  const missing = childTokens.length - maxChildren
  const part = method === commandMethod ? 'process' : 'sub-request'
  return html`${childTokens
    .slice(0, maxChildren)
    .map(
      (token) => html`<div class="sub">└ ${part} <a class="mono" href="${linkTo(token)}">${token}</a></div> `,
    )}${missing > 0 ? html`<div class="sub">└ and ${missing} more</div>` : null}`
}

function durationBar(durationMs: number, longestMs: number): SafeHtml | null {
  if (!(longestMs > 0)) return null
  const width = Math.max(1, (Math.max(0, durationMs) / longestMs) * 100)
  return html`<svg class="duration-bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
    <rect class="lane" width="100" height="4" />
    <rect width="${width.toFixed(1)}" height="4" />
  </svg>`
}

function count(number: number): string {
  return number.toLocaleString('en')
}

/** A box in a row of the list; two of them and the button of `compareButton` make a comparison. */
function compareBox(token: string): SafeHtml {
  return html`<input
    class="screen-only"
    type="checkbox"
    name="with"
    value="${token}"
    form="compare-chosen"
    aria-label="Compare ${token}"
  />`
}

/** Sends the first two boxes that are ticked: the newer one is A. */
function compareButton(profilerPath: string): SafeHtml {
  return html`<form id="compare-chosen" action="${profilerPath}/compare">
    <button class="button" title="Select two rows of the list">Compare selected</button>
  </form>`
}
