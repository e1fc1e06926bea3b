// Draws the moments of the request: which listener ran when, for how long, and which were not asked.

import { badge, columnHead, dataTable, emptyState, formatDuration } from '../../../framework/html/components.ts'
import { html, type SafeHtml } from '../../../framework/html/html.ts'
import { cutText } from '../../../framework/redact/cut-text.ts'
import type { EventsData, ListenerCall } from '../../collectors/events.ts'
import { keptMark } from '../notes.ts'
import type { Panel } from '../panel.ts'

export const eventsPanel: Panel<EventsData> = {
  name: 'events',
  title: 'Events',
  render: (data, { profile }) => {
    if (data === undefined) {
      const isPart = profile.parentToken !== null
      return emptyState(
        isPart ? 'This is a sub-request; its events are those of its parent.' : 'No events were recorded.',
      )
    }
    const { calls, notCalled, dropped } = data
    return html`${keptMark(calls.length, dropped, 'calls')}
      ${calls.length === 0 ? emptyState('No listeners ran.') : callTable(calls)}
      <h3>Did not run</h3>
      ${notCalled.length === 0 ? emptyState('All listeners ran.') : restList(notCalled)}
      <p class="muted small">
        Not listed: what runs before or after the recording (the maintenance lock), and the profiler’s own listeners,
        whose time is in the performance panel.
      </p>`
  },
}

function callTable(calls: readonly ListenerCall[]): SafeHtml {
  return dataTable(
    'events',
    'Listeners in the order they started',
    ['Event', 'Listener', columnHead('Own time', 'number'), columnHead('Duration', 'number total')],
    calls.map(
      ({ moment, listener, ownMs, durationMs, hasFailed }) =>
        html`<tr class="tone-${hasFailed ? 'error' : 'neutral'}">
          <td class="mono">${cutText(moment, 100)}</td>
          <td>${cutText(listener, 200)} ${hasFailed ? badge('error', 'error') : null}</td>
          <td class="number">${ownMs === null ? 'not ended' : formatDuration(ownMs)}</td>
          <td class="number muted total">${durationMs === null ? '' : formatDuration(durationMs)}</td>
        </tr> `,
    ),
  )
}

function restList(notCalled: EventsData['notCalled']): SafeHtml {
  return html`<ul>
    ${notCalled.map(({ listener, moment }) => html`<li><code>${moment}</code> ${cutText(listener, 200)}</li> `)}
  </ul>`
}
