// The bars of the time line: SVG on a scale that the script of the page can change.

import { html, type SafeHtml } from '../../../framework/html/html.ts'
import { styleSheet } from '../../../framework/html/style-sheet.ts'

/** One of several pieces in a row. */
export interface LanePiece {
  readonly fromMs: number
  readonly forMs: number
  /** What it is, for those who point at it. */
  readonly title?: string
  /** Where it leads. */
  readonly href?: string | null
}

/** Width of the drawing; bars are fractions of it. */
const scale = 1000
/** Narrowest bar that can be seen. */
const minWidth = 4

/** One bar. */
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

/** Comes after `themeStyles`. */
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
