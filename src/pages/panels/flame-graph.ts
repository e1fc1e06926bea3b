// The flame graph of a CPU profile.

import { formatDuration } from '../../base/html/components.ts'
import { html, type SafeHtml, scriptBlock, styleSheet } from '../../base/html/html.ts'
import { countOf } from '../../base/html/page-budget.ts'
import { cutText } from '../../base/redact/cut-text.ts'
import type { CpuData } from '../../observe/collectors/functions.ts'
import { functionPlace, type FunctionTime } from '../../profiles/measured-parts.ts'

const rowHeight = 19

export function flameGraph(data: CpuData): SafeHtml {
  const { boxes, rows, around, hidden } = layOutFlame(data)
  const missing = hidden + data.droppedCalls
  return html`<p class="legend">
      <span class="flame-key own">your code</span> <span class="flame-key dependency">dependencies</span>
      <span class="flame-key node">Node and V8</span>
      <button class="button screen-only" type="button" data-flame-whole hidden>Fit</button>
    </p>
    <svg
      class="flame"
      height="${rows * rowHeight}"
      role="group"
      aria-label="Flame graph; the table below says the same"
    >
      ${boxes.map(box)}
    </svg>
    ${around === 0 ? null : html`<p class="muted small">${countOf(around, 'frame')} of Node and Fanlight around your code are not shown.</p>`}
    ${missing === 0 ? null : html`<p class="muted small">${countOf(missing, 'frame')} too short or too deep are not shown.</p>`}`
}

function box({ called, left, width, depth, selfMs, totalMs }: FlameBox): SafeHtml {
  const name = cutText(called.name, 80)
  const place = functionPlace(called)
  const label = `${name}${place === '' ? '' : `, ${place}`}: ${formatDuration(totalMs)}, self ${formatDuration(selfMs)}`
  return html`<svg
    class="flame-call ${called.origin}"
    x="${percent(left)}"
    y="${depth * rowHeight}"
    width="${percent(width)}"
    height="${rowHeight - 1}"
  >
    <title>${label}</title>
    <rect width="100%" height="${rowHeight - 1}" rx="2" />
    <text x="4" y="13">${name}</text>
  </svg> `
}

function percent(part: number): string {
  return `${(part * 100).toFixed(3)}%`
}

export const flameStyles: SafeHtml = styleSheet(`
.flame { display: block; width: 100%; overflow: hidden; margin-bottom: var(--space-2); font: .75rem var(--font) }
.flame .own, .flame-key.own { --box: light-dark(#bfe3cb, #1f5a37) }
.flame .dependency, .flame-key.dependency { --box: light-dark(#d3def2, #2b3f63) }
.flame .node, .flame-key.node { --box: light-dark(#e1e5eb, #353d4b) }
.flame rect { fill: var(--box); stroke: var(--surface); stroke-width: 1 }
.flame text { fill: var(--text); pointer-events: none }
.flame .own text { font-weight: 600 }
.flame.is-live .flame-call { cursor: pointer }
.flame .flame-call:hover rect { stroke: var(--text) }
.flame .flame-call:focus { outline: none }
.flame .flame-call:focus-visible rect { stroke: var(--focus); stroke-width: 3 }
.flame .is-away { display: none }
.flame-key { display: inline-flex; align-items: center }
.flame-key::before { content: ""; width: .8rem; height: .8rem; margin-right: .35rem; background: var(--box); border: 1px solid var(--line-strong);
  forced-color-adjust: none }
.legend .button[hidden] { display: none }
.note + .legend { margin-top: var(--space-3) }
`)

/** Makes the calls buttons: a click, Enter or a space looks at one, Escape and the button at the whole. */
export const flameScript: SafeHtml = scriptBlock(`
for (const flame of document.querySelectorAll('svg.flame')) {
  const calls = [...flame.querySelectorAll('.flame-call')], whole = document.querySelector('[data-flame-whole]');
  const places = new Map(calls.map((call) => [call, ['x', 'width'].map((name) => parseFloat(call.getAttribute(name)) / 100)]));
  const look = (from, width) => {
    for (const [call, [at, size]] of places) {
      const left = (at - from) / width, right = left + size / width;
      call.classList.toggle('is-away', right < 1e-6 || left > 1 - 1e-6);
      const start = Math.max(left, 0);
      call.setAttribute('x', start * 100 + '%');
      call.setAttribute('width', Math.max(Math.min(right, 1) - start, 0) * 100 + '%');
    }
    whole.hidden = width > .9999;
  };
  const lookAt = (call) => {
    look(...places.get(call));
    // Also of a call that fills the width: what was chosen can be let go of.
    whole.hidden = false;
  };
  flame.classList.add('is-live');
  for (const call of calls) {
    call.setAttribute('tabindex', '0');
    call.setAttribute('role', 'button');
    call.setAttribute('aria-label', call.querySelector('title').textContent);
  }
  flame.addEventListener('click', (event) => {
    const call = event.target.closest('.flame-call');
    if (call) lookAt(call);
  });
  flame.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') look(0, 1);
    else if (event.key === 'Enter' || event.key === ' ') lookAt(event.target.closest('.flame-call'));
    else return;
    event.preventDefault();
  });
  whole.addEventListener('click', () => look(0, 1));
}
`)

interface FlameBox extends FunctionTime {
  /** Parts of the whole, from 0 to 1. */
  readonly left: number
  readonly width: number
  readonly depth: number
}

interface FlameLayout {
  readonly boxes: readonly FlameBox[]
  readonly rows: number
  /** Calls around the first own one that were left out: every request has them. */
  readonly around: number
  /** Calls that are too short to see, or too deep. */
  readonly hidden: number
}

const maxBoxes = 700
const maxRows = 60
/** Narrower boxes cannot be seen, as a part of the whole. */
const minWidth = 0.0008

interface Node extends FunctionTime {
  readonly children: Node[]
  hasOwn: boolean
}

export function layOutFlame(data: CpuData): FlameLayout {
  const roots = treeOf(data)
  const hasOwn = roots.some((root) => root.hasOwn)
  let around = 0
  const outermost = (nodes: readonly Node[]): Node[] =>
    nodes.flatMap((node) => {
      // Kernel and server are around own code in every request; without own code below, it is their own work.
      if (!hasOwn || node.called.origin === 'own' || !node.hasOwn) return [node]
      around += 1
      return outermost(node.children)
    })
  const top = outermost(roots)
  const drawnMs = top.reduce((ms, node) => ms + node.totalMs, 0)
  const totalMs = Math.max(data.ownMs, drawnMs)
  const boxes: FlameBox[] = []
  let hidden = 0
  let rows = 0
  const place = (nodes: readonly Node[], from: number, depth: number): void => {
    let left = from
    for (const node of nodes.toSorted((one, other) => other.totalMs - one.totalMs)) {
      const width = totalMs > 0 ? node.totalMs / totalMs : 0
      if (width < minWidth || boxes.length >= maxBoxes || depth >= maxRows) hidden += 1
      else {
        const { called, selfMs, totalMs: ms } = node
        boxes.push({ called, left, width, depth, selfMs, totalMs: ms })
        rows = Math.max(rows, depth + 1)
        place(node.children, left, depth + 1)
      }
      left += width
    }
  }
  place(top, 0, 0)
  return { boxes, rows, around, hidden }
}

function treeOf({ calls, functions }: CpuData): readonly Node[] {
  const roots: Node[] = []
  const nodes: (Node | undefined)[] = []
  for (const [index, { parent, of, selfMs, totalMs }] of calls.entries()) {
    const called = functions[of]
    if (called === undefined) continue
    const node: Node = { called, selfMs, totalMs, children: [], hasOwn: called.origin === 'own' }
    nodes[index] = node
    const above = parent < index ? nodes[parent] : undefined
    if (above === undefined) roots.push(node)
    else above.children.push(node)
  }
  for (const [index, node] of [...nodes.entries()].toReversed()) {
    const above = nodes[calls[index]?.parent ?? -1]
    if (node?.hasOwn === true && above !== undefined) above.hasOwn = true
  }
  return roots
}
