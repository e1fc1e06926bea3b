// Styles of the error page that belong to no single part of it.

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
