// Draws where the time went: figures, then the time line, then the sub-requests.

import { emptyState, formatDuration } from '../../html/components.ts'
import { html, type SafeHtml } from '../../html/html.ts'
import type { TimeData } from '../../profiler/collectors/time.ts'
import type { Panel, PanelView } from '../panel.ts'
import { timeline } from './timeline.ts'

/** The time line. */
export const timePanel: Panel<TimeData> = {
  name: 'time',
  title: 'Performance',
  render: (data, view) => {
    if (data === undefined) return emptyState('No time was measured.')
    const { spans, droppedSpans, durationMs } = data
    return html`${figures(data)}
      <h3>Time line</h3>
      ${droppedSpans === 0 ? null : html`<p class="note tone-warning">${spans.length} of ${spans.length + droppedSpans} spans kept.</p>`}
      ${spans.length === 0 ? emptyState('No span was measured inside this request.') : timeline(spans, durationMs)}
      ${subRequests(data, view)}`
  },
}

function figures({ durationMs, spans, droppedSpans, subRequests }: TimeData): SafeHtml {
  const subMs = subRequests.reduce((sum, sub) => sum + sub.durationMs, 0)
  return html`<div class="figures">
    ${figure(formatDuration(durationMs), 'Total time')} ${figure(String(spans.length + droppedSpans), 'Spans')}
    ${figure(String(subRequests.length), 'Sub-requests')}
    ${subRequests.length === 0 ? null : figure(formatDuration(subMs), 'In sub-requests')}
  </div>`
}

function figure(value: string, label: string): SafeHtml {
  return html`<div class="card figure"><b>${value}</b><span>${label}</span></div> `
}

function subRequests(data: TimeData, { linkTo }: PanelView): SafeHtml | null {
  if (data.subRequests.length === 0) return null
  return html`<h3>Sub-requests</h3>
    <ul>
      ${data.subRequests.map(
        (sub) =>
          html`<li>
            ${sub.handler} <a class="mono" href="${linkTo(sub.token, 'time')}">${sub.token}</a>
            <span class="muted">from ${formatDuration(sub.startMs)}, for ${formatDuration(sub.durationMs)}</span>
          </li> `,
      )}
    </ul>`
}
