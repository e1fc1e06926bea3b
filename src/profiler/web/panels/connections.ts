// Draws the WebSockets and streams of events of the request, with their messages in the order they passed.

import { countOf, cutMark, PageBudget } from '../../../errors/page/page-budget.ts'
import { placeLink, type EditorLink } from '../../../errors/page/editor-link.ts'
import {
  badge,
  columnHead,
  dataTable,
  emptyState,
  formatBytes,
  formatDuration,
} from '../../../framework/html/components.ts'
import { html, type SafeHtml } from '../../../framework/html/html.ts'
import { styleSheet } from '../../../framework/html/style-sheet.ts'
import { cutText } from '../../../framework/redact/cut-text.ts'
import type { ConnectionMessage } from '../../activities/kinds.ts'
import type { ConnectionsData } from '../../collectors/connections.ts'
import { keptMark } from '../notes.ts'
import type { Panel } from '../panel.ts'

type Connection = ConnectionsData['entries'][number]

const listBytes = 500_000

export const connectionsPanel: Panel<ConnectionsData> = {
  name: 'connections',
  title: 'Connections',
  hidesWhenEmpty: true,
  badge: ({ entries, dropped }) => {
    const broken = entries.filter(isBroken).length
    const hint = countOf(entries.length + dropped, 'connection')
    if (broken > 0) return { count: broken, tone: 'error', hint: `${broken} broken of ${hint}` }
    return { count: entries.length + dropped, tone: 'neutral', hint }
  },
  render: (data, { editor }) => {
    if (data === undefined) {
      return emptyState(
        'No WebSocket and no stream of events. Streams of this application and the WebSocket of Node are recorded by themselves; hand a WebSocketServer of ws to observe().',
      )
    }
    const budget = new PageBudget(listBytes)
    const rest = (missing: number): SafeHtml => cutMark(`${countOf(missing, 'more connection')} not shown.`)
    return html`${keptMark(data.entries.length, data.dropped, 'connections')}
    ${budget.list(data.entries, (connection) => card(connection, budget, editor), { rest })}`
  },
}

/** 1006: the connection ended without a word. */
const abnormalCodes: ReadonlySet<number> = new Set([1002, 1003, 1006, 1007, 1008, 1009, 1010, 1011, 1015])

function isBroken({ error, closed }: Connection): boolean {
  return error !== null || (closed !== null && abnormalCodes.has(closed.code))
}

function card(connection: Connection, budget: PageBudget, editor: EditorLink | undefined): SafeHtml {
  const { protocol, role, url, subprotocol, durationMs, startMs, error, callSite } = connection
  const head = html`<h3 class="outgoing-head">
      ${state(connection)} ${protocol === 'websocket' ? 'WebSocket' : 'Server-Sent Events'}
      <span class="mono url">${url === null ? 'of this request' : cutText(url, 2000)}</span>
      ${durationMs === null ? null : html`<span class="outgoing-time">${formatDuration(durationMs)}</span>`}
    </h3>
    <p class="muted small">
      +${formatDuration(startMs)} · ${role === 'server' ? 'accepted here' : 'opened from here'} ·
      ${traffic(connection)}${subprotocol === null ? null : html` · protocol <code>${subprotocol}</code>`}${callSite === null ? null : html` · ${placeLink(callSite, editor)}`}
    </p>
    ${error === null ? null : html`<p class="note tone-error">${error}</p>`}`
  return html`<article class="card outgoing-call">${budget.spend(head)} ${messageTable(connection, budget)}</article> `
}

function state({ error, closed, durationMs }: Connection): SafeHtml {
  if (error !== null) return badge('failed', 'error')
  if (closed !== null) {
    const { code, reason } = closed
    return badge(`closed ${code}${reason === '' ? '' : ` ${reason}`}`, abnormalCodes.has(code) ? 'error' : 'neutral')
  }
  return durationMs === null ? badge('open', 'success') : badge('ended')
}

function traffic({ received, sent, protocol, encoding }: Connection): string {
  if (encoding !== null) return `${formatBytes(sent.bytes)} sent, compressed with ${encoding}`
  const amount = ({ count, bytes }: Connection['sent'], word: string): string =>
    `${countOf(count, word)} (${formatBytes(bytes)})`
  if (protocol === 'event-stream') return `${amount(sent, 'event')} sent`
  return `${amount(sent, 'message')} sent, ${amount(received, 'message')} received`
}

function messageTable({ messages, sent, received, encoding }: Connection, budget: PageBudget): SafeHtml {
  if (encoding !== null) {
    return html`<p class="note tone-warning">
      Compressed events cannot be read here. Leave <code>text/event-stream</code> out of the compression: it also holds
      events back until a block is full.
    </p>`
  }
  const count = sent.count + received.count
  if (messages.length === 0)
    return html`<p class="muted">${count === 0 ? 'No message passed.' : 'No message was kept.'}</p>`
  const rest = (missing: number): SafeHtml =>
    html`<tr>
      <td colspan="4">${countOf(missing, 'more message')} not shown.</td>
    </tr>`
  const rows = budget.list(messages, (message) => budget.spend(row(message)), { rest })
  const earlier = count - messages.length
  return html`${earlier > 0 ? cutMark(`${countOf(earlier, 'earlier message')} not kept.`) : null}
    <div class="table-scroll" tabindex="0" role="region" aria-label="Messages">
      ${dataTable(
        'messages',
        'Messages in the order they passed',
        [columnHead('At', 'number'), 'Direction', columnHead('Bytes', 'number'), 'Message'],
        rows,
      )}
    </div>`
}

function row({ atMs, direction, event, id, bytes, text }: ConnectionMessage): SafeHtml {
  return html`<tr>
    <td class="number nowrap">+${formatDuration(atMs)}</td>
    <td class="nowrap">${direction === 'sent' ? '→ sent' : '← received'}</td>
    <td class="number nowrap">${formatBytes(bytes)}</td>
    <td class="message-text">
      ${event === null ? null : badge(event)} ${id === null ? null : html`<span class="muted small">id ${id}</span>`}
      ${text === null ? html`<span class="muted">not kept</span>` : html`<code>${text}</code>`}
    </td>
  </tr> `
}

export const connectionStyles: SafeHtml = styleSheet(`
.messages .message-text { overflow-wrap: anywhere; min-width: 12rem }
.messages code { white-space: pre-wrap }
@media (max-width: 40rem) {
  .messages thead { display: none }
  .messages, .messages tbody { display: block }
  .messages tr { display: grid; grid-template-columns: auto auto 1fr; gap: 0 var(--space-3); padding: var(--space-2) var(--space-3) }
  .messages td { border: 0 !important; padding: 0 !important; text-align: start !important }
  .messages .message-text { grid-column: 1 / -1 }
}
`)
