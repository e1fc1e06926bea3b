// Draws spans as bars on one common scale, a row each, in the order they began.

import { formatDuration } from '../../html/components.ts'
import { html, type SafeHtml } from '../../html/html.ts'
import { styleSheet } from '../../html/style-sheet.ts'
import { cutText, PageBudget } from '../../pages/page-budget.ts'
import type { Span } from '../../timing/span.ts'

const categories = new Set(['kernel', 'listener', 'controller', 'store', 'http', 'sub-request', 'template', 'app'])
/** Width of the drawing; bars are fractions of it. */
const scale = 1000
/** Narrowest bar that can be seen. */
const minWidth = 4
const timelineBytes = 600_000
const maxDepth = 4

/** Legend and bars. `totalMs` is the length of the scale. */
export function timeline(spans: readonly Span[], totalMs: number): SafeHtml {
  const depths = depthsOf(spans)
  const budget = new PageBudget(timelineBytes)
  const isNested = [...depths.values()].some((depth) => depth > 0)
  return html`${legend(spans)}
    <table class="table timeline">
      <caption class="visually-hidden">
        Spans in the order they began
      </caption>
      <thead>
        <tr>
          <th scope="col">Span</th>
          <th scope="col" class="number">Start</th>
          <th scope="col" class="number">Duration</th>
          <th scope="col">On a scale of ${formatDuration(totalMs)}</th>
        </tr>
      </thead>
      <tbody>
        ${budget.list(spans, (span) => budget.spend(spanRow(span, depths.get(span.id) ?? 0, totalMs)), { rest: cutRow })}
      </tbody>
    </table>
    ${isNested ? html`<p class="muted small">Indented under a listener, a handler or a sub-request is what ran while it ran. Work that ran side by side stands one below the other.</p>` : null}`
}

function legend(spans: readonly Span[]): SafeHtml {
  return html`<p class="legend">
    ${[...new Set(spans.map(categoryOf))].map(
      (name) =>
        html`<span
          ><svg viewBox="0 0 10 10" class="cat-${name}" aria-hidden="true"><rect width="10" height="10" /></svg
          >${name}</span
        > `,
    )}
  </p>`
}

function spanRow(span: Span, depth: number, totalMs: number): SafeHtml {
  const durationMs = span.durationMs ?? Math.max(0, totalMs - span.startMs)
  const left = totalMs > 0 ? Math.min((span.startMs / totalMs) * scale, scale - minWidth) : 0
  const width = totalMs > 0 ? Math.min(Math.max(minWidth, (durationMs / totalMs) * scale), scale - left) : minWidth
  return html`<tr>
    <td class="span-name">
      <div class="depth-${Math.min(depth, maxDepth)}">
        ${cutText(span.name, 200)}${span.status === 'error' ? html` <span class="badge tone-error">error</span>` : null}
      </div>
    </td>
    <td class="number muted span-start">${formatDuration(span.startMs)}</td>
    <td class="number span-duration">${span.durationMs === null ? 'not ended' : formatDuration(durationMs)}</td>
    <td class="span-bar">
      <svg viewBox="0 0 ${scale} 16" preserveAspectRatio="none" class="cat-${categoryOf(span)}" aria-hidden="true">
        <rect class="lane" width="${scale}" height="16" />
        <rect x="${left.toFixed(1)}" y="3" width="${width.toFixed(1)}" height="10" rx="2" />
      </svg>
    </td>
  </tr> `
}

function cutRow(missing: number): SafeHtml {
  return html`<tr class="tone-warning">
    <td colspan="4">${missing} more spans left out: the page is full.</td>
  </tr>`
}

function categoryOf({ category }: Span): string {
  return categories.has(category) ? category : 'app'
}

function depthsOf(spans: readonly Span[]): ReadonlyMap<number, number> {
  const depths = new Map<number, number>()
  for (const span of spans) depths.set(span.id, span.parentId === null ? 0 : (depths.get(span.parentId) ?? 0) + 1)
  return depths
}

/** Comes after `themeStyles`. */
export const timelineStyles: SafeHtml = styleSheet(`
.timeline td { padding-top: .3rem; padding-bottom: .3rem }
.timeline .span-name { width: 34% }
.timeline .number { width: 6.5rem }
.timeline svg { display: block; width: 100%; height: 1rem; margin-top: .25rem }
.timeline rect { fill: var(--bar, #6b7a90) }
.timeline .lane { fill: var(--raised) }
.timeline + p { margin-top: var(--space-2) }
.cat-kernel, .cat-app { --bar: light-dark(#6b7a90, #8593a8) } .cat-listener { --bar: light-dark(#2f6fd0, #5b9bf3) }
.cat-controller { --bar: light-dark(#23834f, #41b375) } .cat-store { --bar: light-dark(#a4760a, #d9a62e) }
.cat-http { --bar: light-dark(#8f45b0, #bd7edb) } .cat-sub-request { --bar: light-dark(#b8502a, #e0794f) }
.cat-template { --bar: light-dark(#157f88, #3fb6c0) }
.legend { display: flex; flex-wrap: wrap; gap: var(--space-1) var(--space-4); margin-bottom: var(--space-3); font-size: var(--size-small) }
.legend svg { display: inline-block; width: .8rem; height: .8rem; margin-right: .35rem; vertical-align: -.1rem }
.legend rect { fill: var(--bar) }
.depth-1 { padding-left: 1.1rem } .depth-2 { padding-left: 2.2rem } .depth-3 { padding-left: 3.3rem } .depth-4 { padding-left: 4.4rem }
@media (max-width: 40rem) {
  .timeline, .timeline tbody { display: block }
  .timeline thead { display: none }
  .timeline tr { display: flex; flex-wrap: wrap; gap: 0 var(--space-3); align-items: baseline; padding: var(--space-2);
    border-top: 1px solid var(--line) }
  .timeline tbody tr:first-child { border-top: 0 }
  .timeline td { display: block; width: auto !important; border: 0 !important; padding: 0 }
  .timeline td.span-name { flex: 1 0 100% }
  .timeline td.span-start::before { content: "from " }
  .timeline td.span-duration::before { content: "for " }
  .timeline td.span-bar { flex: 1 0 100% }
}
`)
