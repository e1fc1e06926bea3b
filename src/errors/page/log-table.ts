// The log of one request: a line a row in order of time, details on demand.

import { columnHead, dataTable, emptyState, formatDuration } from '../../base/html/components.ts'
import { html, type SafeHtml, styleSheet } from '../../base/html/html.ts'
import { fillPlaceholders, isProblem } from '../../base/log/logger.ts'
import type { LogRecord } from '../../base/log/record-logger.ts'
import { cutText } from '../../base/redact/cut-text.ts'
import { levelTone } from './log-filter.ts'
import { countOf, PageBudget, verbatim } from '../../base/html/page-budget.ts'

interface LogTableOptions {
  /** The id of a row. Default: it has none. */
  readonly idOf?: (record: LogRecord) => string | undefined
  /** Bytes of rows. Default: 160,000. */
  readonly maxBytes?: number
}

/** Characters to show of a message. */
const maxMessage = 4096
/** Longer messages and messages of several lines are folded. */
const maxLine = 160

/** A table; a sentence if there are no records. */
export function logTable(records: readonly LogRecord[], { idOf, maxBytes = 160_000 }: LogTableOptions = {}): SafeHtml {
  if (records.length === 0) return emptyState('Nothing was logged during this request.')
  const budget = new PageBudget(maxBytes)
  const draw = (record: LogRecord): SafeHtml => {
    const { leftOutBefore: above = 0 } = record
    const cut = above === 0 ? null : sentenceRow(`${countOf(above, 'line')} cut here.`)
    return budget.spend(html`${cut}${logRow(record, idOf?.(record))}`)
  }
  const heads = [columnHead('Time', 'number'), 'Level', 'Channel', 'Message']
  return dataTable('log', 'Log of the request', heads, budget.list(records, draw, { rest: cutRow }))
}

function logRow(record: LogRecord, id?: string): SafeHtml {
  const tone = isProblem(record.level) ? ` tone-${levelTone(record.level)}` : ''
  return html`<tr class="l-${record.level}${tone}" id="${id}">
    <td class="number">${formatDuration(record.timeMs)}</td>
    <td>${record.level}</td>
    <td>${cutText(record.channel, 60)}</td>
    <td dir="auto">${messageOf(record)}</td>
  </tr> `
}

function messageOf(record: LogRecord): SafeHtml {
  const message = fillPlaceholders(record)
  const isLong = message.length > maxLine || message.includes('\n')
  // Most contexts only repeat the message.
  const saysAll = message.length <= maxMessage && Object.keys(record.context).every((name) => isInMessage(record, name))
  if (saysAll && !isLong) return html`${message}`
  const [firstLine = ''] = message.split('\n', 1)
  const names = Object.keys(record.context)
  return html`<details class="fold">
    <summary>
      <span>${cutText(firstLine, 240)}</span>${saysAll ? null : html` <em>${cutText(names.join(', '), 80)}</em>`}
    </summary>
    ${isLong ? verbatim(message, maxMessage) : null}${saysAll ? null : html`<pre class="block">${contextText(record)}</pre>`}
  </details>`
}

function cutRow(missing: number): SafeHtml {
  return sentenceRow(`${countOf(missing, 'more line')} not shown: the page is full.`)
}

function sentenceRow(sentence: string): SafeHtml {
  return html`<tr class="log-cut tone-warning">
    <td colspan="4">${sentence}</td>
  </tr> `
}

function isInMessage({ message, context }: LogRecord, name: string): boolean {
  const value = context[name]
  return (typeof value === 'string' || typeof value === 'number') && message.includes(`{${name}}`)
}

// Records are plain data; if one is not, the page must not fail.
function contextText(record: LogRecord): string {
  try {
    return cutText(JSON.stringify(record.context, null, 2), 4096)
  } catch {
    return 'The context cannot be shown: it is not plain data.'
  }
}

/** For every page that uses `logTable`; comes after `themeStyles`. */
export const logStyles: SafeHtml = styleSheet(`
.log { font-size: var(--size-small); line-height: 1.15rem }
.table.log :is(th, td) { padding: 0 var(--space-2) }
.table.log thead th { padding-block: .2rem }
.log tbody td:not(:last-child) { width: 1%; white-space: nowrap; color: var(--muted) }
.log tbody td:nth-child(2) { font-weight: 600; color: var(--tone-ink) }
.log :is(.l-debug, .l-trace) td:nth-child(2) { font-weight: 400; color: var(--muted) }
.log td:last-child { unicode-bidi: isolate; white-space: pre-wrap }
.log .l-debug td:last-child, .log .l-trace td:last-child { color: light-dark(#3d4658, #c3cbd8) }
.log tr:is(.tone-warning, .tone-error) td { background: var(--tone-soft) }
.log tr:target td { background: var(--mark) }
.log .log-cut td { color: var(--tone-ink); white-space: normal !important }
.log details { white-space: normal }
.log details[open] { padding-bottom: var(--space-2) }
.log details[open] > summary { align-items: baseline }
.log summary { display: flex; align-items: center; gap: .2rem }
.log summary > span { min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
.log details[open] > summary > span { white-space: normal; overflow-wrap: anywhere }
.log summary > em { flex: none; max-width: 40%; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font-style: normal; color: var(--muted) }
.log .block { margin-top: var(--space-1) }
.log { table-layout: fixed }
.log th:nth-child(1) { width: 5.5rem } .log th:nth-child(2) { width: 4rem } .log th:nth-child(3) { width: 6rem }
.log td:nth-child(3) { overflow: hidden; text-overflow: ellipsis }
.log-head { gap: var(--space-1) var(--space-3); margin-bottom: var(--space-2) }
.log-head .log-filter { margin-bottom: 0 }
@media (min-width: 40.01rem) {
  .log tr:has(summary) td { vertical-align: top }
  .log tr:has(summary) td:not(:last-child) { line-height: 1.5rem }
}
@media (max-width: 40rem) {
  .log thead { display: none }
  .log, .log tbody { display: block }
  .log tbody tr { display: flex; flex-wrap: wrap; align-items: baseline; border-top: 1px solid var(--line); padding: 3px var(--space-2) }
  .log tbody tr:first-child { border-top: 0 }
  .log tbody tr > td { display: block; width: auto !important; padding: 0 var(--space-2) 0 0; border: 0 !important; box-shadow: none !important }
  .log tbody tr:is(.tone-warning, .tone-error) { background: var(--tone-soft) }
  .log tbody td:last-child { flex: 0 0 100%; min-width: 0 }
}
`)
