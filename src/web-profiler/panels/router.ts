// Draws how the route table answered: the matched route, or for a miss every route with its reason, nearest first.

import { badge, emptyState, keyValueTable, type Tone } from '../../html/components.ts'
import { html, type SafeHtml } from '../../html/html.ts'
import { suggestionList } from '../../pages/suggestion-list.ts'
import type { RouterData, RouterTraceEntry } from '../../profiler/collectors/router.ts'
import type { Panel } from '../panel.ts'

const outcomeTones: Readonly<Record<RouterTraceEntry['outcome'], Tone>> = {
  match: 'success',
  almost: 'warning',
  no: 'neutral',
}

/** Routing of one request. */
export const routerPanel: Panel<RouterData> = {
  name: 'router',
  title: 'Routing',
  render: (data) => {
    if (data === undefined) return emptyState('This is a sub-request: its route was found by its parent.')
    return data.route === null ? missed(data) : matched(data)
  },
}

function matched(data: RouterData): SafeHtml {
  return html`${keyValueTable(
      [
        ['Matched route', data.route ?? ''],
        ['Pattern', data.pattern ?? ''],
        ['Defined at', data.definedAt ?? 'unknown'],
        ['Path to match', `${data.method} ${data.path}`],
      ],
      { caption: 'Matched route' },
    )}
    <h3>Route parameters</h3>
    ${keyValueTable(data.parameters, { caption: 'Route parameters', empty: 'The route has none.' })}`
}

function missed(data: RouterData): SafeHtml {
  return html`<p class="note tone-warning">No route took <code>${data.method} ${data.path}</code>.</p>
    <h3>Nearest routes</h3>
    ${suggestionList(data.suggestions)}
    <h3>Every route, nearest first</h3>
    ${data.trace.length === 0 ? emptyState('The application has no routes.') : traceTable(data.trace)}`
}

function traceTable(trace: readonly RouterTraceEntry[]): SafeHtml {
  return html`<div class="table-scroll" tabindex="0" role="region" aria-label="Every route">
    <table class="table">
      <thead>
        <tr>
          <th scope="col">Route</th>
          <th scope="col">Pattern</th>
          <th scope="col">Why not</th>
          <th scope="col">Defined at</th>
        </tr>
      </thead>
      <tbody>
        ${trace.map(
          (entry) =>
            html`<tr class="tone-${outcomeTones[entry.outcome]}">
              <td>
                ${entry.route} ${entry.outcome === 'no' ? null : badge(entry.outcome, outcomeTones[entry.outcome])}
              </td>
              <td class="mono">${entry.pattern}</td>
              <td>${entry.reason}</td>
              <td class="mono small">${entry.definedAt ?? ''}</td>
            </tr> `,
        )}
      </tbody>
    </table>
  </div>`
}
