// Narrows a log by level, and with a script by text.

import { formatCount, type Tone } from '../../base/html/components.ts'
import { html, type SafeHtml, scriptBlock, styleSheet } from '../../base/html/html.ts'
import { isErrorLevel, isProblem, logLevels, type LogLevel } from '../../base/log/logger.ts'
import type { LogRecord } from '../../base/log/record-logger.ts'

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
