// Source code and plain blocks of text. Token classes are the kinds of @speed-highlight/core with the prefix `t-`.

import { styleSheet } from '../style-sheet.ts'
import type { SafeHtml } from '../html.ts'

/**
 * Styles of `source`, an `<ol start>` with one `<li>` a line: numbers come from the list, so they are never copied. The
 * line in question has the class `at`, the word in question is a `<mark>`. `block` is text kept as it is.
 */
export const sourceStyles: SafeHtml = styleSheet(`
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
.t-str { color: var(--code-str) }
.t-num, .t-bool { color: var(--code-num) }
.source .t-cmnt, .source .t-todo { color: var(--code-cmnt); font-style: italic }
.source .t-todo { font-weight: 600 }
.t-func { color: var(--code-func) }
.t-type, .t-class { color: var(--code-type) }
.t-oper, .t-esc { color: var(--code-oper) }
.t-insert { color: var(--code-insert) }
.t-deleted, .t-err { color: var(--code-deleted) }
@media (max-width: 40rem) {
  .source li { padding: 0 var(--space-2) 0 3.25rem }
  .source li::before { width: 2.6rem }
}
`)
