// The look that error page, profiler and toolbar share: colours of the light and the dark theme, layout, source, print.

import { arcStyles } from './arc.ts'
import { type SafeHtml, trusted, scriptBlock, styleSheet } from './html.ts'

/** Custom properties on `:root`: six sizes of type, six of space. One class per tone that sets `--tone-band`, `--tone-ink`, `--tone-soft`, `--tone-edge`. */
const tokenStyles: SafeHtml = styleSheet(`
:root {
  color-scheme: light dark;
  --font: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  --mono: ui-monospace, SFMono-Regular, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace;
  --size-tiny: .75rem;
  --size-small: .8125rem;
  --size: .875rem;
  --size-large: 1.0625rem;
  --size-title: 1.375rem;
  --size-message: clamp(1.25rem, 1rem + 1vw, 1.75rem);
  --space-1: .25rem;
  --space-2: .5rem;
  --space-3: .75rem;
  --space-4: 1rem;
  --space-6: 1.5rem;
  --space-8: 2rem;
  --radius: 5px;
  --page-width: 76rem;
  --ground: light-dark(#f5f6f8, #11141a);
  --surface: light-dark(#fff, #191d25);
  --raised: light-dark(#eceff3, #232934);
  --line: light-dark(#dfe3e9, #2c3340);
  --line-strong: light-dark(#b9c1cc, #465062);
  --text: light-dark(#171c26, #e5e9f0);
  --muted: light-dark(#566072, #9ca7b8);
  --link: light-dark(#1b57b5, #8ab8ff);
  --focus: light-dark(#1b57b5, #9cc3ff);
  --mark: light-dark(#fff1b8, #3d3312);
  --mark-edge: light-dark(#c28a00, #e3b341);
  --code-kwd: light-dark(#a3134f, #ff8fab);
  --code-str: light-dark(#1c6432, #8fd6a0);
  --code-num: light-dark(#874200, #f0b072);
  --code-cmnt: light-dark(#5f6875, #a3adbc);
  --code-func: light-dark(#6135b3, #c8a9ff);
  --code-type: light-dark(#0f5f74, #7cd0e6);
  --code-oper: light-dark(#4a5467, #b3bdcc);
}
[data-theme=light] { color-scheme: light }
[data-theme=dark] { color-scheme: dark }
:root, .tone-neutral {
  --tone-band: light-dark(#434c5c, #363f4d);
  --tone-ink: light-dark(#4a5467, #b3bdcc);
  --tone-soft: var(--raised);
  --tone-edge: var(--line-strong);
}
.tone-info {
  --tone-band: light-dark(#1b5796, #17467b);
  --tone-ink: light-dark(#1b5796, #8ab8ff);
  --tone-soft: light-dark(#e6f0fb, #172a42);
  --tone-edge: light-dark(#1b5796, #4b8fdc);
}
.tone-success {
  --tone-band: light-dark(#1b6b3b, #16562f);
  --tone-ink: light-dark(#1b6b3b, #83d69d);
  --tone-soft: light-dark(#e3f4e9, #15301f);
  --tone-edge: light-dark(#1b6b3b, #3fa564);
}
.tone-warning {
  --tone-band: light-dark(#9c4a00, #743d04);
  --tone-ink: light-dark(#8a4b00, #f2b366);
  --tone-soft: light-dark(#fdf0dc, #372812);
  --tone-edge: light-dark(#b86a0b, #d08a35);
}
.tone-error {
  --tone-band: light-dark(#ad2118, #8a1c15);
  --tone-ink: light-dark(#ad2118, #ff9c92);
  --tone-soft: light-dark(#fdebe9, #3d1b19);
  --tone-edge: light-dark(#c9362c, #e0594e);
}
`)

/** Styles of plain elements, and of `page`, `section`, `muted`, `mono`, `visually-hidden`, `skip-link`. */
const baseStyles: SafeHtml = styleSheet(`
*, ::before, ::after { box-sizing: border-box }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; scroll-padding-top: 4rem }
body {
  margin: 0; background: var(--ground); color: var(--text);
  font: var(--size)/1.5 var(--font); font-variant-numeric: tabular-nums; overflow-wrap: anywhere;
}
h1, h2, h3, h4, p, ul, ol, dl, dd, pre, figure { margin: 0; padding: 0 }
h1, h2, h3, h4 { font-weight: 600; line-height: 1.3; text-wrap: pretty }
h2 { font-size: var(--size-large) }
h3 { font-size: var(--size) }
ul, ol { list-style: none }
code, pre, kbd, .mono { font-family: var(--mono); font-size: .92em; font-variant-ligatures: none; tab-size: 2 }
a { color: var(--link); text-decoration-thickness: 1px; text-underline-offset: .18em }
a:hover { text-decoration-thickness: 2px }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; border-radius: 2px }
::selection { background: light-dark(#cfe0fb, #2d4b78); color: inherit }
summary { cursor: pointer; min-height: 1.5rem }
[hidden] { display: none !important }
.page { max-width: var(--page-width); margin: 0 auto; padding: 0 var(--space-6) }
.section { margin: var(--space-8) 0 }
.section > h2, .section-head { margin-bottom: var(--space-3) }
.section-head { display: flex; flex-wrap: wrap; gap: var(--space-2) var(--space-4); align-items: baseline }
.card { background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius) }
.muted { color: var(--muted) }
.small { font-size: var(--size-small) }
.tick { font-size: 0 }
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

/** Styles of `topbar`, `badge`, `table`, `facts`, `empty`, `button`, `note`, `fold`, `field`, `theme-switch`. */
const pieceStyles: SafeHtml = styleSheet(`
.topbar { background: var(--surface); border-top: 3px solid var(--tone-edge); border-bottom: 1px solid var(--line) }
.topbar > .page.page { max-width: none }
.topbar > .page { display: flex; align-items: center; gap: 0 var(--space-4); min-height: 2.625rem }
.brand { display: inline-flex; gap: var(--space-2); align-items: center; min-height: 2rem; flex: none; color: var(--text); font-weight: 650;
  letter-spacing: -.01em; text-decoration: none }
.brand-mark { color: var(--tone-ink) }
.badge {
  display: inline-block; min-width: 1.6em; padding: .05em .5em; border-radius: 99px; background: var(--tone-soft);
  color: var(--tone-ink); font-size: var(--size-tiny); font-weight: 600; line-height: 1.5; text-align: center; white-space: nowrap;
}
.badge-solid { background: var(--tone-band); color: #fff; white-space: normal }
.table { width: 100%; border-collapse: separate; border-spacing: 0; background: var(--surface);
  border: 1px solid var(--line); border-radius: var(--radius) }
.table th, .table td { padding: var(--space-2) var(--space-3); text-align: left; vertical-align: top }
.table tr + tr > *, .table thead ~ tbody > tr:first-child > * { border-top: 1px solid var(--line) }
.table thead th { font-size: var(--size-small); font-weight: 600; color: var(--muted); white-space: nowrap }
.table .number { text-align: right }
.table tbody tr:hover { background: light-dark(#f8f9fb, #1d222b) }
.table tr[class*=tone-] > :first-child { box-shadow: inset 3px 0 var(--tone-edge) }
.table tr.tone-neutral > :first-child { box-shadow: none }
.table-scroll { overflow-x: auto }
.facts th { width: 13rem; font: 600 var(--size-small)/1.6 var(--font); color: var(--text) }
.facts th, .facts td { padding-top: .3rem; padding-bottom: .3rem }
.facts td { font-family: var(--mono); font-size: .86em; line-height: 1.6; overflow-wrap: anywhere }
.facts.prose td { font: var(--size-small)/1.6 var(--font) }
kbd { padding: 0 .4em; border: 1px solid var(--line-strong); border-bottom-width: 2px; border-radius: var(--radius); background: var(--raised) }
.empty { padding: var(--space-3) var(--space-4); color: var(--muted); border: 1px dashed var(--line-strong);
  border-radius: var(--radius) }
.button {
  display: inline-flex; gap: var(--space-2); align-items: center; min-height: 2rem; padding: 0 var(--space-3);
  font: 500 var(--size-small)/1 var(--font); color: var(--text); background: var(--surface);
  border: 1px solid var(--line-strong); border-radius: var(--radius); cursor: pointer; text-decoration: none; white-space: nowrap;
}
.button:hover { background: var(--raised) }
.button[aria-pressed=true] { background: var(--text); color: var(--surface) }
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
  .table :is(td > a, .number a) { display: inline-block; min-width: 1.5rem; min-height: 1.5rem }
  .facts th { width: 36%; overflow-wrap: anywhere }
}
`)

/**
 * Styles of `source`, an `<ol start>` with one `<li>` a line: numbers come from the list, so they are never copied. The
 * line in question has the class `at`, the word in question is a `<mark>`. `block` is text kept as it is.
 */
const sourceStyles: SafeHtml = styleSheet(`
.source { font: .8125rem/1.6 var(--mono); font-variant-ligatures: none; tab-size: 2; padding: var(--space-2) 0; background: var(--surface) }
.source li { position: relative; padding: 0 var(--space-3) 0 4.75rem; white-space: pre-wrap; min-height: 1.6em; overflow-wrap: anywhere }
.source li::before { content: counter(list-item); position: absolute; left: 0; width: 3.75rem; text-align: right;
  color: var(--muted); user-select: none; -webkit-user-select: none }
.source .at { background: var(--mark); box-shadow: inset 3px 0 var(--mark-edge) }
.source .at::before { color: var(--text); font-weight: 600 }
.source mark { background: none; color: inherit; text-decoration: underline 2px var(--mark-edge); text-underline-offset: .25em;
  text-decoration-skip-ink: none }
.source i { font-style: normal }
.block { padding: var(--space-3); font: .8125rem/1.55 var(--mono); white-space: pre-wrap; overflow-wrap: anywhere;
  background: var(--raised); border-radius: var(--radius); unicode-bidi: isolate }
.t-kwd { color: var(--code-kwd) }
.t-str { color: var(--code-str); unicode-bidi: isolate }
.t-num, .t-bool { color: var(--code-num) }
.source .t-cmnt { color: var(--code-cmnt); font-style: italic; unicode-bidi: isolate }
.t-func { color: var(--code-func) }
.t-type, .t-class { color: var(--code-type) }
.t-oper { color: var(--code-oper) }
@media (max-width: 40rem) {
  .source li { padding: 0 var(--space-2) 0 3.25rem }
  .source li::before { width: 2.6rem }
}
@media (forced-colors: active) {
  .source .at { outline: 2px solid Highlight; outline-offset: -2px }
  .source mark { forced-color-adjust: none; color: CanvasText }
  .badge { border: 1px solid }
  .table tr[class*=tone-] > :first-child { border-left: 3px solid }
  .table tr.tone-neutral > :first-child { border-left: 0 }
}
`)

/** Rules for print; must come after all other styles of the theme. */
const printStyles: SafeHtml = styleSheet(`
@media print {
  :root, [data-theme] { color-scheme: light; --ground: #fff; --size: 10pt }
  .button, .skip-link, .theme-switch, .screen-only { display: none !important }
  .page { max-width: none; padding: 0 }
  a { color: #000 }
  .topbar { border-bottom: 0 }
  .section { margin: 14pt 0 }
  .card, .table, .table tr, .source li, .frame > summary { break-inside: avoid }
  h2, h3 { break-after: avoid }
  .long-text { max-height: none }
  .source .at { print-color-adjust: exact; -webkit-print-color-adjust: exact }
}
`)

/** The whole theme. A page's own styles come after it. */
export const themeStyles: SafeHtml = trusted(
  [tokenStyles, baseStyles, pieceStyles, arcStyles, sourceStyles, printStyles].join('\n'),
)

/**
 * Applies the reader's choice of light or dark before the first paint, and lets a `<button data-theme-switch hidden>`
 * change it; the button stays hidden without a script, because then the system decides. For the head of a page.
 */
export const themeScript: SafeHtml = scriptBlock(`
(() => {
  const root = document.documentElement, key = 'fanlight-theme';
  let theme; try { theme = localStorage.getItem(key) } catch {}
  const keep = (theme) => { try { localStorage.setItem(key, theme) } catch {} };
  if (/^(light|dark)$/.test(theme)) root.dataset.theme = theme;
  const isDark = () => root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  const label = (button) => { button.setAttribute('aria-label', (button.textContent = isDark() ? 'Light' : 'Dark') + ' colours'); };
  addEventListener('DOMContentLoaded', () => {
    for (const button of document.querySelectorAll('[data-theme-switch]')) {
      button.hidden = false;
      label(button);
      button.addEventListener('click', () => { keep(root.dataset.theme = isDark() ? 'light' : 'dark'); label(button); });
    }
  });
})();
`)
