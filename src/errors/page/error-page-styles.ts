// Styles of the error page and of its trace.

import { type SafeHtml, styleSheet } from '../../base/html/html.ts'
import { explanationStyles } from './explanation.ts'
import { headlineStyles } from './headline.ts'
import { sideStyles } from './side-column.ts'

/** For every page that uses `traceList`; comes after `themeStyles`. */
export const traceStyles: readonly SafeHtml[] = [
  styleSheet(`
.steps { overflow: clip }
.steps { display: flex; flex-direction: column }
.step { display: contents }
.step::details-content { order: 2 }
.step-row { order: 1; display: flex; align-items: baseline; gap: 0 var(--space-3); padding: .35rem var(--space-4) .35rem 2rem; position: relative;
  list-style: none; font-size: var(--size-small) }
.step-row::-webkit-details-marker { display: none }
.step-row::before { content: ""; position: absolute; left: 1rem; top: .75rem; width: .5rem; height: .5rem; border: 1.5px solid var(--line-strong); border-radius: 50% }
.step-row:hover { background: var(--raised) }
.step-row:focus-visible { outline-offset: -2px }
.step[open] > .step-row { background: var(--tone-soft); box-shadow: inset 3px 0 var(--tone-edge) }
.step[open] > .step-row::before { background: var(--tone-edge); border-color: var(--tone-edge) }
@media (forced-colors: active) { .step[open] > .step-row { border-left: 3px solid Highlight } }
.step-row .error-name { flex: none; max-width: 60% }
.step-message { flex: 0 1 auto; min-width: 0; font-weight: 500; max-height: 6lh; overflow: auto }
.step:not([open]) .step-message { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 1; overflow: hidden }
.step-row .badge { flex: none }
.step-place { flex: none; max-width: 40%; margin-left: auto; color: var(--muted) }
.step[open] > .step-row .step-place { display: none }
.step ~ .step > .step-row, .step ~ .more-steps, .more-steps ~ .step > .step-row, details > .step-body { border-top: 1px solid var(--line) }
.more-steps { order: 1 }
.more-steps > summary { padding: .35rem var(--space-4) .35rem 2rem; color: var(--muted); font-size: var(--size-small) }
.step-note { padding: var(--space-2) var(--space-4) }
.frames, .members { border-top: 1px solid var(--line) }
.lead + .frames { background: light-dark(#fafbfc, #161a21) }
.frames > li + li { border-top: 1px solid var(--line) }
.frames-none { padding: var(--space-2) var(--space-4) }
.frame-line, .run > summary { display: flex; flex-wrap: wrap; align-items: baseline; padding: .3rem var(--space-4); column-gap: .7em; font-size: var(--size-small) }
.frame-line::before, .run > summary::before { margin-right: 0 !important; align-self: center }
.frames > .frame-line::before { content: ""; width: .38em; margin-left: .15em }
.frame summary:hover, .run > summary:hover { background: var(--raised) }
.frame summary:focus-visible, .run > summary:focus-visible { outline-offset: -2px }
:is(p, li).frame-line > .place { margin-left: auto }
.lead > .frame-line { border-bottom: 1px solid var(--line) }
.frame { display: grid; grid-template-columns: minmax(0, 1fr) auto; align-items: baseline }
.frame > .place { grid-area: 1 / 2; padding-right: var(--space-4); font-size: var(--size-small) }
.frame > details { display: contents }
.frame > details::details-content { grid-column: 1 / -1 }
.frame > details[open]::details-content { border-top: 1px solid var(--line) }
.call { font-weight: 600 }
.place { color: var(--muted) }
.own .place { color: var(--text) }
.dependency .call, .node .call { font-weight: 400; color: var(--muted) }
.origin { margin-left: var(--space-2); font-size: .75rem }
.run > summary { color: var(--muted) }
.variables { padding: var(--space-2) var(--space-4); border-top: 1px solid var(--line); font-size: .8125rem; overflow-wrap: anywhere }
.variables > div { display: grid; grid-template-columns: minmax(4rem, 8rem) minmax(0, 1fr); gap: var(--space-3) }
.variables dt { color: var(--muted) }
.changed-file { padding: var(--space-1) var(--space-4); font-size: var(--size-small); background: var(--raised); border-left: 3px solid var(--line-strong) }
.members { padding: var(--space-2) var(--space-4) var(--space-4); display: grid; gap: var(--space-2); grid-template-columns: minmax(0, 1fr) }
@media (max-width: 40rem) {
  .step-row, .more-steps > summary { padding-left: 1.75rem; padding-right: var(--space-3) }
  .step-row::before { left: .75rem }
  .step-row { flex-wrap: wrap }
  .step-row .error-name { max-width: 100% }
  .step:not([open]) .step-message { -webkit-line-clamp: 2 }
  .step-place { margin-left: 0; max-width: none; flex-basis: 100% }
  .frame-line, .run > summary { padding-left: var(--space-3); padding-right: var(--space-3) }
  :is(p, li).frame-line > .place { flex-basis: 100%; padding-left: 1.1em }
  .lead .place { padding: 0 !important }
  .frame { display: block }
  .frame > .place { display: block; padding: .3rem var(--space-3) 0 2em }
  .frames .origin { display: none }
  .members { padding: var(--space-2) }
}
@media print {
  .step { display: block }
  .step-row { break-after: avoid }
  :is(.step, .more-steps)::details-content { content-visibility: visible }
}
`),
  headlineStyles,
  explanationStyles,
  sideStyles,
]

/** Comes after the styles of the parts. */
export const errorPageStyles: SafeHtml = styleSheet(`
.run-again { margin-bottom: var(--space-3) }
`)
