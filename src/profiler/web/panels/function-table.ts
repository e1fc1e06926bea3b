// What tables of functions have in common: the place of each, and their form on narrow windows.

import type { EditorLink } from '../../../errors/page/editor-link.ts'
import { html, trustedUrl, type SafeHtml } from '../../../framework/html/html.ts'
import { styleSheet } from '../../../framework/html/style-sheet.ts'
import type { CpuFunctionData } from '../../collectors/cpu.ts'
import { functionPlace } from './flame-graph.ts'

/** Leads to the editor if it is own code; nothing for what V8 did itself. */
export function functionLink(called: CpuFunctionData, editor: EditorLink | undefined): SafeHtml | null {
  const text = functionPlace(called)
  if (text === '') return null
  const code = html`<code class="muted">${text}</code>`
  const address = called.origin === 'own' ? (editor?.(called.file, called.line, called.column) ?? null) : null
  return address === null ? code : html`<a href="${trustedUrl(address)}">${code}</a>`
}

export const functionStyles: SafeHtml = styleSheet(`
.functions + p { margin-top: var(--space-2) }
.functions td.name { overflow-wrap: anywhere }
.functions .place { font-size: var(--size-small) }
@media (max-width: 40rem) {
  .functions .owner { display: none }
  .functions, .functions :is(thead, tbody) { display: block }
  .functions tr { display: grid; grid-template-columns: 1fr 1fr; padding: var(--space-2) }
  .functions tbody tr { border-top: 1px solid var(--line) }
  .functions tr > * { border: 0 !important; padding: 0 !important; text-align: left !important }
  .functions tr > :is(.name, :nth-child(3)) { grid-column: 1 / -1; order: -1 }
}
`)
