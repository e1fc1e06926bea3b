// Help for a request without a route: the closest routes, then all of them.

import { dataTable, emptyState, fold, formatCount } from '../../base/html/components.ts'
import { html, type SafeHtml, scriptBlock, styleSheet } from '../../base/html/html.ts'
import { cutText } from '../../base/redact/cut-text.ts'
import type { Suggestion } from '../../routing/suggest-routes.ts'
import type { RouteAttempt, RouteAttempts } from '../error-view.ts'
import { placeLink, type EditorLink } from '../../http/config/editor-link.ts'
import { countOf, cutMark, PageBudget } from '../../base/html/page-budget.ts'

const maxSuggestions = 8
const suggestionBytes = 50_000
const maxUrlLength = 2000
const maxPlaceLength = 300

/** Suggestions, nearest first; a sentence if there are none. Default: no links to an editor. */
export function suggestionList(suggestions: readonly Suggestion[], editor?: EditorLink): SafeHtml {
  if (suggestions.length === 0) return emptyState('No route is close to the requested path.')
  const budget = new PageBudget(suggestionBytes)
  const items = budget.list(suggestions, (suggestion) => budget.spend(suggestionItem(suggestion, editor)), {
    maxItems: maxSuggestions,
    rest: (missing) => html`<li>${cutMark(`${countOf(missing, 'more route')} not shown.`)}</li>`,
  })
  return html`<h2>Did you mean</h2>
    <ol class="card suggestions">
      ${items}
    </ol>`
}

function suggestionItem(suggestion: Suggestion, editor: EditorLink | undefined): SafeHtml {
  const { url, pattern } = suggestion
  return html`<li>
    <span class="suggestion-target">${target(suggestion)}</span>
    <span class="muted"
      >${cutText(suggestion.reason, 1000)}${url === null || url.startsWith(pattern) ? null : html` <code>${cutText(pattern, 500)}</code>`}</span
    >
    ${definition(suggestion, editor)}
  </li> `
}

// Only what a click can request is a link; others show their method.
function target(suggestion: Suggestion): SafeHtml {
  const method = cutText(suggestion.method, 100)
  if (suggestion.url === null) return html`<code>${method} ${cutText(suggestion.pattern, 500)}</code>`
  const url = cutText(suggestion.url, maxUrlLength)
  if (suggestion.method !== 'GET' || suggestion.url.length > maxUrlLength) return html`<code>${method} ${url}</code>`
  return html`<a class="mono" href="${suggestion.url}">${method} ${url}</a>`
}

function definition({ definedAt }: Suggestion, editor: EditorLink | undefined): SafeHtml | null {
  if (definedAt === null) return null
  const isLong = definedAt.length > maxPlaceLength
  return html`<span class="small definition"
    >${isLong ? html`<code>${cutText(definedAt, maxPlaceLength)}</code>` : placeLink(definedAt, editor)}</span
  >`
}

interface RouteListOptions {
  /** The request to try. */
  readonly method: string
  readonly url: string
  /** Path of the profiler, `/_profiler`; `null` without one. */
  readonly profilerPath: string | null
  /** Names of routes of which it is said already why they did not match. */
  readonly told: ReadonlySet<string>
}

const routeBytes = 40_000
const routesInView = 10

/** The routes there are: the nearest in sight, the others folded; a sentence if there are none. */
export function routeList({ nearest, total }: RouteAttempts, options: RouteListOptions): SafeHtml {
  if (total === 0) return html`<p class="note">This application has no routes.</p>`
  const budget = new PageBudget(routeBytes)
  const isUntold = ({ isNear, name }: RouteAttempt): boolean => isNear && !options.told.has(name)
  const columns: Columns = {
    // Other frameworks have no names.
    name: nearest.some((attempt) => attempt.name !== lineOf(attempt)),
    reason: nearest.some(isUntold) ? isUntold : null,
    place: nearest.some(({ definedAt }) => definedAt !== null),
  }
  const rows = budget.list(nearest, (attempt) => budget.spend(routeRow(attempt, columns)), { rest: () => html`` })
  const heads = [
    'Route',
    ...(columns.name ? ['Name'] : []),
    ...(columns.reason === null ? [] : ['Why not']),
    ...(columns.place ? ['Definition'] : []),
  ]
  const table = (caption: string, shown: readonly SafeHtml[]): SafeHtml => dataTable('', caption, heads, shown)
  const folded = rows.slice(routesInView)
  const missing = total - Math.min(rows.length, nearest.length)
  return html`<section class="section" id="routes">
    <div class="section-head">
      <h2>${countOf(total, 'route')}</h2>
      <input class="field" type="search" placeholder="Filter" aria-label="Filter the routes" hidden data-route-filter />
      ${whyNot(options)}
    </div>
    <div class="card routes">
      ${table('Routes, closest first', rows.slice(0, routesInView))}
      ${folded.length === 0 ? null : fold(countOf(folded.length, 'more route'), table('Other routes', folded))}
      ${missing === 0 ? null : html`<p class="routes-rest small">and ${formatCount(missing)} more</p>`}
    </div>
  </section>`
}

/** What a route takes: `GET /orders/{id}`. */
function lineOf({ methods, host, path }: RouteAttempt): string {
  return `${methods.length === 0 ? 'any' : methods.join(', ')} ${host === '' ? '' : `//${host}`}${path}`
}

interface Columns {
  readonly name: boolean
  /** Whose reason is shown; `null` without the column. */
  readonly reason: ((attempt: RouteAttempt) => boolean) | null
  readonly place: boolean
}

function routeRow(attempt: RouteAttempt, columns: Columns): SafeHtml {
  const { name, reason, definedAt } = attempt
  return html`<tr>
    <td class="mono">${cutText(lineOf(attempt), 500)}</td>
    ${columns.name ? html`<td class="mono">${name === lineOf(attempt) ? null : cutText(name, 200)}</td>` : null}
    ${columns.reason === null ? null : html`<td>${columns.reason(attempt) ? cutText(reason, 500) : null}</td>`}
    ${columns.place ? html`<td class="mono muted">${cutText(definedAt ?? '', 300)}</td>` : null}
  </tr> `
}

function whyNot({ method, url, profilerPath }: RouteListOptions): SafeHtml | null {
  if (profilerPath === null) return null
  const query = new URLSearchParams({ method, url: cutText(pathOf(url) ?? '/', 2000) })
  return html`<a class="small" href="${`${profilerPath}/routes?${query.toString()}`}">Why each did not match</a>`
}

/** Path of a full URL, as sent, without the query, which may hold secrets. */
export function pathOf(url: string): string | undefined {
  return /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*([^?#]*)/i.exec(url)?.[1]
}

/** Leaves the rows that have the words, folded ones too. */
export const routeScript: SafeHtml = scriptBlock(`
for (const field of document.querySelectorAll('[data-route-filter]')) {
  const part = field.closest('section'), rest = part.querySelector('details');
  field.hidden = false;
  field.addEventListener('input', () => {
    const wanted = field.value.trim().toLowerCase();
    if (rest) rest.open = wanted !== '';
    for (const row of part.querySelectorAll('tbody tr')) row.hidden = !row.textContent.toLowerCase().includes(wanted);
  });
}
`)

/** Comes after `themeStyles`. */
export const routingStyles: SafeHtml = styleSheet(`
.did-you-mean > * + * { margin-top: var(--space-2) }
.suggestions > li { display: flex; flex-wrap: wrap; gap: 0 var(--space-4); align-items: baseline; padding: var(--space-2) var(--space-4); overflow-wrap: anywhere }
.suggestions > li > * { min-width: 0 }
.suggestions > li + li { border-top: 1px solid var(--line) }
.suggestions > li:first-child { box-shadow: inset 3px 0 var(--link) }
.suggestions > li:first-child .suggestion-target { font-size: 1.125rem; font-weight: 600 }
.definition { margin-left: auto }
#routes { margin-top: var(--space-6) }
.routes { overflow: clip }
.routes summary, .routes-rest { padding: var(--space-2) var(--space-4); border-top: 1px solid var(--line); font-size: var(--size-small) }
.routes .table { border-width: 0; border-radius: 0; font-size: var(--size-small); table-layout: fixed }
.routes details .table { border-top-width: 1px }
.routes details thead { display: none }
.routes td { padding-top: .25rem; padding-bottom: .25rem; overflow-wrap: anywhere }
.folded { margin: var(--space-3) 0 }
.folded[open] > summary { margin-bottom: var(--space-2) }
@media (max-width: 40rem) {
  .definition { margin-left: 0 }
  .routes thead { display: none }
  .routes tbody, .routes .table { display: block }
  .routes tr:not([hidden]) { display: flex; flex-wrap: wrap; gap: 0 var(--space-3); padding: var(--space-1) var(--space-3); border-top: 1px solid var(--line) }
  .routes tr > td { width: auto !important; border: 0 !important; padding: 0 }
}
`)
