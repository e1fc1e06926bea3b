// Bars and controls of the timeline; works without a script.

import { html, type SafeHtml } from '../../../framework/html/html.ts'
import { styleSheet, scriptBlock } from '../../../framework/html/style-sheet.ts'

export interface LanePiece {
  readonly fromMs: number
  readonly forMs: number
  readonly title?: string
  readonly href?: string | null
}

const scale = 1000
/** Narrowest bar that can be seen. */
const minWidth = 4

export function bar(fromMs: number, forMs: number, totalMs: number, className: string): SafeHtml {
  return html`<svg viewBox="0 0 ${scale} 16" preserveAspectRatio="none" class="${className}" aria-hidden="true">
    <rect class="lane" width="${scale}" height="16" />
    ${piece(fromMs, forMs, totalMs)}
  </svg>`
}

/** Several pieces in one row. Those that lead somewhere are links, so the drawing is not hidden from readers then. */
export function laneBar(pieces: readonly LanePiece[], totalMs: number, className: string): SafeHtml {
  const hasLinks = pieces.some(({ href = null }) => href !== null)
  const content = html`<rect class="lane" width="${scale}" height="16" />
    ${pieces.map((one) => lanePiece(one, totalMs))}`
  return hasLinks
    ? html`<svg viewBox="0 0 ${scale} 16" preserveAspectRatio="none" class="${className}">${content}</svg>`
    : html`<svg viewBox="0 0 ${scale} 16" preserveAspectRatio="none" class="${className}" aria-hidden="true">
        ${content}
      </svg>`
}

function lanePiece({ fromMs, forMs, title, href = null }: LanePiece, totalMs: number): SafeHtml {
  const drawn = piece(fromMs, forMs, totalMs)
  const named = title === undefined ? drawn : html`<g><title>${title}</title>${drawn}</g>`
  return href === null ? named : html`<a href="${href}" aria-label="${title ?? ''}">${named}</a>`
}

function piece(fromMs: number, forMs: number, totalMs: number): SafeHtml {
  const place = (ms: number): number => (totalMs > 0 ? Math.min(Math.max((ms / totalMs) * scale, 0), scale) : 0)
  const left = Math.min(place(fromMs), scale - minWidth)
  const width = Math.max(minWidth, place(fromMs + forMs) - left)
  return html`<rect
    data-from="${fromMs.toFixed(3)}"
    data-for="${forMs.toFixed(3)}"
    x="${left.toFixed(1)}"
    y="3"
    width="${width.toFixed(1)}"
    height="10"
    rx="2"
  />`
}

export const timelineStyles: SafeHtml = styleSheet(`
.timeline td { padding-top: .3rem; padding-bottom: .3rem }
.timeline .span-name { width: 34% }
.timeline td.span-bar { vertical-align: top }
.timeline .number { width: 6.5rem }
.timeline svg { display: block; width: 100%; height: 1rem; margin-top: .25rem }
.timeline rect { fill: var(--bar, #6b7a90) }
.timeline .lane { fill: var(--raised) }
.timeline a:focus-visible rect, .timeline a:hover rect { fill: var(--text) }
.timeline .lanes td { background: var(--ground) }
.timeline + p { margin-top: var(--space-2) }
.timeline.is-live .span-bar svg { cursor: crosshair; touch-action: pan-y }
.timeline .selection { fill: var(--link); opacity: .25 }
.cat-kernel, .cat-app { --bar: light-dark(#6b7a90, #8593a8) } .cat-listener { --bar: light-dark(#2f6fd0, #5b9bf3) }
.cat-controller { --bar: light-dark(#23834f, #41b375) } .cat-store { --bar: light-dark(#a4760a, #d9a62e) }
.cat-http { --bar: light-dark(#8f45b0, #bd7edb) } .cat-sub-request { --bar: light-dark(#b8502a, #e0794f) }
.cat-template { --bar: light-dark(#157f88, #3fb6c0) } .cat-loading { --bar: light-dark(#6a5fb8, #9b90e6) } .cat-garbage { --bar: light-dark(#8a6d3b, #c7a76a) }
.legend { display: flex; flex-wrap: wrap; gap: var(--space-1) var(--space-4); margin-bottom: var(--space-3); font-size: var(--size-small) }
.legend svg { display: inline-block; width: .8rem; height: .8rem; margin-right: .35rem; vertical-align: -.1rem }
.legend rect { fill: var(--bar) }
.depth-1 { padding-left: 1.1rem } .depth-2 { padding-left: 2.2rem } .depth-3 { padding-left: 3.3rem } .depth-4 { padding-left: 4.4rem }
.timeline-controls { display: flex; flex-wrap: wrap; gap: var(--space-2) var(--space-4); align-items: end; margin-bottom: var(--space-3) }
.timeline-controls[hidden] { display: none }
.timeline-controls label { display: grid; gap: 2px; font-size: var(--size-small); color: var(--muted) }
.timeline-controls .field { width: 7.5rem }
.timeline-controls output { font-size: var(--size-small); color: var(--muted) }
@media (max-width: 40rem) {
  .timeline, .timeline tbody { display: block }
  .timeline thead { display: none }
  .timeline tr { display: flex; flex-wrap: wrap; gap: 0 var(--space-3); align-items: baseline; padding: var(--space-2);
    border-top: 1px solid var(--line) }
  .timeline tr[hidden] { display: none }
  .timeline tbody tr:first-child { border-top: 0 }
  .timeline td { display: block; width: auto !important; border: 0 !important; padding: 0 }
  .timeline td.span-name { flex: 1 0 100% }
  .timeline td.span-start::before { content: "from " }
  .timeline td.span-duration::before { content: "for " }
  .timeline td.span-bar { flex: 1 0 100% }
  .timeline-controls .field { width: 6rem }
}
`)

const thresholds = [0.1, 0.5, 1, 5, 10, 50, 100] as const

export function timelineControls(totalMs: number): SafeHtml {
  const end = totalMs.toFixed(2)
  return html`<form class="timeline-controls screen-only" data-timeline-controls hidden>
    <label
      >Hide spans below
      <select class="field" name="least">
        <option value="0">show all</option>
        ${thresholds.filter((ms) => ms < totalMs).map((ms) => html`<option value="${ms}">${ms} ms</option>`)}
      </select></label
    >
    <label>From, ms <input class="field" name="from" type="number" step="any" min="0" max="${end}" value="0" /></label>
    <label>To, ms <input class="field" name="to" type="number" step="any" min="0" max="${end}" value="${end}" /></label>
    <button class="button" type="button" name="narrower" title="Zoom in (+)">Zoom in</button>
    <button class="button" type="button" name="wider" title="Zoom out (−)">Zoom out</button>
    <button class="button" type="reset" title="Show everything (0)">Fit</button>
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
      heading.textContent = isWhole ? '0 – ' + words(total) : words(start) + ' – ' + words(end);
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
