// The log of one request: errors first, placeholders filled in, context folded, and a filter.

import { badge, emptyState, formatDuration, type Tone } from '../../framework/html/components.ts'
import { html, type SafeHtml } from '../../framework/html/html.ts'
import { styleSheet, scriptBlock } from '../../framework/html/style-sheet.ts'
import { fillPlaceholders, type LogLevel } from '../../framework/log/logger.ts'
import type { LogRecord } from '../../framework/log/record-logger.ts'
import { cutText } from '../../framework/redact/cut-text.ts'
import { countOf, PageBudget, verbatim } from './page-budget.ts'

export interface LogTableOptions {
  /** `errors-first` (default) puts errors and warnings above the rest; `as-written` keeps the order. */
  readonly order?: 'errors-first' | 'as-written'
}

const logBytes = 130_000
/** Characters to show of a message. */
const maxMessage = 4096

/** A table; a sentence if there are no records. */
export function logTable(records: readonly LogRecord[], options: LogTableOptions = {}): SafeHtml {
  if (records.length === 0) return emptyState('Nothing was logged during this request.')
  const budget = new PageBudget(logBytes)
  const isLifted = (record: LogRecord): boolean => options.order !== 'as-written' && isProblem(record.level)
  const leftOut = leftOutBefore(records, isLifted)
  const groups = [records.filter(isLifted), records.filter((record) => !isLifted(record))].filter(
    (group) => group.length > 0,
  )
  return html`<table class="table log">
    <caption class="${groups.length > 1 ? 'log-order' : 'visually-hidden'}">
      ${groups.length > 1 ? 'Warnings and errors first' : 'Log of the request'}
    </caption>
    <thead>
      <tr>
        <th scope="col" class="number">Time</th>
        <th scope="col">Level</th>
        <th scope="col">Channel</th>
        <th scope="col">Message</th>
      </tr>
    </thead>
    ${groups.map(
      (group) =>
        html`<tbody>
          ${budget.list(group, (record) => budget.spend(html`${leftOutRow(leftOut.get(record))}${logRow(record)}`), { rest: cutRow })}
        </tbody> `,
    )}
  </table>`
}

export function levelTone(level: LogLevel): Tone {
  switch (level) {
    case 'fatal':
    case 'error':
      return 'error'
    case 'warn':
      return 'warning'
    case 'info':
      return 'info'
    case 'debug':
    case 'trace':
      return 'neutral'
  }
}

/** Warnings and worse. */
export function isProblem(level: LogLevel): boolean {
  return level === 'warn' || level === 'error' || level === 'fatal'
}

function logRow(record: LogRecord): SafeHtml {
  const tone = isProblem(record.level) ? levelTone(record.level) : 'neutral'
  const message = fillPlaceholders(record)
  // Most contexts only repeat the message.
  const saysAll = message.length <= maxMessage && Object.keys(record.context).every((name) => isInMessage(record, name))
  return html`<tr class="tone-${tone}">
    <td class="number log-time">${formatDuration(record.timeMs)}</td>
    <td>${badge(record.level, levelTone(record.level))}</td>
    <td class="log-channel">${cutText(record.channel, 60)}</td>
    <td class="log-message">${verbatim(message, maxMessage)}${saysAll ? null : contextOf(record)}</td>
  </tr> `
}

/** How many lines are missing above the lines that stay in the order of time. */
function leftOutBefore(
  records: readonly LogRecord[],
  isLifted: (record: LogRecord) => boolean,
): ReadonlyMap<LogRecord, number> {
  const counts = new Map<LogRecord, number>()
  let count = 0
  for (const record of records) {
    count += record.leftOutBefore ?? 0
    if (count === 0 || isLifted(record)) continue
    counts.set(record, count)
    count = 0
  }
  return counts
}

function leftOutRow(count: number | undefined): SafeHtml | null {
  if (count === undefined) return null
  return html`<tr class="tone-warning">
    <td colspan="4">${countOf(count, 'line')} left out here.</td>
  </tr> `
}

function contextOf(record: LogRecord): SafeHtml {
  const names = Object.keys(record.context)
  return html`<details class="fold log-context">
    <summary>${cutText(names.join(', '), 120)}</summary>
    <pre class="block">${contextText(record)}</pre>
  </details>`
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

function cutRow(missing: number): SafeHtml {
  return html`<tr class="tone-warning">
    <td colspan="4">${countOf(missing, 'more line')} not shown: the page is full.</td>
  </tr>`
}

/** For every page that uses `logTable`; comes after `themeStyles`. */
export const logStyles: SafeHtml = styleSheet(`
.log-order { padding-bottom: var(--space-2); color: var(--muted); font-size: var(--size-small); text-align: left }
.log-filter { margin-bottom: var(--space-2) }
.log td { padding-top: .4rem; padding-bottom: .4rem }
.log-time, .log-channel { color: var(--muted); font-size: var(--size-small); line-height: 1.8 }
.log tbody .number { width: 1% }
.log tbody td:nth-child(2), .log tbody td:nth-child(3) { width: 1%; white-space: nowrap }
.log tbody + tbody > tr:first-child > td { border-top: 1px solid var(--line-strong) }
.log-context { font-size: var(--size-small) }
.log-context > summary { color: var(--muted) }
.log-context > .block { margin-top: var(--space-1) }
@media (max-width: 40rem) {
  .log thead { display: none }
  .log, .log tbody, .log-order { display: block }
  .log-order { padding: var(--space-2) }
  .log tbody tr { display: flex; flex-wrap: wrap; align-items: baseline; border-top: 1px solid var(--line); padding: var(--space-2) }
  .log tbody:first-of-type tr:first-child { border-top: 0 }
  .log tbody tr > td { display: block; width: auto !important; padding: 0 var(--space-2) 0 0; border: 0 !important; box-shadow: none !important }
  .log tbody .log-message { flex-basis: 100%; padding-top: var(--space-1) }
}
`)

const fewRecords = 8

/** The two fields, before the table in the same `<section>`; nothing if the log is short. */
export function logFilter(records: readonly LogRecord[]): SafeHtml | null {
  if (records.length < fewRecords) return null
  const problems = records.filter((record) => isProblem(record.level)).length
  return html`<div class="row log-filter screen-only" hidden>
    <input class="field" type="search" placeholder="Filter lines" aria-label="Filter lines of the log" />
    <select class="field" aria-label="Levels of the log">
      <option value="">All levels</option>
      <option value="problems">Warnings and errors (${problems})</option>
    </select>
    <span class="muted small" role="status"></span>
  </div>`
}

/** Connects each filter of the page with the table of its section. */
export const logFilterScript: SafeHtml = scriptBlock(`
for (const filter of document.querySelectorAll('.log-filter')) {
  const rows = [...filter.closest('section').querySelectorAll('.log tbody tr')];
  const [text, level, status] = filter.children;
  const apply = () => {
    const wanted = text.value.toLowerCase();
    let shown = 0;
    for (const row of rows) {
      const isProblem = row.classList.contains('tone-warning') || row.classList.contains('tone-error');
      row.hidden = (level.value !== '' && !isProblem) || !row.textContent.toLowerCase().includes(wanted);
      if (!row.hidden) shown++;
    }
    status.textContent = shown === rows.length ? '' : shown + ' of ' + rows.length + ' lines';
  };
  filter.hidden = false;
  text.addEventListener('input', apply);
  level.addEventListener('change', apply);
  apply();
}
`)
