// The log of one request: a line a row in order of time, details on demand, narrowed by level, and with a script by text.

import {
  columnHead,
  dataTable,
  emptyState,
  formatDuration,
  formatCount,
  type Tone,
} from '../../base/html/components.ts'
import { html, type SafeHtml, styleSheet, scriptBlock } from '../../base/html/html.ts'
import {
  fillPlaceholders,
  isProblem,
  isErrorLevel,
  loggedError,
  logLevels,
  type LogLevel,
} from '../../base/log/logger.ts'
import type { LogRecord } from '../../base/log/logger.ts'
import { membersOf } from '../../base/members.ts'
import { cutText } from '../../base/redact/cut-text.ts'
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
  const { message: template, context } = record
  const message = fillPlaceholders(record)
  const isLong = message.length > maxLine || message.includes('\n')
  const others = Object.keys(context).filter((name) => !template.includes(`{${name}}`))
  const hasObjects = Object.values(context).some((value) => typeof value === 'object' && value !== null)
  const hasErrors = Object.values(context).some((value) => loggedError(value) !== null)
  // Most contexts only repeat the message.
  const saysAll = message.length <= maxMessage && others.length === 0 && !hasErrors && !(isLong && hasObjects)
  if (saysAll && !isLong) return html`${message}`
  const [firstLine = ''] = message.split('\n', 1)
  // Objects stand below in lines.
  const whole = hasObjects ? template : message
  const also = others.length === 0 ? null : html` <em>${cutText(others.join(', '), 80)}</em>`
  return html`<details class="fold">
    <summary><span>${cutText(firstLine, 240)}</span>${also}</summary>
    ${isLong && !lonePlaceholder.test(whole) ? verbatim(whole, maxMessage) : null}
    ${saysAll ? null : contextBlocks(record)}
  </details>`
}

const lonePlaceholder = /^\{\w+\}$/

function cutRow(missing: number): SafeHtml {
  return sentenceRow(`${countOf(missing, 'more line')} not shown: the page is full.`)
}

function sentenceRow(sentence: string): SafeHtml {
  return html`<tr class="log-cut tone-warning">
    <td colspan="4">${sentence}</td>
  </tr> `
}

/** Stacks of errors as they are, then the rest. Records are plain data; if one is not, the page must not fail. */
function contextBlocks({ context }: LogRecord): SafeHtml {
  const rest: Record<string, unknown> = {}
  const stacks: string[] = []
  for (const [name, value] of Object.entries(context)) {
    const stack = loggedError(value)?.stack
    if (stack !== undefined) stacks.push(stack)
    const { type, name: className, message, stack: own, ...others } = membersOf(value)
    if (stack === undefined) rest[name] = value
    else if (Object.keys(others).length > 0) rest[name] = others
  }
  if (Object.keys(rest).length > 0) stacks.push(contextText(rest))
  return html`${stacks.map((text) => html`<pre class="block">${cutText(text, maxMessage)}</pre>`)}`
}

function contextText(context: LogRecord['context']): string {
  try {
    return JSON.stringify(context, null, 2)
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

/** A log of fewer lines needs no filter. */
const fewRecords = 8

/** Belongs in the `<section>` of the table. `records` are all that were kept. Nothing if the log is short. */
export function logFilter(records: readonly LogRecord[]): SafeHtml | null {
  if (records.length < fewRecords) return null
  return html`<form class="log-filter screen-only" autocomplete="off">
    <span class="chips" role="group" aria-label="Levels of the log">${chipsOf(records).map(radio)}</span>
    <input class="field" type="search" name="find" placeholder="Find in lines" aria-label="Find in lines of the log" />
    <span class="muted small" role="status"></span>
  </form>`
}

interface Chip {
  readonly value: string
  readonly label: string
  readonly tone: Tone
  readonly count: number
}

function chipsOf(records: readonly LogRecord[]): readonly Chip[] {
  const present = logLevels.map((level): Chip => {
    const count = records.filter((record) => record.level === level).length
    return { value: level, label: level, tone: levelTone(level), count }
  })
  const problems = records.filter(({ level }) => isProblem(level)).length
  const chips: readonly Chip[] = [
    { value: '', label: 'All', tone: 'neutral', count: records.length },
    { value: 'problems', label: 'Problems', tone: 'neutral', count: problems },
    ...present,
  ]
  return chips.filter(({ value, count }) => value === '' || count > 0)
}

function radio({ value, label, tone, count }: Chip): SafeHtml {
  return html`<label class="chip tone-${tone}"
    ><input type="radio" name="level" value="${value}" checked="${value === ''}" />${label}
    <b>${formatCount(count)}</b></label
  > `
}

export function levelTone(level: LogLevel): Tone {
  if (isErrorLevel(level)) return 'error'
  if (level === 'warn') return 'warning'
  return level === 'info' ? 'info' : 'neutral'
}

const hiddenLevels = [
  ...logLevels.map((level) => `section:has(.log-filter [value=${level}]:checked) .log tr[class^=l-]:not(.l-${level})`),
  'section:has(.log-filter [value=problems]:checked) .log tr[class^=l-]:not(.l-fatal, .l-error, .l-warn)',
]

export const logFilterStyles: SafeHtml = styleSheet(`
.log-filter { display: flex; flex-wrap: wrap; gap: var(--space-1) var(--space-3); align-items: center; margin-bottom: var(--space-2) }
.log-filter .field { width: 8rem }
.log-filter:not(.is-live) .field { display: none }
.chips { display: flex; flex-wrap: wrap; gap: var(--space-1) }
.chip { position: relative; display: inline-flex; gap: .35rem; align-items: center; min-height: 1.75rem; padding: 0 .6rem;
  border: 1px solid var(--line-strong); border-radius: 99px; font-size: var(--size-small); background: var(--surface); color: var(--text);
  cursor: pointer; text-decoration: none; white-space: nowrap }
.chip b { font-weight: 600; color: var(--tone-ink) }
.chip:hover { background: var(--raised) }
.chip input { position: absolute; inset: 0; opacity: 0; margin: 0; cursor: pointer }
.chip:has(:checked) { background: var(--text); border-color: var(--text); color: var(--surface) }
.chip:has(:checked) b { color: inherit }
.chip:has(:focus-visible) { outline: 2px solid var(--focus); outline-offset: 2px }
@media (forced-colors: active) {
  .chip:has(:checked) { background: Highlight; color: HighlightText; forced-color-adjust: none }
}
${hiddenLevels.join(', ')} { display: none }
`)

/** Finds text as it is typed. */
export const logFilterScript: SafeHtml = scriptBlock(`
for (const filter of document.querySelectorAll('.log-filter')) {
  const rows = [...filter.closest('section').querySelectorAll('.log tr[class^=l-]')];
  const text = filter.elements.find, status = filter.querySelector('[role=status]');
  const apply = () => {
    const wanted = text.value.trim().toLowerCase(), level = filter.elements.level.value;
    let shown = 0;
    for (const row of rows) {
      row.hidden = !row.textContent.toLowerCase().includes(wanted);
      const isOf = level === '' || row.classList.contains('l-' + level) || level === 'problems' && /tone-/.test(row.className);
      if (isOf && !row.hidden) shown++;
    }
    status.textContent = shown === rows.length ? '' : shown + ' of ' + rows.length + ' lines';
  };
  /* The words of the search that led here. */
  const asked = new URLSearchParams(location.search), words = new URLSearchParams(asked.get('list') ?? '').get('search') ?? '';
  if (!asked.has('panel') && rows.some((row) => row.textContent.toLowerCase().includes(words.toLowerCase()))) text.value = words;
  filter.classList.add('is-live');
  filter.addEventListener('submit', (event) => event.preventDefault());
  filter.addEventListener('input', apply);
  apply();
}
`)
