// The newest traces of several requests, and the form that asks for one.

import { badge, emptyState, formatTime } from '../../../framework/html/components.ts'
import { html, type SafeHtml } from '../../../framework/html/html.ts'
import { shortened } from '../../query/profile-facts.ts'
import type { RecentTrace } from '../../traces/recent-traces.ts'
import { textField } from '../form-parts.ts'

const maxText = 160

export function traceForm(id: string, profilerPath: string): SafeHtml {
  return html`<form class="row trace-form screen-only" action="${profilerPath}/trace">
    ${textField({ name: 'id', label: 'Trace ID, or token of a profile', value: id, hint: '4bf92f3577b34da6a3ce929d0e0e4736', className: 'wide' })}
    <button class="button">Show</button>
  </form>`
}

export function recentTraces(traces: readonly RecentTrace[], profilerPath: string): SafeHtml {
  return html`${traceForm('', profilerPath)}
  ${
    traces.length === 0
      ? emptyState(
          'None of the newest requests are part of one trace. A request joins the trace that its header traceparent names; fetch and node:http hand it on.',
        )
      : html`<table class="table recent-traces">
          <caption class="visually-hidden">
            Traces, newest first
          </caption>
          <thead>
            <tr>
              <th scope="col">Begins with</th>
              <th scope="col">Services</th>
              <th scope="col" class="number">Parts</th>
              <th scope="col">Time (UTC)</th>
            </tr>
          </thead>
          <tbody>
            ${traces.map(
              ({ traceId, services, count, time, subject, hasError }) =>
                html`<tr class="${hasError ? 'tone-error' : ''}">
                  <td>
                    <a href="${profilerPath}/trace?id=${traceId}">${shortened(subject, maxText) || traceId}</a
                    >${hasError ? html` ${badge('error', 'error')}` : null}
                  </td>
                  <td>${shortened(services.join(', '), maxText)}</td>
                  <td class="number">${count}</td>
                  <td>${formatTime(time)}</td>
                </tr> `,
            )}
          </tbody>
        </table>`
  }`
}
