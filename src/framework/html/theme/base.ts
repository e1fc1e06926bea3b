// Typography, links, focus, headings and the frame of a page. Pieces with names of their own are in pieces.ts.

import { styleSheet } from '../style-sheet.ts'
import type { SafeHtml } from '../html.ts'

/** Styles of plain elements, and of `page`, `band`, `section`, `muted`, `mono`, `visually-hidden`, `skip-link`. */
export const baseStyles: SafeHtml = styleSheet(`
*, ::before, ::after { box-sizing: border-box }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; scroll-padding-top: 4rem }
body {
  margin: 0; background: var(--ground); color: var(--text);
  font: var(--size)/1.5 var(--font); font-variant-numeric: tabular-nums; overflow-wrap: anywhere;
}
h1, h2, h3, h4, p, ul, ol, dl, dd, pre, figure { margin: 0; padding: 0 }
h1, h2, h3, h4 { font-weight: 600; line-height: 1.3; text-wrap: pretty }
h2 { font-size: var(--size-large) }
h3 { font-size: 1rem }
ul, ol { list-style: none }
code, pre, kbd, .mono { font-family: var(--mono); font-size: .92em; font-variant-ligatures: none; tab-size: 2 }
a { color: var(--link); text-decoration-thickness: 1px; text-underline-offset: .18em }
a:hover { text-decoration-thickness: 2px }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; border-radius: 2px }
::selection { background: light-dark(#cfe0fb, #2d4b78); color: inherit }
summary { cursor: pointer }
[hidden] { display: none !important }
.page { max-width: var(--page-width); margin: 0 auto; padding: 0 var(--space-6) }
.band { background: var(--tone-band); color: #fff; padding: var(--space-3) 0 }
.band a { color: #fff }
.band :focus-visible { outline-color: #fff }
.band ::selection { background: #fff; color: #000 }
.section { margin: var(--space-8) 0 }
.section > h2, .section-head { margin-bottom: var(--space-3) }
.section-head { display: flex; flex-wrap: wrap; gap: var(--space-2) var(--space-4); align-items: baseline }
.card { background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius) }
.muted { color: var(--muted) }
.small { font-size: var(--size-small) }
.nowrap { white-space: nowrap }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
.verbatim { white-space: pre-wrap; unicode-bidi: isolate; overflow-wrap: anywhere }
.long-text { display: block; max-height: 14lh; overflow: auto }
.row { display: flex; flex-wrap: wrap; gap: var(--space-2) var(--space-4); align-items: center }
.spread { justify-content: space-between }
.visually-hidden:not(:focus-within) {
  position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap;
}
.skip-link { position: absolute; left: var(--space-2); top: -4rem; z-index: 9; padding: var(--space-2) var(--space-3);
  background: var(--surface); color: var(--link); border-radius: var(--radius) }
.skip-link:focus { top: var(--space-2) }
@media (max-width: 40rem) {
  .page { padding: 0 var(--space-3) }
  .section { margin: var(--space-6) 0 }
}
@media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth } }
`)
