// Paper: light colours, no controls, links with their address where it helps, everything that is open stays open.

import { styleSheet } from '../style-sheet.ts'
import type { SafeHtml } from '../html.ts'

/** Rules for print; must come after all other styles of the theme. */
export const printStyles: SafeHtml = styleSheet(`
@media print {
  :root, [data-theme] { color-scheme: light; --ground: #fff; --size: 10pt }
  .button, .skip-link, .theme-switch, .tabs, .screen-only { display: none !important }
  .page { max-width: none; padding: 0 }
  .band { background: #fff; color: #000; border-bottom: 2pt solid #000; print-color-adjust: economy }
  .band a, a { color: #000 }
  .section { margin: 14pt 0 }
  .card, .table, .table tr, .source li, .frame > summary { break-inside: avoid }
  h2, h3 { break-after: avoid }
  .long-text { max-height: none }
  .source .at { print-color-adjust: exact; -webkit-print-color-adjust: exact }
}
`)
