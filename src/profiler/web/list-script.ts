// What a script adds to the list of profiles: how long ago, keys, and a button that waits for two rows.

import { scriptBlock } from '../../framework/html/style-sheet.ts'
import type { SafeHtml } from '../../framework/html/html.ts'

/** `j` and `k` move from row to row, `x` or Space selects, `c` compares, Enter opens, `/` searches. The list is complete without it. */
export const listScript: SafeHtml = scriptBlock(`
{
  const table = document.querySelector('.profiles'), compare = document.querySelector('[form=compare-chosen]');
  const units = [[86400, 'd'], [3600, 'h'], [60, 'min'], [1, 's']];
  const ago = (seconds) => {
    const [size, unit] = units.find(([size]) => seconds >= size) ?? [1, 's'];
    return seconds < 1 ? 'now' : Math.floor(seconds / size) + ' ' + unit + ' ago';
  };
  const tell = () => {
    for (const time of table.querySelectorAll('time')) {
      const at = new Date(time.dateTime), text = ago((Date.now() - at) / 1000);
      if (time.textContent === text || isNaN(at)) continue;
      time.textContent = text;
      time.title = at.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'long' });
    }
  };
  const chosen = () => table.querySelectorAll('[name=with]:checked');
  const count = () => { if (compare) compare.disabled = chosen().length !== 2; };
  if (table) {
    const head = table.querySelector('th:nth-child(9) a');
    head.textContent = 'Time';
    tell();
    setInterval(() => { if (!document.hidden) tell(); }, 1000);
    new MutationObserver(tell).observe(table.tBodies[0], { childList: true });
    addEventListener('pageshow', count);
    table.addEventListener('change', count);
    count();
  }
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.('input:not([type=checkbox]), select, textarea, dialog')) return;
    if (!table) return;
    const { key } = event, active = document.activeElement, row = active.closest('tr'), box = active.matches('.open') && row.querySelector('[name=with]');
    if (key === 'c') return compare?.click();
    if (box && (key === 'x' || key === ' ')) box.click();
    else if (key === 'j' || key === 'k') {
      const rows = [...table.querySelectorAll('.open')], at = rows.indexOf(row?.querySelector('.open'));
      rows[Math.max(0, Math.min(rows.length - 1, at + (key === 'j' ? 1 : -1)))]?.focus();
    } else return;
    event.preventDefault();
  });
}
`)
