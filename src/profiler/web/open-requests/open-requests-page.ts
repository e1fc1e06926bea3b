// The page of the requests that have not answered. With a script it renews itself; without one there is a link.

import { badge, emptyState, formatDuration, formatTime } from '../../../framework/html/components.ts'
import { html, type SafeHtml } from '../../../framework/html/html.ts'
import { styleSheet } from '../../../framework/html/style-sheet.ts'
import type { EditorLink } from '../../../errors/page/frame-item.ts'
import { countOf, cutText } from '../../../errors/page/page-budget.ts'
import { placeLink } from '../../../errors/page/place-link.ts'
import type { OpenRequest } from '../../open-requests/open-request.ts'
import type { OpenRequestsData } from '../../open-requests/open-requests.ts'
import { standingText, waitingText, type WaitingText } from './standing-text.ts'

/** Where its links lead. */
export interface OpenRequestsPlace {
  readonly profilerPath: string
  readonly linkTo: (token: string) => string
  /** Makes links that open a place in the reader's editor. Default: none. */
  readonly editor?: EditorLink | undefined
}

/** From this age on a request is marked, in milliseconds: few are meant to take so long. */
const longMs = 5000
const maxUrlLength = 300

/** Count, table, and what the list does not know. */
export function openRequestsPage(data: OpenRequestsData, place: OpenRequestsPlace): SafeHtml {
  const { requests, count, processId, takenAt } = data
  return html`<section data-open-requests>
      <p class="row spread open-state">
        <span>
          <b>${count === 0 ? 'No open request' : countOf(count, 'open request')}</b>
          <span class="muted">at <time>${formatTime(takenAt)}</time> UTC</span>
        </span>
        <span class="row screen-only">
          <a class="button" href="${place.profilerPath}/open-requests">Refresh</a>
          <button class="button" type="button" data-open-pause hidden>Pause</button>
        </span>
      </p>
      ${count === 0 ? emptyState('Every recorded request of this process has been answered.') : table(requests, place)}
      ${requests.length < count ? html`<p class="note tone-warning">The oldest ${requests.length} of ${count} are shown.</p>` : null}
    </section>
    <p class="muted small open-scope">
      Of process ${processId} only: other processes of the application have lists of their own. A request stays here
      until its answer has left; one whose client went away, until its handler is done.
    </p>`
}

function table(requests: readonly OpenRequest[], place: OpenRequestsPlace): SafeHtml {
  return html`<table class="table profiles open-requests">
    <caption class="visually-hidden">
      Requests that have not answered, oldest first
    </caption>
    <thead>
      <tr>
        <th scope="col" class="number">Age</th>
        <th scope="col">Request</th>
        <th scope="col">Where it stands</th>
        <th scope="col">What it waits for</th>
        <th scope="col">Token</th>
      </tr>
    </thead>
    <tbody>
      ${requests.map((request) => row(request, place))}
    </tbody>
  </table>`
}

function row(request: OpenRequest, { linkTo, editor }: OpenRequestsPlace): SafeHtml {
  const { token, method, url, route, definedAt, ageMs, isClientGone, lastLog } = request
  const isLong = ageMs >= longMs
  return html`<tr class="${isLong ? 'tone-warning' : 'tone-neutral'}">
    <td class="number nowrap">${badge(formatDuration(ageMs), isLong ? 'warning' : 'neutral')}</td>
    <td class="url">
      <a href="${linkTo(token)}">${cutText(method, 20)} ${cutText(url, maxUrlLength)}</a>
      <div class="sub">
        ${route === null ? 'no route yet' : `route ${route}`}${definedAt === null ? null : html`, ${placeLink(definedAt, editor)}`}
        ${isClientGone === true ? badge('client gone', 'warning') : null}
      </div>
    </td>
    <td class="stands">${standingText(request)}</td>
    <td class="waits">
      ${waiting(waitingText(request))}
      ${lastLog === null ? null : html`<div class="muted small">Last log line: ${cutText(lastLog, 200)}</div>`}
    </td>
    <td><a class="mono nowrap" href="${linkTo(token)}">${token}</a></td>
  </tr> `
}

function waiting({ sentence, detail }: WaitingText): SafeHtml {
  return html`${sentence}${detail === null ? null : html`<code class="open-detail">${cutText(detail, maxUrlLength)}</code>`}`
}

/** Comes after the theme and the layout's own. */
export const openRequestsStyles: SafeHtml = styleSheet(`
.open-state { margin: var(--space-6) 0 var(--space-3) }
.open-requests td.url { width: 30% }
.open-requests .sub .badge { font-family: var(--font) }
.open-requests :is(.stands, .waits) { overflow-wrap: anywhere; min-width: 10rem }
.open-requests .open-detail { display: block; margin-top: 2px; max-height: 4.5lh; overflow: hidden; background: none; padding: 0 }
.open-scope { margin: var(--space-4) 0 var(--space-8); max-width: 48rem }
@media (max-width: 40rem) {
  .open-requests td.url { width: auto }
  .open-requests :is(.stands, .waits) { display: block }
}
`)
