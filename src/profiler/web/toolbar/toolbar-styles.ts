// The look of the toolbar. It lives in a shadow root: nothing of the page is inherited but what `:host` lets in.

import type { SafeHtml } from '../../../framework/html/html.ts'
import { styleSheet } from '../../../framework/html/style-sheet.ts'

/** Without a script the bar is there, and cannot be closed. */
export const toolbarStyles: SafeHtml = styleSheet(`
:host {
  all: initial !important;
  color-scheme: light dark !important;
  position: fixed !important;
  inset: auto 0 0 0 !important;
  display: block !important;
  z-index: 2147483647 !important;
  pointer-events: none !important;
}
:host([data-room]) {
  position: static !important;
  height: 2.25rem !important;
  clear: both !important;
}
:host([data-room][data-closed]) { height: 0 !important }
:host([data-theme=light]) { color-scheme: light !important }
:host([data-theme=dark]) { color-scheme: dark !important }
* { box-sizing: border-box }
[hidden] { display: none !important }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
.toolbar {
  position: fixed;
  inset: auto 0 0 0;
  z-index: 2147483647;
  color: light-dark(#171c26, #e5e9f0);
  font: 13px/1.4 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  --ground: light-dark(#fff, #191d25);
  --line: light-dark(#b9c1cc, #465062);
  --quiet: light-dark(#566072, #9ca7b8);
  --focus: light-dark(#1b57b5, #9cc3ff);
}
.bar, .requests, .reopen { pointer-events: auto; background: var(--ground) }
.bar { display: flex; align-items: stretch; min-height: 2.25rem; border-top: 1px solid var(--line) }
.item, .status, .reopen {
  display: flex;
  gap: .35em;
  align-items: center;
  padding: 0 .7rem;
  color: inherit;
  font: inherit;
  text-decoration: none;
  white-space: nowrap;
}
a.item:hover, button.item:hover { background: light-dark(#eceff3, #232934) }
button { border: 0; background: none; cursor: pointer }
a:focus-visible, button:focus-visible { outline: 2px solid var(--focus); outline-offset: -3px }
.name { color: var(--quiet) }
.status, .reopen { background: light-dark(#434c5c, #363f4d); color: #fff; font-weight: 600 }
.status:focus-visible, .reopen:focus-visible { outline-color: #fff }
.status.tone-success { background: light-dark(#1b6b3b, #16562f) }
.status.tone-info { background: light-dark(#1b5796, #17467b) }
.status.tone-warning { background: light-dark(#9c4a00, #743d04) }
.status.tone-error { background: light-dark(#ad2118, #8a1c15) }
.item.tone-warning { background: light-dark(#fdf0dc, #372812); color: light-dark(#8a4b00, #f2b366) }
.item.tone-error { background: light-dark(#fdebe9, #3d1b19); color: light-dark(#ad2118, #ff9c92) }
.item.tone-warning .name, .item.tone-error .name { color: inherit }
.item { min-width: 0; overflow: hidden }
.status, .close, #open-requests { flex-shrink: 0 }
.route, .id { overflow: hidden; text-overflow: ellipsis }
.redirects a { color: light-dark(#1b57b5, #8ab8ff) }
.token { margin-left: auto; flex-shrink: 1000; font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace }
.token .name { font-family: system-ui, sans-serif }
.close { font-size: 18px; min-width: 2.25rem; justify-content: center }
.reopen { position: absolute; right: 0; bottom: 0; min-height: 2.25rem; border-top-left-radius: 6px }
.requests {
  max-height: min(60vh, 24rem);
  overflow: auto;
  padding: .6rem .7rem;
  border-top: 1px solid var(--line);
}
h2 { margin: 0 0 .4rem; font-size: 13px }
ol { margin: 0; padding: 0; list-style: none }
li { display: flex; gap: .6em; padding: .15rem 0; border-top: 1px solid light-dark(#dfe3e9, #2c3340) }
li .path { min-width: 0; flex: 1; overflow-wrap: anywhere }
li .bad { color: light-dark(#ad2118, #ff9c92) }
li a { color: light-dark(#1b57b5, #8ab8ff) }
li span { flex-shrink: 0 }
li .path { flex-shrink: 1 }
@media (max-width: 46rem) {
  .name, .route, .currency, .redirects { display: none }
  .item, .status { padding: 0 .5rem }
  .bar { overflow-x: auto; scrollbar-width: none }
  .item { flex-shrink: 0 }
  .close { position: sticky; right: 0; background: var(--ground) }
  #open-requests .name { display: inline }
}
@media print { :host { display: none !important } }
`)
