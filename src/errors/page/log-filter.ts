// Narrows a log by level and by text: levels without a script, text with one or through the address.

import { formatCount, type Tone } from '../../base/html/components.ts'
import { html, type SafeHtml } from '../../base/html/html.ts'
import { scriptBlock, styleSheet } from '../../base/html/style-sheet.ts'
import { isErrorLevel, isProblem, logLevels, type LogLevel } from '../../base/log/logger.ts'
import type { LogRecord } from '../../base/log/record-logger.ts'

/** A log of fewer lines needs no filter. */
const fewRecords = 8

/** For pages that can filter through their address. */
interface LogSearch {
  /** Path of the page. */
  readonly action: string
  /** Further parameters of the address. */
  readonly fields: Readonly<Record<string, string>>
  /** A level, `problems`, or empty for all. */
  readonly level: string
  readonly text: string
  /** How many lines match: `12 of 500 lines`. */
  readonly status: string
  /** Where a level leads if the page does not hold all lines. Default: it does. */
  readonly linkTo?: ((level: string) => string) | undefined
}

/** Belongs in the `<section>` of the table. `records` are all that were kept. Nothing if the log is short. */
export function logFilter(records: readonly LogRecord[], search?: LogSearch): SafeHtml | null {
  if (records.length < fewRecords) return null
  const { level = '', text = '', status = '', fields = {}, linkTo } = search ?? {}
  const chips = chipsOf(records)
  const shown = chips.find(({ value }) => value === level) ?? chips[0]
  const content = html`<span class="chips" role="group" aria-label="Levels of the log">
      ${chips.map((chip) => (linkTo === undefined ? radio(chip, chip === shown) : link(chip, chip === shown, linkTo)))}
    </span>
    ${Object.entries(linkTo === undefined ? fields : { ...fields, level }).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
    <input
      class="field"
      type="search"
      name="find"
      value="${text}"
      maxlength="200"
      placeholder="Find in lines"
      aria-label="Find in lines of the log"
    />
    ${search === undefined ? null : html`<button class="button">Find</button>`}
    <span class="muted small" role="status">${status}</span>`
  return html`<form
    class="log-filter screen-only ${search === undefined ? 'by-script' : ''}"
    autocomplete="off"
    action="${search?.action}"
  >
    ${content}
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

function radio({ value, label, tone, count }: Chip, isOn: boolean): SafeHtml {
  return html`<label class="chip tone-${tone}"
    ><input type="radio" name="level" value="${value}" checked="${isOn}" />${label} <b>${formatCount(count)}</b></label
  > `
}

function link({ value, label, tone, count }: Chip, isOn: boolean, linkTo: (level: string) => string): SafeHtml {
  return html`<a class="chip tone-${tone}" href="${linkTo(value)}" aria-current="${isOn}"
    >${label} <b>${formatCount(count)}</b></a
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
.log-filter.by-script:not(.is-live) .field { display: none }
.log-filter.is-live .button { display: none }
.chips { display: flex; flex-wrap: wrap; gap: var(--space-1) }
.chip { position: relative; display: inline-flex; gap: .35rem; align-items: center; min-height: 1.75rem; padding: 0 .6rem;
  border: 1px solid var(--line-strong); border-radius: 99px; font-size: var(--size-small); background: var(--surface); color: var(--text);
  cursor: pointer; text-decoration: none; white-space: nowrap }
.chip b { font-weight: 600; color: var(--tone-ink) }
.chip:hover { background: var(--raised) }
.chip input { position: absolute; inset: 0; opacity: 0; margin: 0; cursor: pointer }
.chip:has(:checked), .chip[aria-current=true] { background: var(--text); border-color: var(--text); color: var(--surface) }
.chip:has(:checked) b, .chip[aria-current=true] b { color: inherit }
.chip:has(:focus-visible) { outline: 2px solid var(--focus); outline-offset: 2px }
@media (forced-colors: active) {
  .chip:has(:checked), .chip[aria-current=true] { background: Highlight; color: HighlightText; forced-color-adjust: none }
}
${hiddenLevels.join(', ')} { display: none }
`)

/** Finds text as it is typed where the page holds all lines; elsewhere the form asks the server. */
export const logFilterScript: SafeHtml = scriptBlock(`
for (const filter of document.querySelectorAll('.log-filter')) {
  const rows = [...filter.closest('section').querySelectorAll('.log tr[class^=l-]')];
  const text = filter.elements.find, status = filter.querySelector('[role=status]');
  if (filter.querySelector('a.chip')) continue;
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
  filter.classList.add('is-live');
  filter.addEventListener('submit', (event) => event.preventDefault());
  filter.addEventListener('input', apply);
  apply();
}
`)
