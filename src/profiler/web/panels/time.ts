// Draws where the time went: how it divides, who was in the way, the time line, and what the process did meanwhile.

import { emptyState, formatDuration } from '../../../framework/html/components.ts'
import { html, type SafeHtml } from '../../../framework/html/html.ts'
import { keptMark } from '../kept-mark.ts'
import { countOf } from '../../../errors/page/page-budget.ts'
import type { Panel, PanelView } from '../panel.ts'
import { processSection } from './time-process.ts'
import { hindrances, othersInTheWay, sharesExplained, timeShares } from './time-shares.ts'
import { timeline } from './timeline.ts'
import type { ShownTime } from './shown-time.ts'

/** Performance. */
export const timePanel: Panel<ShownTime> = {
  name: 'time',
  title: 'Performance',
  badge: (data) => {
    const others = new Set([...othersInTheWay(data), ...(data.blocked ?? [])].map(({ token }) => token)).size
    return others === 0
      ? undefined
      : { count: others, tone: 'warning', hint: `blocked loop: ${countOf(others, 'other request')}` }
  },
  render: (data, view) => {
    if (data === undefined) return emptyState('No time was measured.')
    const { spans, droppedSpans, ownCpuMs = null } = data
    return html`${timeShares(data)} ${ownCpuMs === null ? notShared(view) : sharesExplained} ${hindrances(data, view)}
      <h3>Time line</h3>
      ${keptMark(spans.length, droppedSpans, 'spans')}
      ${spans.length === 0 ? emptyState('No span was measured inside this request.') : timeline(data, view)}
      ${subRequests(data, view)} ${processSection(data)}`
  },
}

function notShared({ profile, linkTo }: PanelView): SafeHtml {
  const { parentToken } = profile
  return parentToken === null
    ? html`<p class="muted small">How this time divides was not measured.</p>`
    : html`<p class="muted small">
        This is a sub-request: what ran for it counts with <a href="${linkTo(parentToken, 'time')}">its parent</a>.
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
