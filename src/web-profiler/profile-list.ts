// The list of profiles: newest first, sub-requests under their parent, filters in the address, one page at a time.

import { badge, emptyState, formatDuration, formatTime } from '../html/components.ts'
import { html, type SafeHtml } from '../html/html.ts'
import type { ProfileSummary } from '../profiler/profile.ts'
import type { ProfilePage, ProfileStoreStats } from '../profiler/profile-store.ts'
import { formatBytes } from '../html/components.ts'
import type { ListQuery } from './list-query.ts'
import { profileTone } from './layout.ts'

/** What a list is drawn from. */
export interface ProfileListView {
  readonly page: ProfilePage
  readonly query: ListQuery
  readonly stats: ProfileStoreStats
  /** Why profiles are kept in memory only; `null` when all is well. */
  readonly storeProblem: string | null
  readonly profilerPath: string
  readonly linkTo: (token: string, panel?: string) => string
}

/** Filters, table and pager. */
export function profileList(view: ProfileListView): SafeHtml {
  const { page, query, stats } = view
  return html`${view.storeProblem === null ? null : html`<p class="note tone-warning">Storage is off: ${view.storeProblem} Profiles are kept in memory until the process ends.</p>`}
    ${filterForm(query, view.profilerPath)}
    ${page.items.length === 0 ? emptyState(emptySentence(query, stats)) : table(view)}
    <div class="row spread pager">
      <p class="muted small">
        ${stats.count} of at most ${stats.maxCount} profiles, ${formatBytes(stats.bytes)} of at most
        ${formatBytes(stats.maxBytes)}, kept for ${Math.round(stats.maxAgeMs / 86_400_000)} days at most.
      </p>
      ${page.next === null ? null : html`<a class="button" rel="next" href="${view.profilerPath}/?${query.withCursor(page.next)}">Older</a>`}
    </div>`
}

function emptySentence(query: ListQuery, stats: ProfileStoreStats): string {
  if (query.problems.length > 0) return query.problems.join(' ')
  if (query.isFiltered) return 'No profile matches these filters.'
  return stats.count === 0
    ? 'No request has been profiled yet: open a page of the application.'
    : 'There are no older profiles.'
}

function filterForm(query: ListQuery, profilerPath: string): SafeHtml {
  const field = (name: string, label: string, hint: string, size = ''): SafeHtml =>
    html`<label
      >${label}<input class="field ${size}" name="${name}" value="${query.value(name)}" placeholder="${hint}"
    /></label> `
  return html`<form class="filters screen-only" action="${profilerPath}/">
    ${field('url', 'URL contains', '/products', 'wide')} ${field('status', 'Status', '404 or 4xx')}
    ${field('method', 'Method', 'GET')} ${field('route', 'Route', 'product')} ${field('ip', 'IP', '127.0.0.1')}
    ${field('duration', 'At least ms', '100')} ${field('token', 'Token', '')}
    <button class="button">Filter</button>
    ${query.isFiltered ? html`<a class="button" href="${profilerPath}/">Clear</a>` : null}
  </form>`
}

function table(view: ProfileListView): SafeHtml {
  return html`<table class="table profiles">
    <caption class="visually-hidden">
      Profiles, newest first
    </caption>
    <thead>
      <tr>
        <th scope="col">Status</th>
        <th scope="col">Method</th>
        <th scope="col">URL</th>
        <th scope="col">Route</th>
        <th scope="col" class="number">Duration</th>
        <th scope="col">Time (UTC)</th>
        <th scope="col">Token</th>
      </tr>
    </thead>
    <tbody>
      ${view.page.items.map((profile) => row(profile, view))}
    </tbody>
  </table>`
}

function row(profile: ProfileSummary, { linkTo }: ProfileListView): SafeHtml {
  const tone = profileTone(profile)
  return html`<tr class="tone-${tone}">
    <td>${badge(profile.status === 0 ? 'none' : profile.status, tone)}</td>
    <td class="mono">${profile.method}</td>
    <td class="url">
      <a href="${linkTo(profile.token)}">${profile.url}</a>
      ${profile.childTokens.map((token) => html`<div class="sub">└ sub-request <a class="mono" href="${linkTo(token)}">${token}</a></div> `)}
    </td>
    <td>${profile.route ?? html`<span class="muted">none</span>`}</td>
    <td class="number">${formatDuration(profile.durationMs)}</td>
    <td class="nowrap">${formatTime(profile.time)}</td>
    <td><a class="mono" href="${linkTo(profile.token)}">${profile.token}</a></td>
  </tr> `
}
