// `/_profiler/open-requests`: requests of this process without a response yet, and open connections. A script refreshes the list, a link does without one.

import { badge, emptyState, formatDuration, formatTime, note } from '../../../framework/html/components.ts'
import { html, type SafeHtml } from '../../../framework/html/html.ts'
import { cutText } from '../../../framework/redact/cut-text.ts'
import { styleSheet, scriptBlock } from '../../../framework/html/style-sheet.ts'
import { countOf } from '../../../errors/page/page-budget.ts'
import { placeLink, type EditorLink } from '../../../errors/page/editor-link.ts'
import type { OpenRequest, OpenWork, OpenRequestsData } from '../../open-requests/open-requests.ts'
import { untrustedSpans } from '../../query/profile-facts.ts'
import { columnLines, columnStyles, columnTable, type Column } from '../columns.ts'
import type { ProfilerPage } from '../profiler-page.ts'

/** Missing if the controller has no list. */
export const openPage: ProfilerPage = async (
  exchange,
  { options: { openRequests, profilerPath, editor }, linkTo, missing },
) => {
  if (openRequests === undefined) return missing
  const data = openRequests.read()
  const place = { profilerPath, linkTo, editor }
  return {
    html: () => ({
      title: 'Open requests',
      content: openRequestsPage(data, place),
      styles: [openRequestsStyles],
      scripts: [openRequestsScript],
    }),
    json: () => data,
    markdown: () => openRequestsMarkdown(data, place),
  }
}

/** One line a request. */
function openRequestsMarkdown(
  { requests, count, processId, takenAt }: OpenRequestsData,
  place: OpenRequestsPlace,
): string {
  const scope = `Requests of process ${processId} without a response at ${formatTime(takenAt)} UTC: ${count}.`
  const cut = requests.length < count ? [`The oldest ${requests.length} are listed.`] : []
  const lines = columnLines([...openColumns(place), ...lineColumns], requests)
  return `${['# Open requests', scope, ...cut, untrustedSpans, lines.join('\n')].join('\n\n')}\n`
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
  const table = columnTable(openColumns(place), requests, {
    className: 'open-requests',
    caption: 'Open requests and connections, oldest first',
    tone: (request) => (isLong(request) ? 'warning' : 'neutral'),
  })
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
      ${count === 0 ? emptyState('All recorded requests of this process have a response.') : table}
      ${requests.length < count ? note(`The oldest ${requests.length} of ${count} are shown.`) : null}
    </section>
    <p class="muted small open-scope">
      This process only (${processId}). Listed until the response is sent or the connection closes.
    </p>`
}

function openColumns({ linkTo, editor }: OpenRequestsPlace): readonly Column<OpenRequest>[] {
  return [
    {
      title: 'Request',
      text: ({ method, url }) => `${method} ${url}`,
      cell: (request) => requestCell(request, linkTo(request.token), editor),
      className: 'mono',
    },
    {
      title: 'Age',
      text: ({ ageMs }) => formatDuration(ageMs),
      cell: (request) => badge(formatDuration(request.ageMs), isLong(request) ? 'warning' : 'neutral'),
      className: 'number',
    },
    { title: 'Step', text: standingText },
    { title: 'State', text: (request) => waitingText(request).sentence, cell: waitingCell },
    {
      title: 'Token',
      text: ({ token }) => token,
      cell: ({ token }) => html`<a class="mono nowrap" href="${linkTo(token)}">${token}</a>`,
    },
  ]
}

/** What the table says in other columns. */
const lineColumns: readonly Column<OpenRequest>[] = [
  { title: 'Route', text: routeText },
  { title: 'Call', text: (request) => waitingText(request).detail },
  { title: 'Last log line', text: ({ lastLog }) => lastLog },
  { title: 'Client', text: ({ isClientGone }) => (isClientGone === true ? 'gone' : null) },
]

function isLong({ ageMs, connection }: OpenRequest): boolean {
  return ageMs >= longMs && connection === null
}

function routeText({ route, definedAt }: OpenRequest): string | null {
  return route === null ? null : `${route}${definedAt === null ? '' : `, ${definedAt}`}`
}

function requestCell(request: OpenRequest, address: string, editor: EditorLink | undefined): SafeHtml {
  const { method, url, route, definedAt, isClientGone } = request
  return html`<a href="${address}">${cutText(method, 20)} ${cutText(url, maxUrlLength)}</a>
    <div class="sub">
      ${route === null ? 'no route yet' : `route ${route}`}${definedAt === null ? null : html`, ${placeLink(definedAt, editor)}`}
      ${isClientGone === true ? badge('client gone', 'warning') : null}
    </div>`
}

function waitingCell(request: OpenRequest): SafeHtml {
  const { sentence, detail } = waitingText(request)
  const { lastLog } = request
  return html`${sentence}${detail === null ? null : html`<code class="open-detail">${cutText(detail, maxUrlLength)}</code>`}
  ${lastLog === null ? null : html`<div class="muted small">Last log line: ${cutText(lastLog, 200)}</div>`}`
}

export const openRequestsStyles: SafeHtml = html`${columnStyles('open-requests', '56rem')}${styleSheet(`
.open-state { margin: var(--space-6) 0 var(--space-3) }
.open-requests .sub { color: var(--muted); font: var(--size-small)/1.5 var(--font); overflow-wrap: anywhere }
.open-requests .open-detail { display: block; margin-top: 2px; max-height: 4.5lh; overflow: hidden }
.open-scope { margin: var(--space-4) 0 var(--space-8); max-width: 48rem }
@media (width > 56rem) {
  .open-requests { table-layout: fixed }
  .open-requests th:nth-child(1) { width: 32% }
  .open-requests th:nth-child(2) { width: 6rem }
  .open-requests th:nth-child(5) { width: 9rem }
}
`)}`

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
  // A call of an earlier step, such as a listener, says nothing about this one.
  const enteredMs = ageMs - (request.stands.forMs ?? ageMs)
  if (lastCall === null || lastCall.startMs < enteredMs) return { sentence: nothing, detail: null }
  return { sentence: `${nothing} Last: ${lastCall.name}, ${ended(lastCall)}.`, detail: lastCall.detail }
}

function ended({ durationMs }: OpenWork): string {
  return durationMs === null ? 'still running' : formatDuration(durationMs)
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
      const response = await fetch(location.pathname, { headers: { accept: 'text/html' } });
      const text = await response.text(), from = text.indexOf('<section data-open-requests'), to = text.indexOf('<' + '/section>', from);
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
