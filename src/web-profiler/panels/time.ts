// Draws where the time went: figures, then one bar for each span on a common scale.

import { emptyState, formatDuration } from '../../html/components.ts'
import { html, type SafeHtml } from '../../html/html.ts'
import type { TimeData } from '../../profiler/collectors/time.ts'
import type { Span } from '../../timing/span.ts'
import type { Panel, PanelView } from '../panel.ts'

const categories = new Set(['kernel', 'listener', 'controller', 'store', 'http', 'sub-request', 'template', 'app'])
/** Width of the drawing; bars are fractions of it. */
const scale = 1000

/** The time line. */
export const timePanel: Panel<TimeData> = {
  name: 'time',
  title: 'Performance',
  render: (data, view) => {
    if (data === undefined) return emptyState('No time was measured.')
    return html`${figures(data)}
    ${data.droppedSpans === 0 ? null : html`<p class="note tone-warning">${data.spans.length} of ${data.spans.length + data.droppedSpans} spans kept.</p>`}
    ${data.spans.length === 0 ? emptyState('No span was measured inside this request.') : timeline(data)}
    ${subRequests(data, view)}`
  },
}

function figures(data: TimeData): SafeHtml {
  const subMs = data.subRequests.reduce((sum, { durationMs }) => sum + durationMs, 0)
  const figure = (value: string, label: string): SafeHtml =>
    html`<div class="card figure"><b>${value}</b><span>${label}</span></div> `
  return html`<div class="figures">
    ${figure(formatDuration(data.durationMs), 'Total time')} ${figure(String(data.spans.length), 'Spans')}
    ${figure(String(data.subRequests.length), 'Sub-requests')}
    ${data.subRequests.length === 0 ? null : figure(formatDuration(subMs), 'In sub-requests')}
  </div>`
}

function timeline(data: TimeData): SafeHtml {
  const present = [...new Set(data.spans.map(categoryOf))]
  const depths = depthsOf(data.spans)
  return html`<h3>Time line</h3>
    <p class="legend">
      ${present.map(
        (name) =>
          html`<span
            ><svg viewBox="0 0 10 10" class="cat-${name}" aria-hidden="true"><rect width="10" height="10" /></svg
            >${name}</span
          > `,
      )}
    </p>
    <table class="table timeline">
      <caption class="visually-hidden">
        Spans in the order they began
      </caption>
      <thead>
        <tr>
          <th scope="col">Span</th>
          <th scope="col" class="number">Start</th>
          <th scope="col" class="number">Duration</th>
          <th scope="col">On a scale of ${formatDuration(data.durationMs)}</th>
        </tr>
      </thead>
      <tbody>
        ${data.spans.map((span) => spanRow(span, depths.get(span.id) ?? 0, data.durationMs))}
      </tbody>
    </table>`
}

function spanRow(span: Span, depth: number, totalMs: number): SafeHtml {
  const durationMs = span.durationMs ?? Math.max(0, totalMs - span.startMs)
  const left = totalMs > 0 ? (span.startMs / totalMs) * scale : 0
  const width = totalMs > 0 ? Math.max(3, (durationMs / totalMs) * scale) : 3
  const x = Math.min(left, scale - 3)
  return html`<tr>
    <td class="span-name">
      <div class="depth-${Math.min(depth, 4)}">
        ${span.name}${span.status === 'error' ? html` <span class="badge tone-error">error</span>` : null}
      </div>
    </td>
    <td class="number muted">${formatDuration(span.startMs)}</td>
    <td class="number">${span.durationMs === null ? 'not ended' : formatDuration(durationMs)}</td>
    <td>
      <svg viewBox="0 0 ${scale} 16" preserveAspectRatio="none" class="cat-${categoryOf(span)}" aria-hidden="true">
        <rect class="lane" width="${scale}" height="16" />
        <rect x="${x.toFixed(1)}" y="3" width="${Math.min(width, scale - x).toFixed(1)}" height="10" rx="2" />
      </svg>
    </td>
  </tr> `
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

function categoryOf(span: Span): string {
  return categories.has(span.category) ? span.category : 'app'
}

function depthsOf(spans: readonly Span[]): ReadonlyMap<number, number> {
  const depths = new Map<number, number>()
  for (const span of spans) depths.set(span.id, span.parentId === null ? 0 : (depths.get(span.parentId) ?? 0) + 1)
  return depths
}
