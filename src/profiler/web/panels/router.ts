// Draws what the route table found: the matched route, or for a miss every route with its reason, nearest first.

import { badge, dataTable, emptyState, keyValueTable, type Tone } from '../../../framework/html/components.ts'
import { html, type SafeHtml } from '../../../framework/html/html.ts'
import { PageBudget } from '../../../errors/page/page-budget.ts'
import { suggestionList } from '../../../errors/page/routing-help.ts'
import { cutText } from '../../../framework/redact/cut-text.ts'
import type { RouterData } from '../../collectors/router.ts'
import type { RouterTraceEntry } from '../../request-record.ts'
import { keptMark } from '../notes.ts'
import type { Panel } from '../panel.ts'
import { placeLink, type EditorLink } from '../../../errors/page/editor-link.ts'

const outcomeTones: Readonly<Record<RouterTraceEntry['outcome'], Tone>> = {
  match: 'success',
  almost: 'warning',
  no: 'neutral',
}

const traceBytes = 400_000

export const routerPanel: Panel<RouterData> = {
  name: 'router',
  title: 'Routing',
  of: 'requests',
  render: (data, { profile, linkTo, editor }) => {
    if (data === undefined) return emptyState('This is a sub-request; only its parent was routed.')
    const again = new URLSearchParams({ method: profile.method, url: profile.url }).toString()
    return html`${data.route === null ? missed(data, editor) : matched(data, editor)}
      <p class="small try-again"><a href="${linkTo('routes')}?${again}">Try this request in the route table</a></p>`
  },
}

function matched(data: RouterData, editor: EditorLink | undefined): SafeHtml {
  const { definedAt } = data
  return html`${keyValueTable(
      [
        ['Matched route', data.route ?? ''],
        ['Pattern', data.pattern ?? ''],
        // Unknown for what another framework registered before us.
        ...(definedAt === null ? [] : [['Defined at', placeLink(definedAt, editor)] as const]),
        ['Matched path', `${data.method} ${data.path}`],
      ],
      { caption: 'Matched route' },
    )}
    <h3>Route parameters</h3>
    ${keyValueTable(data.parameters, { caption: 'Route parameters', empty: 'No parameters.' })}`
}

function missed(data: RouterData, editor: EditorLink | undefined): SafeHtml {
  return html`<p class="note tone-warning">No route matched <code>${data.method} ${data.path}</code>.</p>
    ${data.suggestions.length === 0 ? null : html`<h3>Did you mean</h3>`} ${suggestionList(data.suggestions, editor)}
    <h3>All routes, closest first</h3>
    ${keptMark(data.trace.length, data.droppedRoutes, 'routes', ', the closest ones')}
    ${data.trace.length === 0 ? emptyState('The application has no routes.') : traceTable(data.trace, 'Why not', editor)}`
}

/** What every route said, in the order given; `answers` heads their column. Default: no links to an editor. */
export function traceTable(trace: readonly RouterTraceEntry[], answers: string, editor?: EditorLink): SafeHtml {
  const budget = new PageBudget(traceBytes)
  const hasPlaces = trace.some(({ definedAt }) => definedAt !== null)
  return html`<div class="table-scroll" tabindex="0" role="region" aria-label="Every route">
    ${dataTable(
      'routes-trace',
      'Every route',
      ['Route', 'Pattern', answers, ...(hasPlaces ? ['Defined at'] : [])],
      budget.list(trace, (entry) => budget.spend(traceRow(entry, hasPlaces, editor)), { rest: cutRow }),
    )}
  </div>`
}

function traceRow(
  { route, pattern, outcome, reason, definedAt }: RouterTraceEntry,
  hasPlaces: boolean,
  editor: EditorLink | undefined,
): SafeHtml {
  return html`<tr class="tone-${outcomeTones[outcome]}">
    <td>${cutText(route, 200)} ${outcome === 'no' ? null : badge(outcome, outcomeTones[outcome])}</td>
    <td class="mono">${cutText(pattern, 500)}</td>
    <td>${cutText(reason, 1000)}</td>
    ${hasPlaces ? html`<td class="mono small">${definedAt === null ? null : placeLink(definedAt, editor)}</td>` : null}
  </tr> `
}

function cutRow(missing: number): SafeHtml {
  return html`<tr class="tone-warning">
    <td colspan="4">${missing} more routes not shown.</td>
  </tr>`
}
