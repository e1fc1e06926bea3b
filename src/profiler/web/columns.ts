// Tables whose columns are said once: as HTML, with a form for narrow windows, and as lines of Markdown.

import { codeSpan } from '../../errors/markdown-text.ts'
import { columnHead, dataTable, type Tone } from '../../framework/html/components.ts'
import { html, type HtmlValue, type SafeHtml } from '../../framework/html/html.ts'
import { styleSheet } from '../../framework/html/style-sheet.ts'
import { cutText } from '../../framework/redact/cut-text.ts'

export interface Column<Row> {
  readonly title: string
  /** `null`: there is nothing to say. */
  readonly text: (row: Row) => string | null
  /** As markup. Default: the text. */
  readonly cell?: (row: Row) => HtmlValue
  /** What is said in place of `null`. Default: `none`. */
  readonly none?: string
  /** `number` aligns a column of numbers. */
  readonly className?: string
  /** Default: the title. */
  readonly head?: SafeHtml
}

interface TableOptions<Row> {
  readonly className: string
  /** Names the table to readers. */
  readonly caption: string
  /** Colour of a row. Default: none. */
  readonly tone?: (row: Row) => Tone
}

/** The first column names the row. Needs `columnStyles`. */
export function columnTable<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  { className, caption, tone = () => 'neutral' }: TableOptions<Row>,
): SafeHtml {
  const [first, ...others] = columns
  const heads = columns.map(
    ({ title, head, className: side }) => head ?? columnHead(title, side === 'number' ? side : ''),
  )
  return dataTable(
    `stacked ${className}`,
    caption,
    heads,
    rows.map(
      (row) =>
        html`<tr class="tone-${tone(row)}">
          <th scope="row" class="name ${first?.className}">${first === undefined ? null : content(first, row)}</th>
          ${others.map((column) => html`<td class="${column.className ?? ''}" data-label="${labelOf(column)}">${content(column, row)}</td> `)}
        </tr> `,
    ),
  )
}

function content<Row>({ text, cell, none = 'none' }: Column<Row>, row: Row): HtmlValue {
  const said = text(row)
  if (said === null) return html`<span class="muted">${none}</span>`
  return cell === undefined ? cutText(said, 500) : cell(row)
}

/** An item of a list for each row; what was recorded is in code spans. */
export function columnLines<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): readonly string[] {
  const [first, ...others] = columns
  return rows.map((row) => {
    const facts = others.flatMap((column) => {
      const text = column.text(row)
      return text === null ? [] : [`${labelOf(column)} ${codeSpan(text)}`]
    })
    const name = first?.text(row) ?? null
    return `- ${name === null ? (first?.none ?? 'none') : codeSpan(name)}: ${facts.join(', ')}`
  })
}

function labelOf<Row>({ title }: Column<Row>): string {
  return `${title.charAt(0).toLowerCase()}${title.slice(1)}`
}

/** On windows narrower than `width` a row is a block, with the titles in front of its cells. */
export function columnStyles(className: string, width: string): SafeHtml {
  const table = `.stacked.${className}`
  return styleSheet(`
${table} tbody :is(th, td) { font-size: var(--size-small); overflow-wrap: anywhere }
${table} .name { font-weight: 400 }
@media (max-width: ${width}) {
  ${table} thead { display: none }
  ${table}, ${table} tbody { display: block }
  ${table} tr { display: block; padding: var(--space-2) var(--space-3); border-top: 1px solid var(--line) }
  ${table} tbody tr:first-child { border-top: 0 }
  ${table} tr[class*=tone-]:not(.tone-neutral) { box-shadow: inset 3px 0 var(--tone-edge) }
  ${table} tr > * { display: inline-block; vertical-align: top; border: 0 !important; padding: 0 var(--space-3) 0 0; box-shadow: none !important; text-align: left !important; white-space: normal }
  ${table} .name { display: block }
  ${table} td::before { content: attr(data-label) ' '; color: var(--muted) }
}
`)
}
