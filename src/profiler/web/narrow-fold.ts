// Folds away on narrow windows what would push the content of a page down, and leaves it as it is on wide ones. Needs no
// script. A browser that does not know `::details-content` folds it on wide windows, too.

import { html, type SafeHtml } from '../../framework/html/html.ts'
import { styleSheet } from '../../framework/html/style-sheet.ts'

/** `isOpen`: whether it is open at first on narrow windows, too, because it holds what somebody has set. */
export function narrowFold(title: string, isOpen: boolean, content: SafeHtml): SafeHtml {
  const inside = html`<summary>${title}</summary>
    ${content}`
  return isOpen
    ? html`<details class="fold narrow-fold" open>${inside}</details>`
    : html`<details class="fold narrow-fold">${inside}</details>`
}

/** For every profiler page. `.wide-title` is a heading that says what the title of the fold says. */
export const narrowFoldStyles: SafeHtml = styleSheet(`
.narrow-fold > summary { color: var(--muted); font-size: var(--size-small) }
.narrow-fold[open] > summary { margin-bottom: var(--space-2) }
@media (width > 40rem) {
  @supports selector(::details-content) {
    .narrow-fold > summary { display: none }
    .narrow-fold::details-content { display: block; content-visibility: visible }
  }
}
@media (width <= 40rem) {
  .wide-title:has(+ .narrow-fold) { display: none }
}
`)
