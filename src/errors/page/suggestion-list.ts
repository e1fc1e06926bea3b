// Draws the routes near a request that found none: what would work, and why this one did not.

import { badge, emptyState } from '../../framework/html/components.ts'
import { html } from '../../framework/html/html.ts'
import type { SafeHtml } from '../../framework/html/html.ts'
import { styleSheet } from '../../framework/html/style-sheet.ts'
import type { Suggestion } from '../../framework/routing/suggestion.ts'
import type { EditorLink } from './frame-item.ts'
import { countOf, cutMark, cutText, PageBudget } from './page-budget.ts'
import { placeLink } from './place-link.ts'

const maxSuggestions = 8
const suggestionBytes = 50_000
const maxUrlLength = 2000
const maxPlaceLength = 300

/** The suggestions, nearest first; a sentence when there are none. Default: no links to an editor. */
export function suggestionList(suggestions: readonly Suggestion[], editor?: EditorLink): SafeHtml {
  if (suggestions.length === 0) return emptyState('No route of this application is near the requested path.')
  const budget = new PageBudget(suggestionBytes)
  const items = budget.list(suggestions, (suggestion) => budget.spend(suggestionItem(suggestion, editor)), {
    maxItems: maxSuggestions,
    rest: (missing) => html`<li>${cutMark(`${countOf(missing, 'more route')} left out.`)}</li>`,
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
      <span class="mono">${cutText(suggestion.pattern, 500)}</span>${definition(suggestion, editor)}
      ${badge(suggestion.kind)}
    </p>
  </li> `
}

// Only an address that a click can ask for is a link; the others are named with their method.
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
