// Parts of the forms of several pages.

import { html, type SafeHtml, styleSheet } from '../base/html/html.ts'

/** A fold on narrow windows only, and in a browser that does not know `::details-content`. */
export const narrowFoldStyles: SafeHtml = styleSheet(`
.narrow-fold > summary { color: var(--muted); font-size: var(--size-small) }
.narrow-fold[open] > summary { margin-bottom: var(--space-2) }
@media (width > 40rem) {
  @supports selector(::details-content) {
    .narrow-fold > summary { display: none }
    .narrow-fold::details-content { display: block; content-visibility: visible }
  }
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
