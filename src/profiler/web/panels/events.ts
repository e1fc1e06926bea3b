// Draws the moments of the request: which listener ran when, for how long, and which were not asked. Of other frameworks, their steps.

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
    if (notCalled === null) {
      return html`${keptMark(calls.length, dropped, 'steps')}
      ${calls.length === 0 ? emptyState('No steps were recorded.') : callTable(calls, steps)}`
    }
    return html`${keptMark(calls.length, dropped, 'calls')}
      ${calls.length === 0 ? emptyState('No listeners ran.') : callTable(calls, listeners)}
      <h3>Did not run</h3>
      ${notCalled.length === 0 ? emptyState('All listeners ran.') : restList(notCalled)}
      <p class="muted small">
        Not listed: what runs before or after the recording (the maintenance lock), and the profiler’s own listeners,
        whose time is in the performance panel.
      </p>`
  },
}

/** What a table of calls is called, and its first columns. */
interface CallWords {
  readonly caption: string
  readonly moment: string
  readonly listener: string
}

const listeners: CallWords = { caption: 'Listeners in the order they started', moment: 'Event', listener: 'Listener' }
const steps: CallWords = { caption: 'Steps in the order they started', moment: 'Kind', listener: 'Step' }

function callTable(calls: readonly ListenerCall[], words: CallWords): SafeHtml {
  return dataTable(
    'events',
    words.caption,
    [words.moment, words.listener, columnHead('Own time', 'number'), columnHead('Duration', 'number total')],
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

function restList(notCalled: NonNullable<EventsData['notCalled']>): SafeHtml {
  return html`<ul>
    ${notCalled.map(({ listener, moment }) => html`<li><code>${moment}</code> ${cutText(listener, 200)}</li> `)}
  </ul>`
}
