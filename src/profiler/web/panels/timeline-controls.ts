// What a reader can do with a time line where scripts run: hide short spans, look at a part of the time. Without scripts the
// whole of it is there.

import { html, type SafeHtml } from '../../../framework/html/html.ts'
import { scriptBlock } from '../../../framework/html/style-sheet.ts'

const thresholds = [0.1, 0.5, 1, 5, 10, 50, 100] as const

/** The controls, hidden until the script shows them. */
export function timelineControls(totalMs: number): SafeHtml {
  const end = totalMs.toFixed(2)
  return html`<form class="timeline-controls screen-only" data-timeline-controls hidden>
    <label
      >Hide spans below
      <select class="field" name="least">
        <option value="0">nothing</option>
        ${thresholds.filter((ms) => ms < totalMs).map((ms) => html`<option value="${ms}">${ms} ms</option>`)}
      </select></label
    >
    <label>From, ms <input class="field" name="from" type="number" step="any" min="0" max="${end}" value="0" /></label>
    <label>To, ms <input class="field" name="to" type="number" step="any" min="0" max="${end}" value="${end}" /></label>
    <button class="button" type="button" name="narrower" title="Zoom in (+)">Closer</button>
    <button class="button" type="button" name="wider" title="Zoom out (−)">Wider</button>
    <button class="button" type="reset" title="Show everything (0)">Whole</button>
    <output></output>
  </form>`
}

/**
 * Shows the controls. Dragging over a bar looks at that part, a click on a bar at that span; with the focus in the controls or
 * the table the keys + − ← → 0 do the same.
 */
export const timelineScript: SafeHtml = scriptBlock(`
{
  const form = document.querySelector('[data-timeline-controls]'), table = document.querySelector('[data-timeline]');
  if (form && table) {
    const total = Number(table.dataset.timeline), { least, from, to } = form.elements, output = form.querySelector('output');
    const heading = table.querySelector('[data-scale]'), rows = [...table.querySelectorAll('tr[data-from]')];
    const pieces = [...table.querySelectorAll('rect[data-from]')];
    const words = (ms) => ms < 9.995 ? ms.toFixed(2) + ' ms' : ms < 99.95 ? ms.toFixed(1) + ' ms' : ms.toFixed(0) + ' ms';
    const draw = () => {
      const start = Number(from.value), length = Math.max(Number(to.value) - start, total / 1e6), end = start + length;
      const isWhole = start <= 0 && end >= total * .9999;
      let hidden = 0;
      for (const row of rows) {
        const at = Number(row.dataset.from), lasts = Number(row.dataset.for);
        row.hidden = lasts < Number(least.value) || !isWhole && (at > end || at + lasts < start);
        if (row.hidden) hidden += 1;
      }
      for (const piece of pieces) {
        const at = (Number(piece.dataset.from) - start) / length * 1000, lasts = Number(piece.dataset.for) / length * 1000;
        const left = Math.min(Math.max(at, 0), 996), right = Math.min(Math.max(at + lasts, left + 4), 1000);
        piece.setAttribute('x', left.toFixed(1));
        piece.setAttribute('width', at > 1000 || at + lasts < 0 ? '0' : (right - left).toFixed(1));
      }
      heading.textContent = isWhole ? 'On a scale of ' + words(total) : 'From ' + words(start) + ' to ' + words(end);
      output.textContent = hidden === 0 ? '' : hidden + (hidden === 1 ? ' span' : ' spans') + ' hidden';
    };
    const show = (start, end) => {
      const length = Math.min(Math.max(end - start, total / 1000), total), first = Math.min(Math.max(start, 0), total - length);
      from.value = String(Number(first.toFixed(4)));
      to.value = String(Number((first + length).toFixed(4)));
      draw();
    };
    const move = (factor, shift) => {
      const start = Number(from.value), length = Number(to.value) - start, middle = start + length / 2 + shift * length;
      show(middle - length * factor / 2, middle + length * factor / 2);
    };
    form.hidden = false;
    table.classList.add('is-live');
    form.addEventListener('input', draw);
    form.addEventListener('submit', (event) => event.preventDefault());
    form.addEventListener('reset', () => setTimeout(draw));
    form.elements.narrower.addEventListener('click', () => move(.5, 0));
    form.elements.wider.addEventListener('click', () => move(2, 0));
    const keys = { '+': [.5, 0], '=': [.5, 0], '-': [2, 0], ArrowLeft: [1, -.25], ArrowRight: [1, .25] };
    for (const part of [form, table]) part.addEventListener('keydown', (event) => {
      if (event.target.matches('input, select') || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === '0') show(0, total);
      else if (keys[event.key]) move(...keys[event.key]);
      else return;
      event.preventDefault();
    });
    let drag = null;
    const at = (event) => {
      const box = drag.svg.getBoundingClientRect();
      return Math.min(Math.max((event.clientX - box.left) / box.width, 0), 1);
    };
    table.addEventListener('pointerdown', (event) => {
      const svg = event.target.closest('.span-bar svg');
      if (!svg || event.button !== 0 || event.target.closest('a')) return;
      const mark = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
      mark.setAttribute('class', 'selection');
      mark.setAttribute('height', '16');
      drag = { svg, mark, row: svg.closest('tr') };
      drag.first = at(event);
      svg.append(mark);
    });
    addEventListener('pointermove', (event) => {
      if (!drag) return;
      const now = at(event);
      drag.mark.setAttribute('x', (Math.min(now, drag.first) * 1000).toFixed(1));
      drag.mark.setAttribute('width', (Math.abs(now - drag.first) * 1000).toFixed(1));
    });
    addEventListener('pointerup', (event) => {
      if (!drag) return;
      const { first, row, mark } = drag, last = at(event), start = Number(from.value), length = Number(to.value) - start;
      mark.remove();
      drag = null;
      if (Math.abs(last - first) > .01) show(start + Math.min(first, last) * length, start + Math.max(first, last) * length);
      else if (row.dataset.from) show(Number(row.dataset.from), Number(row.dataset.from) + Number(row.dataset.for));
    });
    addEventListener('pointercancel', () => { drag?.mark.remove(); drag = null });
  }
}
`)
