// Narrows a log table to lines that hold some text, or to warnings and errors. It appears with the script only; without
// it the whole table is there.

import { html } from '../../framework/html/html.ts'
import type { SafeHtml } from '../../framework/html/html.ts'
import { scriptBlock } from '../../framework/html/style-sheet.ts'
import type { LogRecord } from '../../framework/log/record-logger.ts'
import { isProblem } from './log-table.ts'

const fewRecords = 8

/** The two fields, for a place before the table and in the same `<section>`; nothing where the log is short. */
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

/** Wires every filter of the page to the table of its section. */
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
