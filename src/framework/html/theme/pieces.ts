// Named pieces of a page: badges, tabs, tables, facts, empty states, buttons, notes, unfolding parts.

import { styleSheet } from '../style-sheet.ts'
import type { SafeHtml } from '../html.ts'

/** Styles of `badge`, `tabs`, `table`, `facts`, `empty`, `button`, `note`, `fold`, `field`, `theme-switch`. */
export const pieceStyles: SafeHtml = styleSheet(`
.badge {
  display: inline-block; min-width: 1.6em; padding: .05em .5em; border-radius: 99px; background: var(--tone-soft);
  color: var(--tone-ink); font-size: var(--size-small); font-weight: 600; line-height: 1.5; text-align: center; white-space: nowrap;
}
.badge-solid { background: var(--tone-band); color: #fff }
.tabs {
  display: flex; gap: var(--space-1); overflow-x: auto; border-bottom: 1px solid var(--line); scrollbar-width: thin;
}
.tab {
  display: inline-flex; gap: var(--space-2); align-items: center; padding: var(--space-2) var(--space-3); color: var(--text);
  text-decoration: none; white-space: nowrap; border-bottom: 2px solid transparent; margin-bottom: -1px;
}
.tab:hover { background: var(--raised) }
.tab:focus-visible { outline-offset: -2px }
.tab[aria-current], .tab[aria-selected=true] { border-bottom-color: var(--link); font-weight: 600 }
.table { width: 100%; border-collapse: separate; border-spacing: 0; background: var(--surface);
  border: 1px solid var(--line); border-radius: var(--radius) }
.table th, .table td { padding: var(--space-2) var(--space-3); text-align: left; vertical-align: top }
.table tr + tr > *, .table thead + tbody > tr:first-child > * { border-top: 1px solid var(--line) }
.table thead th { font-size: var(--size-small); font-weight: 600; color: var(--muted); white-space: nowrap }
.table .number { text-align: right }
.table tbody tr:hover { background: light-dark(#f8f9fb, #1d222b) }
.table tr[class*=tone-] > :first-child { box-shadow: inset 3px 0 var(--tone-edge) }
.table tr.tone-neutral > :first-child { box-shadow: none }
.table-scroll { overflow-x: auto }
.facts th { width: 13rem; font: 600 var(--size-small)/1.6 var(--mono); color: var(--text) }
.facts th, .facts td { padding-top: .3rem; padding-bottom: .3rem }
.facts td { font-family: var(--mono); font-size: .86em; line-height: 1.6 }
.empty { padding: var(--space-3) var(--space-4); color: var(--muted); border: 1px dashed var(--line-strong);
  border-radius: var(--radius) }
.button {
  display: inline-flex; gap: var(--space-2); align-items: center; min-height: 2rem; padding: 0 var(--space-3);
  font: 500 var(--size-small)/1 var(--font); color: var(--text); background: var(--surface);
  border: 1px solid var(--line-strong); border-radius: var(--radius); cursor: pointer; text-decoration: none; white-space: nowrap;
}
.button:hover { background: var(--raised) }
.button[aria-pressed=true] { background: var(--text); color: var(--surface) }
.band .button { color: #fff; background: transparent; border-color: rgb(255 255 255 / 45%) }
.band .button:hover { background: rgb(255 255 255 / 14%) }
.note { padding: var(--space-2) var(--space-3); border-left: 3px solid var(--tone-edge); background: var(--tone-soft);
  color: var(--tone-ink); border-radius: 0 var(--radius) var(--radius) 0; font-size: var(--size-small) }
.fold > summary { list-style: none }
.fold > summary::-webkit-details-marker { display: none }
.fold > summary::before { content: ""; display: inline-block; flex: none; width: .38em; height: .38em; margin: 0 .55em .16em .15em;
  border: solid currentColor; border-width: 0 1.5px 1.5px 0; transform: rotate(-45deg); color: var(--muted) }
.fold[open] > summary::before { transform: rotate(45deg) }
.field, input.field, select.field {
  min-height: 2rem; padding: 0 var(--space-2); font: inherit; font-size: var(--size-small); color: var(--text);
  background: var(--surface); border: 1px solid var(--line-strong); border-radius: var(--radius);
}
@media (max-width: 40rem) {
  .table th, .table td { padding: var(--space-2) }
  .facts, .facts tbody, .facts tr, .facts th, .facts td { display: block; width: 100% }
  .facts td { border: 0 !important; padding-top: 0 !important }
  .facts th { padding-bottom: 0 !important }
}
`)
