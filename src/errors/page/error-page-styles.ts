// Styles of the error page and of its trace.

import type { SafeHtml } from '../../framework/html/html.ts'
import { styleSheet } from '../../framework/html/style-sheet.ts'

/** Comes after the styles of the parts. */
export const errorPageStyles: SafeHtml = styleSheet(`
.headline { padding: var(--space-6) 0 var(--space-4) }
.headline:focus { outline: none }
.headline h1 { font-weight: 600; letter-spacing: -.01em; line-height: 1.3 }
.headline .short { font-size: var(--size-message) }
.headline .long { font-size: 1.0625rem; line-height: 1.5 }
.headline-class { margin-bottom: var(--space-1); color: var(--tone-ink); font-weight: 600 }
.clues { margin-top: var(--space-3); display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .15rem var(--space-3); font-size: .9rem }
.clues dt { color: var(--muted) }
.jump { position: sticky; top: 0; z-index: 2; background: var(--ground); display: flex; flex-wrap: wrap; align-items: center;
  justify-content: space-between; gap: var(--space-1) var(--space-4); border-bottom: 1px solid var(--line) }
.jump .tabs { border: 0 }
.jump .tab { border: 0; margin: 0 }
.jump + .section { margin-top: var(--space-6) }
@media (max-width: 40rem) { .jump { position: static } }
`)

/** For every page that uses `traceList`; comes after `themeStyles`. */
export const traceStyles: SafeHtml = styleSheet(`
.trace { display: grid; gap: var(--space-4); grid-template-columns: minmax(0, 1fr) }
.error { overflow: clip }
.error-head { padding: var(--space-3) var(--space-4) }
.trace .error-head h3 { margin: 0; font-family: var(--mono); font-size: .95rem; color: var(--tone-ink) }
.error-head .badge { margin-left: var(--space-1); font-family: var(--font); font-weight: 500 }
.caused-by { font-size: var(--size-small); color: var(--muted) }
.error-message { margin-top: var(--space-1); font-size: 1.0625rem; line-height: 1.45 }
.properties { display: flex; flex-wrap: wrap; gap: var(--space-1) var(--space-2); margin-top: var(--space-2) }
.properties code { display: block; padding: .1em .5em; background: var(--raised); border-radius: 4px; font-size: .8125rem }
.frames > li { border-top: 1px solid var(--line) }
.frames-none { padding: var(--space-2) var(--space-4); border-top: 1px solid var(--line) }
.frame-line, .run > summary { display: flex; flex-wrap: wrap; align-items: baseline; padding: .42rem var(--space-4); column-gap: .7em }
.frame-line::before, .run > summary::before { margin-right: 0 !important; align-self: center }
p.frame-line::before { content: ""; width: .38em; margin-left: .15em }
.frame summary:hover, .run > summary:hover { background: var(--raised) }
.frame summary:focus-visible, .run > summary:focus-visible { outline-offset: -2px }
.frame details[open] > summary { border-bottom: 1px solid var(--line) }
.call { font-weight: 600 }
.place { color: var(--muted); font-size: .8125rem }
.own .place { color: var(--text) }
.dependency .call, .node .call { font-weight: 400; color: var(--muted) }
.origin { margin-left: auto; font-size: .75rem; color: var(--muted) }
.run > summary { color: var(--muted); font-size: var(--size-small) }
.run .frames { background: light-dark(#fafbfc, #161a21) }
.editor { padding: var(--space-1) var(--space-4) var(--space-2) 4.75rem; font-size: var(--size-small) }
.changed-file { padding: var(--space-1) var(--space-4); font-size: var(--size-small); color: var(--text);
  background: var(--raised); border-left: 3px solid var(--line-strong) }
.members { margin: var(--space-3) var(--space-4) var(--space-4); padding-left: var(--space-4); border-left: 3px solid var(--line-strong); display: grid;
  gap: var(--space-3); grid-template-columns: minmax(0, 1fr) }
@media (max-width: 40rem) {
  .error-head, .frame-line, .run > summary { padding-left: var(--space-3); padding-right: var(--space-3) }
  .place { flex-basis: 100%; padding-left: 1.25em }
  .origin { display: none }
  .members { margin: var(--space-3) var(--space-2); padding-left: var(--space-2) }
}
.hints > li { padding: var(--space-3) var(--space-4); box-shadow: inset 3px 0 var(--link) }
.hints > li + li { border-top: 1px solid var(--line) }
.hints + .suggestions, .hints + .empty { margin-top: var(--space-3) }
`)
