// Draws what is known about an error of this kind: what happened, and what to do.

import { html } from '../../framework/html/html.ts'
import type { SafeHtml } from '../../framework/html/html.ts'
import { styleSheet } from '../../framework/html/style-sheet.ts'
import type { Hint } from '../hints/hint.ts'
import { maxHints } from '../hints/index.ts'
import { verbatim } from './verbatim.ts'

/** The hints, one below the other; nothing when there is none. */
export function hintList(hints: readonly Hint[]): SafeHtml | null {
  if (hints.length === 0) return null
  return html`<ul class="card hints">
    ${hints.slice(0, maxHints).map(hintItem)}
  </ul>`
}

function hintItem(hint: Hint): SafeHtml {
  return html`<li>
    <h3>${verbatim(hint.title, 300)}</h3>
    <p>${verbatim(hint.text, 2000)}</p>
  </li> `
}

/** Comes after `themeStyles`. */
export const hintStyles: SafeHtml = styleSheet(`
.hints > li { padding: var(--space-3) var(--space-4); box-shadow: inset 3px 0 var(--link) }
.hints > li + li { border-top: 1px solid var(--line) }
.hints + .suggestions, .hints + .empty { margin-top: var(--space-3) }
`)
