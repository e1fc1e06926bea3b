// Styles of the error page that belong to no single part of it.

import type { SafeHtml } from '../html/html.ts'
import { styleSheet } from '../html/style-sheet.ts'

/** Comes after the styles of the parts. */
export const errorPageStyles: SafeHtml = styleSheet(`
.headline { padding: var(--space-6) 0 var(--space-4); scroll-margin-top: 0 }
.headline h1 { font-weight: 600; letter-spacing: -.01em; line-height: 1.3; max-height: 16lh; overflow: auto }
.headline .short { font-size: var(--size-message) }
.headline .long { font-size: 1.0625rem; line-height: 1.5 }
.trail { display: flex; flex-wrap: wrap; margin-bottom: var(--space-2); color: var(--muted) }
.trail > li + li::before { content: "\\2190"; margin: 0 .6em }
.jump { position: sticky; top: 0; z-index: 2; background: var(--ground) }
.jump + .section { margin-top: var(--space-6) }
@media print { .headline h1 { max-height: none } }
`)
