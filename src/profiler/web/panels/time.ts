// The performance panel: shares of time, hold-ups, timeline.

import { emptyState, formatDuration } from '../../../framework/html/components.ts'
import { html, type SafeHtml } from '../../../framework/html/html.ts'
import { keptMark } from '../notes.ts'
import { countOf } from '../../../errors/page/page-budget.ts'
import type { Panel, PanelView } from '../panel.ts'
import { hindrances, sharesExplained, sideBySide, timeShares, type ShownTime } from './time-shares.ts'
import { timeline } from './timeline.ts'

export const timePanel: Panel<ShownTime> = {
  name: 'time',
  title: 'Performance',
  parameters: ['kind'],
  badge: (data) => {
    const others = new Set([...(data.blockedBy ?? []), ...(data.blocked ?? [])].map(({ token }) => token)).size
    return others === 0
      ? undefined
      : { count: others, tone: 'warning', hint: `blocked loop: ${countOf(others, 'other request')}` }
  },
  render: (data, view) => {
    if (data === undefined) return emptyState('No timing was recorded.')
    const { spans, droppedSpans, ownCpuMs = null } = data
    return html`${timeShares(data)} ${ownCpuMs === null ? notShared(view) : sharesExplained} ${hindrances(data, view)}
      ${sideBySide(data, view)}
      <h3>Timeline</h3>
      ${keptMark(spans.length, droppedSpans, 'spans')}
      ${spans.length === 0 ? emptyState('No spans were recorded.') : timeline(data, view)} ${subRequests(data, view)}`
  },
}

function notShared({ profile, linkTo }: PanelView): SafeHtml {
  const { parentToken } = profile
  return parentToken === null
    ? html`<p class="muted small">The shares of this time were not measured.</p>`
    : html`<p class="muted small">
        This is a sub-request; its CPU time counts toward <a href="${linkTo(parentToken, 'time')}">its parent</a>.
      </p>`
}

function subRequests({ subRequests: list }: ShownTime, { linkTo }: PanelView): SafeHtml | null {
  if (list.length === 0) return null
  return html`<h3>Sub-requests</h3>
    <ul>
      ${list.map(
        (sub) =>
          html`<li>
            ${sub.handler} <a class="mono" href="${linkTo(sub.token, 'time')}">${sub.token}</a>
            <span class="muted">from ${formatDuration(sub.startMs)}, for ${formatDuration(sub.durationMs)}</span>
          </li> `,
      )}
    </ul>`
}
