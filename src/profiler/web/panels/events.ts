// Draws the moments of the request: which listener ran when, for how long, and which were not asked.

import { badge, emptyState, formatDuration } from '../../../framework/html/components.ts'
import { html, type SafeHtml } from '../../../framework/html/html.ts'
import { cutText } from '../../../errors/page/page-budget.ts'
import type { EventsData, ListenerCall } from '../../collectors/events.ts'
import { keptMark } from '../notes.ts'
import type { Panel } from '../panel.ts'

/** Listeners in the order they ran. */
export const eventsPanel: Panel<EventsData> = {
  name: 'events',
  title: 'Events',
  render: (data, { profile }) => {
    if (data === undefined) {
      const isPart = profile.parentToken !== null
      return emptyState(
        isPart ? 'This is a sub-request: the moments are those of its parent.' : 'No moment was recorded.',
      )
    }
    const { calls, notCalled, dropped } = data
    return html`${keptMark(calls.length, dropped, 'calls')}
      ${calls.length === 0 ? emptyState('No listener was called while this request was recorded.') : callTable(calls)}
      <h3>Not called</h3>
      ${notCalled.length === 0 ? emptyState('Every listener of the application was called, or there is none.') : restList(notCalled)}
      <p class="muted small">
        What runs before the recording begins (the maintenance lock) and after it ends is not here, nor are listeners
        that only watch for the profiler: the performance panel says what they took.
      </p>`
  },
}

function callTable(calls: readonly ListenerCall[]): SafeHtml {
  return html`<table class="table events">
    <caption class="visually-hidden">
      Calls of listeners in the order they began
    </caption>
    <thead>
      <tr>
        <th scope="col">Moment</th>
        <th scope="col">Listener</th>
        <th scope="col" class="number">Own time</th>
        <th scope="col" class="number total">Duration</th>
      </tr>
    </thead>
    <tbody>
      ${calls.map(
        ({ moment, listener, ownMs, durationMs, hasFailed }) =>
          html`<tr class="tone-${hasFailed ? 'error' : 'neutral'}">
            <td class="mono">${cutText(moment, 100)}</td>
            <td>${cutText(listener, 200)} ${hasFailed ? badge('error', 'error') : null}</td>
            <td class="number">${ownMs === null ? 'not ended' : formatDuration(ownMs)}</td>
            <td class="number muted total">${durationMs === null ? '' : formatDuration(durationMs)}</td>
          </tr> `,
      )}
    </tbody>
  </table>`
}

function restList(notCalled: EventsData['notCalled']): SafeHtml {
  return html`<ul>
    ${notCalled.map(({ listener, moment }) => html`<li><code>${moment}</code> ${cutText(listener, 200)}</li> `)}
  </ul>`
}
