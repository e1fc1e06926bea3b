// `/_profiler/open-requests`: requests of this process without a response yet, and open connections. A script refreshes the list, a link does without one.

import { codeSpan } from '../../../errors/markdown-text.ts'
import {
  badge,
  columnHead,
  dataTable,
  emptyState,
  formatDuration,
  formatTime,
  note,
} from '../../../framework/html/components.ts'
import { html, type SafeHtml } from '../../../framework/html/html.ts'
import { cutText } from '../../../framework/redact/cut-text.ts'
import { styleSheet, scriptBlock } from '../../../framework/html/style-sheet.ts'
import { countOf } from '../../../errors/page/page-budget.ts'
import { placeLink, type EditorLink } from '../../../errors/page/editor-link.ts'
import type { OpenRequest, OpenWork, OpenRequestsData } from '../../open-requests/open-requests.ts'
import type { ProfilerPage } from '../profiler-page.ts'

/** Missing if the controller has no list. */
export const openPage: ProfilerPage<OpenRequestsData> = async (
  exchange,
  { options: { openRequests, profilerPath, editor }, linkTo, missing },
) => {
  if (openRequests === undefined) return missing
  const data = openRequests.read()
  return {
    html: () => ({
      title: 'Open requests',
      content: openRequestsPage(data, { profilerPath, linkTo, editor }),
      styles: [openRequestsStyles],
      scripts: [openRequestsScript],
    }),
    json: () => data,
    markdown: () => openRequestsMarkdown(data),
  }
}

/** One section a request. Everything that comes from a request is in a code span. */
function openRequestsMarkdown({ requests, count, processId, takenAt }: OpenRequestsData): string {
  const scope = `Requests of process ${processId} that have no response at ${new Date(takenAt).toISOString()}: ${count}.`
  const cut = requests.length < count ? [`The oldest ${requests.length} are listed.`] : []
  return `${['# Open requests', scope, ...cut, ...requests.map(section)].join('\n\n')}\n`
}

function section(request: OpenRequest): string {
  const { token, method, url, route, definedAt, ageMs, isClientGone, lastLog } = request
  const { sentence, detail } = waitingText(request)
  const lines: readonly (readonly [string, string])[] = [
    ['Open for', formatDuration(ageMs)],
    ['Route', route === null ? 'none' : `${route}${definedAt === null ? '' : `, ${definedAt}`}`],
    ['Currently', standingText(request)],
    ['Waiting', sentence],
    ...(detail === null ? [] : [['Call', detail] as const]),
    ...(lastLog === null ? [] : [['Last log line', lastLog] as const]),
    ...(isClientGone === true ? [['Client', 'went away'] as const] : []),
    ['Token', token],
  ]
  return `## ${codeSpan(`${method} ${url}`)}\n\n${lines.map(([name, text]) => `- ${name}: ${codeSpan(text)}`).join('\n')}`
}

interface OpenRequestsPlace {
  readonly profilerPath: string
  readonly linkTo: (token: string) => string
  /** Makes links that open a place in the reader's editor. Default: none. */
  readonly editor?: EditorLink | undefined
}

/** From this age on a request is marked, in milliseconds: few should take this long. */
const longMs = 5000
const maxUrlLength = 300

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
      ${count === 0 ? emptyState('All recorded requests of this process have a response.') : table(requests, place)}
      ${requests.length < count ? note(`The oldest ${requests.length} of ${count} are shown.`) : null}
    </section>
    <p class="muted small open-scope">
      This process only (${processId}). A request stays here until its response is sent or, if the client left, until
      its handler is done; a WebSocket and a stream of events until they are closed.
    </p>`
}

function table(requests: readonly OpenRequest[], place: OpenRequestsPlace): SafeHtml {
  return dataTable(
    'open-requests',
    'Open requests and connections, oldest first',
    [columnHead('Age', 'number'), 'Request', 'Currently in', 'Waiting for', 'Token'],
    requests.map((request) => row(request, place)),
  )
}

function row(request: OpenRequest, { linkTo, editor }: OpenRequestsPlace): SafeHtml {
  const { token, method, url, route, definedAt, ageMs, isClientGone, lastLog } = request
  const isLong = ageMs >= longMs && request.connection === null
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

export const openRequestsStyles: SafeHtml = styleSheet(`
.open-state { margin: var(--space-6) 0 var(--space-3) }
.open-requests { table-layout: fixed }
.open-requests :is(td, .sub) { overflow-wrap: anywhere }
.open-requests th:nth-child(1) { width: 6rem }
.open-requests th:nth-child(2) { width: 32% }
.open-requests th:nth-child(5) { width: 9rem }
.open-requests .url { font-family: var(--mono); font-size: .92em }
.open-requests .sub { color: var(--muted); font-size: var(--size-small) }
.open-requests .sub .badge { font-family: var(--font) }
.open-requests .open-detail { display: block; margin-top: 2px; max-height: 4.5lh; overflow: hidden }
.open-scope { margin: var(--space-4) 0 var(--space-8); max-width: 48rem }
@media (max-width: 56rem) {
  .open-requests thead { display: none }
  .open-requests, .open-requests tbody { display: block }
  .open-requests tr { display: grid; grid-template-columns: auto 1fr; gap: 0 var(--space-3); padding: var(--space-2) var(--space-3) }
  .open-requests td { border: 0 !important; padding: 0 !important; box-shadow: none !important }
  .open-requests td:nth-child(n+3) { grid-column: 1 / -1 }
}
`)

interface WaitingText {
  readonly sentence: string
  readonly detail: string | null
}

/** `In the handler "product" for 3.20 s.` */
function standingText({ stands, connection }: Pick<OpenRequest, 'stands' | 'connection'>): string {
  const { place, name, forMs } = stands
  if (connection !== null) return connectionText(connection)
  if (place === 'sending') return 'Sending the response.'
  if (place === 'between' || name === null || forMs === null) return 'Between two steps; nothing recorded is running.'
  const time = formatDuration(forMs)
  if (place === 'handler') return `In the handler "${name}" for ${time}.`
  if (place === 'error page') return `In the error page, rendered by "${name}", for ${time}.`
  return `In ${place} of the listener "${name}" for ${time}.`
}

/** `WebSocket: 3 messages received, 5 sent.` */
function connectionText({ protocol, sent, received }: NonNullable<OpenRequest['connection']>): string {
  if (protocol === 'event-stream') return `Server-Sent Events: ${countOf(sent, 'event')} sent.`
  return `WebSocket: ${countOf(received, 'message')} received, ${sent} sent.`
}

/** `Waits for GET 127.0.0.1:9000 for 3.19 s.` */
function waitingText(
  request: Pick<OpenRequest, 'running' | 'runningCount' | 'lastCall' | 'ageMs' | 'stands' | 'connection'>,
): WaitingText {
  const { running, runningCount, lastCall, ageMs, connection } = request
  if (running !== null) {
    const others = runningCount === 1 ? '' : `, and ${runningCount - 1} more`
    const sentence = `Waiting for ${running.name} for ${formatDuration(ageMs - running.startMs)}${others}.`
    return { sentence, detail: running.detail }
  }
  if (connection !== null) {
    const { lastMs, protocol } = connection
    const what = protocol === 'websocket' ? 'message' : 'event'
    return {
      sentence: lastMs === null ? `No ${what} so far.` : `Last ${what} ${formatDuration(ageMs - lastMs)} ago.`,
      detail: null,
    }
  }
  const nothing = 'No tracked I/O: busy, or awaiting an unresolved promise.'
  // A call of an earlier step, such as the read of the currency, says nothing about this one.
  const enteredMs = ageMs - (request.stands.forMs ?? ageMs)
  if (lastCall === null || lastCall.startMs < enteredMs) return { sentence: nothing, detail: null }
  return { sentence: `${nothing} Last: ${lastCall.name}, ${ended(lastCall)}.`, detail: lastCall.detail }
}

function ended({ durationMs }: OpenWork): string {
  return durationMs === null ? 'still running' : `took ${formatDuration(durationMs)}`
}

/** Asks for the page again every two seconds, and puts the new list in place of the old one; focus stays where it was. */
const openRequestsScript: SafeHtml = scriptBlock(`
{
  let section = document.querySelector('[data-open-requests]'), isPaused = false;
  const place = () => section.contains(document.activeElement) && [...section.querySelectorAll('a, button')].indexOf(document.activeElement);
  const button = () => {
    const pause = section.querySelector('[data-open-pause]');
    pause.hidden = false;
    pause.textContent = isPaused ? 'Resume' : 'Pause';
    pause.addEventListener('click', () => { isPaused = !isPaused; pause.textContent = isPaused ? 'Resume' : 'Pause'; });
  };
  const renew = async () => {
    if (isPaused || document.hidden) return;
    try {
      const answer = await fetch(location.pathname, { headers: { accept: 'text/html' } });
      const text = await answer.text(), from = text.indexOf('<section data-open-requests'), to = text.indexOf('<' + '/section>', from);
      if (from < 0 || isPaused) return;
      /* The section only: styles of the other page carry a nonce that is not ours. */
      const next = new DOMParser().parseFromString(text.slice(from, to), 'text/html').querySelector('section');
      const focused = place();
      section.replaceWith(next);
      section = next;
      button();
      if (focused !== false) section.querySelectorAll('a, button')[focused]?.focus({ preventScroll: true });
    } catch { /* The application is away: the next turn asks again. */ }
  };
  if (section) { button(); setInterval(renew, 2000); }
}
`)
