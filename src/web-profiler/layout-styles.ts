// Styles of the profiler's frame, list and timeline; come after the theme.

import type { SafeHtml } from '../html/html.ts'
import { styleSheet } from '../html/style-sheet.ts'

/** For every page of the profiler. */
export const layoutStyles: SafeHtml = styleSheet(`
.topbar { margin-bottom: var(--space-3) }
.brand { font-weight: 650; text-decoration: none }
.search { gap: var(--space-2) }
.search .field { width: 15rem }
.request-line { font-size: 1.125rem; font-weight: 600; line-height: 1.4; overflow-wrap: anywhere }
.headline-facts { margin-top: var(--space-2); gap: var(--space-1) var(--space-6); font-size: var(--size-small) }
.with-menu { display: grid; grid-template-columns: 12.5rem minmax(0, 1fr); gap: var(--space-8); align-items: start }
.menu { position: sticky; top: var(--space-4); margin-top: var(--space-6) }
.menu a { display: flex; justify-content: space-between; align-items: center; gap: var(--space-2); padding: .4rem var(--space-3);
  color: var(--text); text-decoration: none; border-radius: var(--radius) }
.menu a:hover { background: var(--raised) }
.menu a[aria-current=page] { background: var(--surface); font-weight: 600; box-shadow: inset 3px 0 var(--link) }
.menu a.is-empty { color: var(--muted) }
main > h2:first-child, main > .section-head:first-child { margin-top: var(--space-6) }
main h2 { margin-bottom: var(--space-3) }
main h3 { margin: var(--space-6) 0 var(--space-2) }
.figures { display: flex; flex-wrap: wrap; gap: var(--space-3); margin-bottom: var(--space-6) }
.figure { min-width: 8rem; padding: var(--space-3) var(--space-4) }
.figure b { display: block; font-size: 1.375rem; font-weight: 600; line-height: 1.3 }
.figure span { color: var(--muted); font-size: var(--size-small) }
.filters { display: flex; flex-wrap: wrap; gap: var(--space-2) var(--space-3); align-items: end; margin: var(--space-6) 0 var(--space-4) }
.filters label { display: grid; gap: 2px; font-size: var(--size-small); color: var(--muted) }
.filters .field { width: 9rem }
.filters .field.wide { width: 16rem }
.profiles td { padding-top: .4rem; padding-bottom: .4rem }
.profiles .url { font-family: var(--mono); font-size: .86em; overflow-wrap: anywhere }
.profiles .sub { color: var(--muted); font-size: var(--size-small) }
.pager { margin: var(--space-4) 0 var(--space-8) }
.timeline td { padding-top: .3rem; padding-bottom: .3rem }
.timeline .span-name { width: 34% }
.timeline .number { width: 6.5rem }
.timeline svg { display: block; width: 100%; height: 1rem }
.timeline rect { fill: var(--bar, #6b7a90) }
.timeline .lane { fill: var(--raised) }
.cat-kernel { --bar: #6b7a90 } .cat-listener { --bar: #3d7bd9 } .cat-controller { --bar: #2f9e62 } .cat-store { --bar: #b8860b }
.cat-http { --bar: #a04fc4 } .cat-sub-request { --bar: #c2552d } .cat-template { --bar: #1b9aa5 } .cat-app { --bar: #6b7a90 }
.legend { display: flex; flex-wrap: wrap; gap: var(--space-1) var(--space-4); margin-bottom: var(--space-3); font-size: var(--size-small) }
.legend svg { display: inline-block; width: .8rem; height: .8rem; margin-right: .35rem; vertical-align: -.1rem }
.legend rect { fill: var(--bar) }
.depth-1 { padding-left: 1.1rem } .depth-2 { padding-left: 2.2rem } .depth-3 { padding-left: 3.3rem } .depth-4 { padding-left: 4.4rem }
@media (max-width: 60rem) {
  .with-menu { display: block }
  .menu { position: static; margin: 0 calc(-1 * var(--space-3)); overflow-x: auto; border-bottom: 1px solid var(--line) }
  .menu ul { display: flex }
  .menu a { white-space: nowrap; border-radius: 0 }
  .menu a[aria-current=page] { box-shadow: inset 0 -3px var(--link) }
}
@media (max-width: 40rem) {
  .search { width: 100% }
  .search .field { flex: 1; width: 6rem; min-width: 0 }
  .filters label, .filters .field, .filters .field.wide { width: 100% }
  .profiles thead { display: none }
  .profiles, .profiles tbody, .profiles tr { display: block }
  .profiles tr { padding: var(--space-2); border-top: 1px solid var(--line) }
  .profiles tbody tr:first-child { border-top: 0 }
  .profiles td { display: inline-block; border: 0 !important; padding: 0 var(--space-2) 0 0; box-shadow: none !important }
  .profiles td.url { display: block }
  .timeline, .timeline tbody, .timeline tr, .timeline td { display: block; width: auto !important }
  .timeline thead { display: none }
  .timeline tr { padding: var(--space-1) var(--space-2); border-top: 1px solid var(--line) }
  .timeline td { border: 0 !important; padding: 1px 0; text-align: left !important }
}
`)
