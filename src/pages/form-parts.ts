// Parts of the forms of several pages.

import { fold } from '../base/html/components.ts'
import { html, type SafeHtml } from '../base/html/html.ts'
import { styleSheet } from '../base/html/style-sheet.ts'

/**
 * Folds away on narrow windows what would push the content of a page down, and leaves it as it is on wide ones. Needs no script. A browser
 * that does not know `::details-content` folds it on wide windows, too. `isOpen`: it holds what somebody has set.
 */
export function narrowFold(title: string, isOpen: boolean, content: SafeHtml): SafeHtml {
  return fold(title, content, { isOpen, className: 'narrow-fold' })
}

/** `.wide-title` is a heading that says what the title of the fold says. */
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

export interface TextField {
  readonly name: string
  readonly label: string
  readonly value: string
  readonly hint: string
  readonly className?: string | undefined
}

export function textField({ name, label, value, hint, className }: TextField): SafeHtml {
  return html`<label class="${className}"
    >${label}<input class="field" name="${name}" value="${value || null}" placeholder="${hint}"
  /></label> `
}
