// Draws the calls to other services: what was asked of whom, what came back, and when, on the scale of the request.

import { cutText } from '../../../framework/redact/cut-text.ts'
import type { Fields } from '../../collectors/request.ts'
import type { HttpClientData, OutgoingRequest } from '../../capture/http-client-data.ts'
import {
  badge,
  emptyState,
  fold,
  formatBytes,
  formatDuration,
  keyValueTable,
  statusTone,
  type Tone,
} from '../../../framework/html/components.ts'
import { html, type SafeHtml } from '../../../framework/html/html.ts'
import { countOf, cutMark, PageBudget } from '../../../errors/page/page-budget.ts'
import { keptMark } from '../notes.ts'
import type { Panel, PanelView } from '../panel.ts'
import { callBar } from './call-bar.ts'
import { figureRow } from './figures.ts'
import { placeLink, type EditorLink } from '../../../errors/page/editor-link.ts'

const listBytes = 600_000

export const httpClientPanel: Panel<HttpClientData> = {
  name: 'http-client',
  title: 'HTTP client',
  badge: ({ calls, dropped }) => {
    const wrong = calls.filter((call) => toneOf(call) !== 'success')
    const hint = countOf(calls.length + dropped, 'outgoing request')
    if (wrong.length === 0) return { count: calls.length + dropped, tone: 'neutral', hint }
    const tone = wrong.some((call) => toneOf(call) === 'error') ? 'error' : 'warning'
    return { count: wrong.length, tone, hint: `${wrong.length} of ${hint} failed` }
  },
  render: (data, { linkTo, editor }) => {
    if (data === undefined) return emptyState('No outgoing requests were made.')
    const { calls, dropped, durationMs } = data
    const budget = new PageBudget(listBytes)
    const rest = (missing: number): SafeHtml => cutMark(`${countOf(missing, 'more request')} not shown.`)
    return html`${keptMark(calls.length, dropped, 'outgoing requests')} ${figures(data)}
      ${budget.list(calls, (call) => budget.spend(callCard(call, durationMs, editor)), { rest })}
      <h3>Trace</h3>
      ${trace(data, linkTo)}`
  },
}

function figures({ calls, dropped }: HttpClientData): SafeHtml {
  const totalMs = calls.reduce((sum, call) => sum + (call.durationMs ?? 0), 0)
  const failed = calls.filter((call) => toneOf(call) !== 'success').length
  return figureRow([
    [String(calls.length + dropped), 'Outgoing requests'],
    [formatDuration(totalMs), 'Total time'],
    [String(failed), 'Failed'],
  ])
}

function callCard(call: OutgoingRequest, durationMs: number, editor: EditorLink | undefined): SafeHtml {
  return html`<article class="card outgoing-call">
    <h3 class="outgoing-head">
      ${verdict(call)} <span class="mono">${call.method}</span> <span class="mono url">${cutText(call.url, 2000)}</span>
      <span class="outgoing-time">${call.durationMs === null ? 'not ended' : formatDuration(call.durationMs)}</span>
    </h3>
    ${callBar(call, durationMs)}
    <p class="muted small">
      ${steps(call)} · ${sizes(call)} ·
      ${call.client}${call.callSite === null ? null : html` · ${placeLink(call.callSite, editor)}`}
    </p>
    ${call.error === null ? null : html`<p class="note tone-error">${call.error}</p>`} ${otherSide(call)}
    ${headerFold('Request headers', call.requestHeaders)} ${headerFold('Response headers', call.responseHeaders)}
    ${bodyFold(call)}
  </article> `
}

function verdict({ status, error, durationMs }: OutgoingRequest): SafeHtml {
  if (status !== null) return badge(status, error === null ? statusTone(status) : 'error')
  return durationMs === null ? badge('no response yet', 'warning') : badge('failed', 'error')
}

function toneOf({ status, error, durationMs }: OutgoingRequest): Extract<Tone, 'success' | 'warning' | 'error'> {
  if (error !== null || (status !== null && status >= 500)) return 'error'
  return durationMs === null || (status !== null && status >= 400) ? 'warning' : 'success'
}

function steps({ startMs, waitMs, firstByteMs, durationMs }: OutgoingRequest): string {
  const written = waitMs === null ? 'never sent' : `sent after ${formatDuration(waitMs)}`
  const answered = firstByteMs === null ? null : `response after ${formatDuration(firstByteMs - (waitMs ?? 0))}`
  const body = firstByteMs === null || durationMs === null ? null : `body ${formatDuration(durationMs - firstByteMs)}`
  return [`+${formatDuration(startMs)}`, written, answered, body].filter((step) => step !== null).join(' · ')
}

function sizes({ requestBytes, responseBytes }: OutgoingRequest): string {
  const size = (bytes: number | null): string => (bytes === null ? 'size unknown' : formatBytes(bytes))
  return `sent ${size(requestBytes)}, received ${size(responseBytes)}`
}

function otherSide({ profile }: OutgoingRequest): SafeHtml | null {
  if (profile === null) return null
  const { token, link } = profile
  return html`<p>
    Profile of the called service:
    ${link === null ? html`<code>${token}</code>` : html`<a class="mono" href="${link}" rel="noreferrer">${token}</a>`}
  </p>`
}

function headerFold(title: string, fields: Fields): SafeHtml | null {
  if (fields.length === 0) return null
  const rows = fields.map(([name, value]) => [name, cutText(value, 2000)] as const)
  return fold(html`${title} <span class="muted">${fields.length}</span>`, keyValueTable(rows, { caption: title }))
}

function bodyFold({ responseBody }: OutgoingRequest): SafeHtml | null {
  if (responseBody === undefined || responseBody.text === '') return null
  const { text, isWhole } = responseBody
  const title = html`Response body ${isWhole ? null : html`<span class="muted">cut</span>`}`
  if (text === null) return fold(title, html`<p class="muted">Not shown: it is binary, or could not be decoded.</p>`)
  return fold(
    title,
    html`<pre class="block mono" tabindex="0" aria-label="Response body">${cutText(text, 20_000)}</pre>`,
  )
}

function trace({ traceId, parentSpanId }: HttpClientData, linkTo: PanelView['linkTo']): SafeHtml {
  const list = linkTo('')
  // An exported page has no list to link to.
  const others = list.startsWith('#') ? html`${traceId}` : html`<a href="${list}?trace=${traceId}">${traceId}</a>`
  return keyValueTable(
    [
      ['Trace', others],
      ['Called by span', parentSpanId ?? 'none (the trace starts here)'],
    ],
    { caption: 'Trace' },
  )
}
