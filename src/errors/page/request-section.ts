// Draws the request as far as it is recorded: query, route parameters, headers, body. All of it comes masked.

import { emptyState, keyValueTable } from '../../framework/html/components.ts'
import { escapeText } from '../../framework/html/escape.ts'
import { html } from '../../framework/html/html.ts'
import type { HtmlValue, SafeHtml } from '../../framework/html/html.ts'
import { styleSheet } from '../../framework/html/style-sheet.ts'
import type { ErrorView } from '../error-view.ts'
import { bodyView } from './body-view.ts'
import { countOf, cutMark, cutText, PageBudget } from './page-budget.ts'
import { verbatim } from './verbatim.ts'

const requestBytes = 60_000

/** The parts of a view that describe the request. */
export type RequestFacts = Pick<ErrorView, 'query' | 'route' | 'routeParameters' | 'requestHeaders' | 'body'>

/** Three tables and the body; each says so when it is empty. */
export function requestSection(facts: RequestFacts): SafeHtml {
  const budget = new PageBudget(requestBytes)
  const parameters = Object.entries(facts.routeParameters).map(([name, value]) => [name, valueText(value)] as const)
  const parametersEmpty =
    facts.route === null ? 'No route took this request, so there are none.' : 'The route has none.'
  return html`<div class="request">
    <h3>Query</h3>
    ${pairTable('Query parameters', facts.query, 'The address has no query.', budget)}
    <h3>Route parameters</h3>
    ${pairTable('Route parameters', parameters, parametersEmpty, budget)}
    <h3>Headers</h3>
    ${pairTable('Request headers', facts.requestHeaders, 'The request has no headers.', budget)}
    ${
      facts.body === undefined
        ? null
        : html`<h3>Body</h3>
            ${bodyView(facts.body)}`
    }
  </div>`
}

/** The sentence in place of a table: one of the few of this file. */
function emptyTable(sentence: string): SafeHtml {
  let drawn = emptyTables.get(sentence)
  if (drawn === undefined) emptyTables.set(sentence, (drawn = emptyState(sentence)))
  return drawn
}

const emptyTables = new Map<string, SafeHtml>()

/** Markup around name and value of a row. */
const rowBytes = 43

type Pair = readonly [name: string, value: string]

function pairTable(caption: string, pairs: readonly Pair[], empty: string, budget: PageBudget): SafeHtml {
  const rows: [string, HtmlValue][] = []
  for (const [name, value] of pairs) {
    if (budget.isSpent) break
    const shownName = cutText(name, 300)
    rows.push([shownName, budget.spend(verbatim(value, 2048))])
    budget.take(rowBytes + Buffer.byteLength(escapeText(shownName)))
  }
  if (pairs.length === 0) return emptyTable(empty)
  const missing = pairs.length - rows.length
  const mark = missing > 0 ? cutMark(`${countOf(missing, 'more row')} left out: the page is full.`) : null
  return html`${rows.length === 0 && missing > 0 ? null : keyValueTable(rows, { caption, empty })}${mark}`
}

function valueText(value: unknown): string {
  if (typeof value === 'string') return value
  try {
    return JSON.stringify(value) ?? String(value)
  } catch {
    return 'cannot be shown'
  }
}

/** Comes after `themeStyles`. */
export const requestStyles: SafeHtml = styleSheet(`
.request h3 { margin: var(--space-4) 0 var(--space-2) }
.request p + :is(.block, .table) { margin-top: var(--space-2) }
`)
