// Draws the routes near a request that found none: what would work, and why this one did not.

import { badge, emptyState } from '../html/components.ts'
import { html } from '../html/html.ts'
import type { SafeHtml } from '../html/html.ts'
import { styleSheet } from '../html/style-sheet.ts'
import type { Suggestion } from '../routing/suggestion.ts'
import { countOf, cutMark, cutText } from './page-budget.ts'

const maxSuggestions = 8

/** The suggestions, nearest first; a sentence when there are none. */
export function suggestionList(suggestions: readonly Suggestion[]): SafeHtml {
  if (suggestions.length === 0) return emptyState('No route of this application is near the requested path.')
  const missing = suggestions.length - maxSuggestions
  return html`<ol class="card suggestions">
      ${suggestions.slice(0, maxSuggestions).map(suggestionItem)}
    </ol>
    ${missing > 0 ? cutMark(`${countOf(missing, 'more route')} left out.`) : null}`
}

function suggestionItem(suggestion: Suggestion): SafeHtml {
  return html`<li>
    <p class="suggestion-target">${target(suggestion)}</p>
    <p>${cutText(suggestion.reason, 1000)}</p>
    <p class="muted small">
      Route <span class="mono">${cutText(suggestion.routeName, 200)}</span>
      <span class="mono">${cutText(suggestion.pattern, 500)}</span>${definition(suggestion)} ${badge(suggestion.kind)}
    </p>
  </li> `
}

// Only an address that a click can ask for is a link; the others are named with their method.
function target(suggestion: Suggestion): SafeHtml {
  const method = cutText(suggestion.method, 100)
  if (suggestion.url === null) return html`<code>${method} ${cutText(suggestion.pattern, 500)}</code>`
  const url = cutText(suggestion.url, 2000)
  if (suggestion.method !== 'GET') return html`<code>${method} ${url}</code>`
  return html`<a class="mono" href="${suggestion.url}">${method} ${url}</a>`
}

function definition(suggestion: Suggestion): SafeHtml | null {
  return suggestion.definedAt === null
    ? null
    : html`, defined at <span class="mono">${cutText(suggestion.definedAt, 300)}</span>`
}

/** Comes after `themeStyles`. */
export const suggestionStyles: SafeHtml = styleSheet(`
.suggestions > li { padding: var(--space-2) var(--space-4) }
.suggestions > li + li { border-top: 1px solid var(--line) }
.suggestion-target { font-weight: 600 }
.suggestions > li:first-child { box-shadow: inset 3px 0 var(--link) }
.suggestions > li:first-child .suggestion-target { font-size: 1.0625rem }
`)
