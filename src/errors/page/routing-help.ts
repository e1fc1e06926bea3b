// Help for a request without a route: the closest routes, and why each of them did not match.

import { badge, dataTable, emptyState, fold, formatCount } from '../../framework/html/components.ts'
import { html, type SafeHtml } from '../../framework/html/html.ts'
import { styleSheet } from '../../framework/html/style-sheet.ts'
import { cutText } from '../../framework/redact/cut-text.ts'
import type { Suggestion } from '../../framework/routing/suggest-routes.ts'
import type { RouteAttempt, RouteAttempts } from '../error-view.ts'
import { placeLink, type EditorLink } from './editor-link.ts'
import { countOf, cutMark, PageBudget } from './page-budget.ts'

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
  return html`<ol class="card suggestions">
    ${items}
  </ol>`
}

function suggestionItem(suggestion: Suggestion, editor: EditorLink | undefined): SafeHtml {
  return html`<li>
    <p class="suggestion-target">${target(suggestion)}</p>
    <p>${cutText(suggestion.reason, 1000)}</p>
    <p class="muted small">
      Route <span class="mono">${cutText(suggestion.routeName, 200)}</span>
      ${namesItsPattern(suggestion) ? null : html`<span class="mono">${cutText(suggestion.pattern, 500)}</span>`}${definition(suggestion, editor)}
      ${badge(suggestion.kind)}
    </p>
  </li> `
}

/** Routes of other frameworks are named after it: `GET /orders/:id`. */
function namesItsPattern({ routeName, pattern }: Suggestion): boolean {
  return routeName.endsWith(pattern)
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
  return html`, defined at
  ${isLong ? html`<code>${cutText(definedAt, maxPlaceLength)}</code>` : placeLink(definedAt, editor)}`
}

/** Comes after `themeStyles`. */
export const suggestionStyles: SafeHtml = styleSheet(`
.suggestions > li { padding: var(--space-2) var(--space-4) }
.suggestions > li + li { border-top: 1px solid var(--line) }
.suggestion-target { font-weight: 600 }
.suggestions > li:first-child { box-shadow: inset 3px 0 var(--link) }
.suggestions > li:first-child .suggestion-target { font-size: 1.0625rem }
`)

const attemptBytes = 40_000

interface AttemptListOptions {
  /** The request to try. */
  readonly method: string
  readonly url: string
  /** Path of the profiler, `/_profiler`; `null` without one. */
  readonly profilerPath: string | null
  /** Whether `fanlight match` knows the routes. Default: yes. */
  readonly hasCommands?: boolean | undefined
}

/** Why the routes did not match: the nearest in sight, the others folded; a sentence if there are none. */
export function attemptList(attempts: RouteAttempts, options: AttemptListOptions): SafeHtml {
  const { nearest, total } = attempts
  if (total === 0) return html`<p class="note">This application has no routes.</p>`
  const budget = new PageBudget(attemptBytes)
  // Other frameworks have no names.
  const hasNames = nearest.some((attempt) => attempt.name !== lineOf(attempt))
  const hasPlaces = nearest.some(({ definedAt }) => definedAt !== null)
  const head = hasNames ? 'Name and definition' : hasPlaces ? 'Definition' : null
  const rows = budget.list(nearest, (attempt) => budget.spend(attemptRow(attempt, head !== null)), {
    rest: () => html``,
  })
  const shown = Math.min(rows.length, nearest.length)
  const folded = rows.slice(attemptsInView)
  return html`<div class="card attempts" id="attempts">
    ${attemptTable('Routes that nearly matched, closest first', rows.slice(0, attemptsInView), head)}
    ${
      folded.length === 0
        ? null
        : fold(countOf(folded.length, 'more route'), attemptTable('Other routes that did not match', folded, head))
    }
    ${rest(total - shown, options)}
  </div>`
}

const attemptsInView = 3

function attemptTable(caption: string, rows: readonly SafeHtml[], head: string | null): SafeHtml {
  return dataTable('', caption, ['Route', 'Why not', ...(head === null ? [] : [head])], rows)
}

/** What a route takes: `GET /orders/{id}`. */
function lineOf({ methods, host, path }: RouteAttempt): string {
  return `${methods.length === 0 ? 'any' : methods.join(', ')} ${host === '' ? '' : `//${host}`}${path}`
}

function attemptRow(attempt: RouteAttempt, hasDefinition: boolean): SafeHtml {
  const { name, reason, definedAt, isNear } = attempt
  const place = definedAt === null ? null : html` <span class="muted">${cutText(definedAt, 300)}</span>`
  return html`<tr>
    <td class="mono">${cutText(lineOf(attempt), 500)}</td>
    ${isNear ? html`<td>${cutText(reason, 500)}</td>` : html`<td class="muted">${cutText(reason, 500)}</td>`}
    ${hasDefinition ? html`<td class="mono small">${name === lineOf(attempt) ? null : cutText(name, 200)}${place}</td>` : null}
  </tr> `
}

function rest(missing: number, { method, url, profilerPath, hasCommands = true }: AttemptListOptions): SafeHtml | null {
  if (!hasCommands && profilerPath === null) return null
  const target = cutText(pathOf(url) ?? '/', 2000)
  const query = `method=${encodeURIComponent(method)}&url=${encodeURIComponent(target)}`
  const link = profilerPath === null ? null : html`<a href="${`${profilerPath}/routes?${query}`}">in the profiler</a>`
  const command = html`<code>fanlight match ${cutText(method, 40)} ${cutText(shellWord(target), 300)}</code
    >${link === null ? null : ', '}`
  const more = missing > 0 ? `and ${formatCount(missing)} more: ` : hasCommands ? 'In a terminal: ' : 'All routes: '
  return html`<p class="attempts-rest small">${more}${hasCommands ? command : null}${link}</p>`
}

/** Path of a full URL, as sent, without the query, which may hold secrets. */
export function pathOf(url: string): string | undefined {
  return /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*([^?#]*)/i.exec(url)?.[1]
}

function shellWord(text: string): string {
  return /^[\w/.,:=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** Comes after `themeStyles`. */
export const attemptStyles: SafeHtml = styleSheet(`
.attempts { margin-top: var(--space-3); overflow: clip }
.attempts summary { padding: var(--space-2) var(--space-4); border-top: 1px solid var(--line); font-size: var(--size-small) }
.attempts .table { border-width: 0; border-radius: 0; font-size: var(--size-small) }
.attempts details .table { border-top-width: 1px }
.attempts td { padding-top: .35rem; padding-bottom: .35rem; overflow-wrap: anywhere }
.attempts td.small > .muted { display: block }
.attempts-rest { padding: var(--space-2) var(--space-4); border-top: 1px solid var(--line) }
@media (max-width: 40rem) {
  .attempts thead { display: none }
  .attempts tbody, .attempts .table { display: block }
  .attempts tr { display: block; padding: var(--space-2) var(--space-3); border-top: 1px solid var(--line) }
  .attempts tr > td { display: block; width: auto !important; border: 0 !important; padding: 0 }
}
`)
