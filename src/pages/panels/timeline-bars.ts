// Chips, look and script of the timeline; works without a script.

import { html, type SafeHtml, styleSheet, scriptBlock } from '../../base/html/html.ts'

export interface LanePiece {
  readonly fromMs: number
  readonly forMs: number
  readonly title?: string
  readonly href?: string | null
}

/** The axis that all rows share. */
export interface Grid {
  /** Names its lines in the page. */
  readonly id: string
  readonly totalMs: number
}

/** Percent of the lane for the whole time; the rest is for text to the right of a bar. */
const scale = 85

/** The first lane: ticks, and the lines below them. */
export function axis({ id, totalMs }: Grid): SafeHtml {
  const ticks = ticksOf(totalMs)
  return html`<svg class="lane axis" aria-hidden="true">
    <g id="${id}" class="grid">
      ${ticks.map((ms) => html`<line x1="${percent(ms, totalMs)}" x2="${percent(ms, totalMs)}" y2="100%" />`)}
    </g>
    ${ticks.map((ms) => html`<text x="${percent(ms, totalMs)}" dx="3" y="12">${tickText(ms)}</text>`)}
  </svg>`
}

/** At most six steps of 1, 2 or 5, from 0. */
function ticksOf(totalMs: number): readonly number[] {
  if (!(totalMs > 0 && Number.isFinite(totalMs))) return [0]
  const least = totalMs / 6
  const power = 10 ** Math.floor(Math.log10(least))
  const step = ([1, 2, 5].find((factor) => factor * power >= least) ?? 10) * power
  return Array.from({ length: Math.floor(totalMs / step) + 1 }, (_, index) => index * step)
}

function tickText(ms: number): string {
  return ms >= 1000 ? `${Number((ms / 1000).toPrecision(3))} s` : `${Number(ms.toPrecision(3))} ms`
}

function percent(ms: number, totalMs: number): string {
  const place = totalMs > 0 ? Math.min(Math.max(ms / totalMs, 0), 1) : 0
  return `${(place * scale).toFixed(2)}%`
}

/** What ends behind this part of the time has no room for words on a phone. */
const late = 0.6
/** Percent of a bar that can be seen. */
const least = 0.2

/** Bars of one row, and beside the last what is to be said of them. Pieces that lead somewhere are links. */
export function laneBar(pieces: readonly LanePiece[], grid: Grid, className: string, said: string): SafeHtml {
  const endMs = pieces.reduce((latest, { fromMs, forMs }) => Math.max(latest, fromMs + forMs), 0)
  return html`<svg class="lane ${className}">
    <use href="#${grid.id}" />
    ${pieces.map((one) => lanePiece(one, grid.totalMs))}${said === '' ? null : html`<text class="${endMs > grid.totalMs * late ? 'late' : ''}" data-end="${endMs.toFixed(3)}" x="${percent(endMs, grid.totalMs)}" dx="6" y="12">${said}</text>`}
  </svg>`
}

function lanePiece({ fromMs, forMs, title, href = null }: LanePiece, totalMs: number): SafeHtml {
  const left = Math.max(fromMs, 0)
  const width = Math.max(Number.parseFloat(percent(Math.min(fromMs + forMs, totalMs) - left, totalMs)), least)
  const drawn = html`<rect
    data-from="${fromMs.toFixed(3)}"
    data-for="${forMs.toFixed(3)}"
    x="${percent(left, totalMs)}"
    y="4"
    width="${width}%"
    height="9"
  />`
  const named = title === undefined ? drawn : html`<g><title>${title}</title>${drawn}</g>`
  return href === null ? named : html`<a href="${href}" aria-label="${title ?? ''}">${named}</a>`
}

/** Categories of spans, and what the chips call them. */
export const kinds: Readonly<Record<string, string>> = {
  controller: 'handler',
  listener: 'listeners',
  middleware: 'middleware',
  store: 'queries',
  http: 'outgoing requests',
  'sub-request': 'sub-requests',
  template: 'templates',
  loading: 'loading',
  kernel: 'kernel',
  app: 'spans',
  log: 'log',
}

/** One for each kind of row; they filter without a script. */
export function kindChips(
  chips: readonly { readonly kind: string; readonly label: string; readonly count: number }[],
  shown: string,
): SafeHtml | null {
  if (chips.length < 2) return null
  const chip = (kind: string, content: SafeHtml): SafeHtml =>
    html`<label class="chip"
      >${kind === shown ? html`<input type="radio" name="kind" value="${kind}" checked />` : html`<input type="radio" name="kind" value="${kind}" />`}${content}</label
    > `
  const isKnown = chips.some(({ kind }) => kind === shown)
  return html`<form autocomplete="off">
    <div class="chips legend" role="group" aria-label="Kinds of rows">
      ${isKnown ? chip('', html`All`) : html`<label class="chip"><input type="radio" name="kind" value="" checked />All</label> `}
      ${chips.map(({ kind, label, count }) => chip(kind, html`<svg viewBox="0 0 10 10" class="cat-${kind}" aria-hidden="true"><rect width="10" height="10" /></svg>${label} <b>${count}</b>`))}
    </div>
  </form>`
}

const hiddenKinds = Object.keys(kinds)
  .map((kind) => `.story:has([value=${kind}]:checked) tr[data-kind]:not([data-kind=${kind}])`)
  .join(', ')

export const timelineStyles: SafeHtml = styleSheet(`
.timeline { font-size: var(--size-small); line-height: 1.2rem; table-layout: fixed }
.table.timeline :is(th, td) { padding: 2px var(--space-2) }
.timeline th:first-child { width: 36% }
.timeline th:nth-child(2) { width: 5.5rem }
.timeline .span-name, .timeline .span-name > div { overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
.timeline .span-name > div { position: relative }
.timeline tr:is(:hover, :focus-within) .span-name, .timeline tr:is(:hover, :focus-within) .span-name > div { white-space: normal; overflow-wrap: anywhere }
.timeline .span-bar { padding-block: 0; vertical-align: middle }
.timeline .lane { display: block; width: 100%; height: 1.1rem; overflow: visible }
.timeline .lane text { fill: var(--text); font-size: .75rem; stroke: var(--surface); stroke-width: 3px; paint-order: stroke }
.timeline .axis text { fill: var(--muted); font-weight: 400 }
.timeline rect { fill: var(--bar, #6b7a90); stroke: var(--bar, #6b7a90); stroke-width: 1.5px }
.grid line { stroke: var(--line); stroke-width: 1px }
.timeline .mark rect { fill: var(--tone-edge); stroke: var(--tone-edge); stroke-width: 6px; stroke-linejoin: round }
.timeline .log-level { color: var(--tone-ink) }
.timeline tr:is(.tone-warning, .tone-error) td { background: var(--tone-soft) }
.timeline a:focus-visible rect, .timeline a:hover rect { stroke: var(--text) }
.timeline .lanes td { background: var(--ground) }
.timeline + p { margin-top: var(--space-2) }
.timeline.is-live .span-bar svg { cursor: crosshair; touch-action: pan-y }
.timeline .selection { fill: var(--link); stroke: none; opacity: .25 }
.cat-log { --bar: var(--muted) }
.cat-kernel, .cat-app { --bar: light-dark(#6b7a90, #8593a8) } :is(.cat-listener, .cat-middleware) { --bar: light-dark(#2f6fd0, #5b9bf3) }
.cat-controller { --bar: light-dark(#35455c, #c3cfe0) } .cat-store { --bar: light-dark(#a4760a, #d9a62e) }
.cat-http { --bar: light-dark(#8f45b0, #bd7edb) } .cat-sub-request { --bar: light-dark(#b8502a, #e0794f) }
.cat-template { --bar: light-dark(#157f88, #3fb6c0) } .cat-loading { --bar: light-dark(#6a5fb8, #9b90e6) } .cat-garbage { --bar: light-dark(#8a6d3b, #c7a76a) }
.legend { display: flex; flex-wrap: wrap; gap: var(--space-1) var(--space-4); margin-bottom: var(--space-3); font-size: var(--size-small) }
.legend svg { display: inline-block; width: .8rem; height: .8rem; margin-right: .35rem; vertical-align: -.1rem }
.legend rect { fill: var(--bar); forced-color-adjust: none }
.depth-1 { padding-left: 1.1rem } .depth-2 { padding-left: 2.2rem } .depth-3 { padding-left: 3.3rem } .depth-4 { padding-left: 4.4rem }
.story { position: relative }
.timeline-look { position: absolute; top: 0; right: 0; display: flex; gap: var(--space-3); align-items: center; min-height: 1.75rem }
.timeline-look[hidden], .timeline-look:not(.is-part) button { display: none }
@media (max-width: 40rem) {
  .timeline-look { position: static; min-height: 0 }
  .timeline th:first-child { width: 45% }
  .timeline :is(th:nth-child(2), .span-start), .axis text:not(:first-of-type, :last-of-type) { display: none }
  .timeline .lane .late { text-anchor: end; transform: translate(-6px, 1rem) }
  .axis text:last-of-type { text-anchor: end; transform: translateX(-6px) }
  .timeline .lane:has(.late) { height: 2.1rem }
  .timeline tr[data-kind=log] .span-name { white-space: normal }
  .timeline .span-name > div { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; white-space: normal; overflow-wrap: anywhere }
}
${hiddenKinds} { display: none }
`)

/** Says what is looked at. Shown by the script. */
export const timelineLook: SafeHtml = html`<p class="timeline-look small muted screen-only" data-look hidden>
  <output></output> <button class="button" type="button">Show all</button>
</p>`

/** Dragging over a bar looks at that part, a click on a bar at that span; with the focus in the table the keys + − ← → 0 do the same. */
export const timelineScript: SafeHtml = scriptBlock(`
{
  const look = document.querySelector('[data-look]'), table = document.querySelector('[data-timeline]');
  if (look && table) {
    const total = Number(table.dataset.timeline), [output, all] = look.children;
    let start = 0, end = total;
    const heading = table.querySelector('[data-scale]'), axis = table.querySelector('.axis'), rows = [...table.querySelectorAll('tr[data-from]')];
    const pieces = [...table.querySelectorAll('rect[data-from]')];
    const ends = table.querySelectorAll('text[data-end]');
    const shape = (name, attributes, text = '') => {
      const made = document.createElementNS('http://www.w3.org/2000/svg', name);
      for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
      made.textContent = text;
      return made;
    };
    const words = (ms) => ms < 9.995 ? ms.toFixed(2) + ' ms' : ms < 99.95 ? ms.toFixed(1) + ' ms' : ms.toFixed(0) + ' ms';
    const draw = () => {
      const length = end - start, isWhole = start <= 0 && end >= total * .9999;
      let hidden = 0;
      for (const row of rows) {
        const at = Number(row.dataset.from), lasts = Number(row.dataset.for);
        row.hidden = !isWhole && (at > end || at + lasts < start);
        if (row.hidden) hidden += 1;
      }
      const place = (ms) => Math.min(Math.max((ms - start) / length, 0), 1) * ${scale} + '%';
      for (const piece of pieces) {
        const at = Number(piece.dataset.from), until = at + Number(piece.dataset.for);
        piece.setAttribute('x', place(at));
        piece.setAttribute('width', Math.max(${least}, (Math.min((until - start) / length, 1) - Math.max((at - start) / length, 0)) * ${scale}) + '%');
        piece.style.display = at > end || until < start ? 'none' : '';
      }
      for (const text of ends) {
        text.setAttribute('x', place(Number(text.dataset.end)));
        text.classList.toggle('late', (Number(text.dataset.end) - start) / length > ${late});
      }
      const least10 = 10 ** Math.floor(Math.log10(length / 6)), step = [1, 2, 5, 10].find((factor) => factor * least10 >= length / 6) * least10;
      const lines = [], texts = [];
      for (let ms = Math.ceil(start / step - 1e-9) * step; ms <= end + step * 1e-9; ms += step) {
        lines.push(shape('line', { x1: place(ms), x2: place(ms), y2: '100%' }));
        texts.push(shape('text', { x: place(ms), dx: 3, y: 12 }, ms >= 1000 ? Number((ms / 1000).toPrecision(4)) + ' s' : Number(ms.toPrecision(4)) + ' ms'));
      }
      axis.querySelector('g').replaceChildren(...lines);
      for (const old of axis.querySelectorAll('text')) old.remove();
      axis.append(...texts);
      heading.textContent = isWhole ? '0 – ' + words(total) : words(start) + ' – ' + words(end);
      const cut = hidden === 0 ? '' : ', ' + hidden + (hidden === 1 ? ' row' : ' rows') + ' hidden';
      output.textContent = isWhole ? '' : heading.textContent + cut;
      look.classList.toggle('is-part', !isWhole);
    };
    const show = (from, to) => {
      const length = Math.min(Math.max(to - from, total / 1e5), total);
      start = Math.min(Math.max(from, 0), total - length);
      end = start + length;
      draw();
    };
    const move = (factor, shift) => {
      const length = end - start, middle = start + length / 2 + shift * length;
      show(middle - length * factor / 2, middle + length * factor / 2);
    };
    look.hidden = false;
    table.classList.add('is-live');
    table.tabIndex = 0;
    all.addEventListener('click', () => { show(0, total); table.focus() });
    const keys = { '+': [.5, 0], '=': [.5, 0], '-': [2, 0], ArrowLeft: [1, -.25], ArrowRight: [1, .25] };
    table.addEventListener('keydown', (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === '0') show(0, total);
      else if (keys[event.key]) move(...keys[event.key]);
      else return;
      event.preventDefault();
    });
    let drag = null;
    const at = (event) => {
      const box = axis.getBoundingClientRect();
      return Math.min(Math.max((event.clientX - box.left) / box.width / ${scale / 100}, 0), 1);
    };
    table.addEventListener('pointerdown', (event) => {
      const svg = event.target.closest('.span-bar svg');
      if (!svg || event.button !== 0 || event.target.closest('a')) return;
      const mark = shape('rect', { class: 'selection', height: '100%' });
      drag = { svg, mark, row: svg.closest('tr') };
      drag.first = at(event);
      svg.append(mark);
    });
    addEventListener('pointermove', (event) => {
      if (!drag) return;
      const now = at(event);
      drag.mark.setAttribute('x', Math.min(now, drag.first) * ${scale} + '%');
      drag.mark.setAttribute('width', Math.abs(now - drag.first) * ${scale} + '%');
    });
    addEventListener('pointerup', (event) => {
      if (!drag) return;
      const { first, row, mark } = drag, last = at(event), length = end - start;
      mark.remove();
      drag = null;
      if (Math.abs(last - first) > .01) show(start + Math.min(first, last) * length, start + Math.max(first, last) * length);
      else if (row.dataset.from) show(Number(row.dataset.from), Number(row.dataset.from) + Number(row.dataset.for));
    });
    addEventListener('pointercancel', () => { drag?.mark.remove(); drag = null });
  }
}
`)
