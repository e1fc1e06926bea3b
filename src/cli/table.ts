// Lays rows out in columns. If a terminal is too narrow the flexible columns give way, the widest first.

import { type Terminal, type Tone, cutToColumns, textWidth, visibleText } from './terminal.ts'

export interface Column<Row> {
  readonly title: string
  /** Text of a cell; control characters in it are spelt out. */
  readonly cell: (row: Row) => string
  /** Default left. */
  readonly align?: 'left' | 'right'
  /** Whether the column may be cut if the terminal is narrow. Default no. */
  readonly isFlexible?: boolean
  /** The greatest width to which cells are padded; a longer cell is wider than its column, and is only cut on a terminal. Default: the widest cell. */
  readonly mostFilled?: number
  /** Colour of a cell. Default none. */
  readonly tone?: (row: Row) => Tone | undefined
}

/** Columns that a flexible column keeps at least. */
const leastWidth = 8
const gap = '  '

/** Lines of a table: a head, then one line for each row. Without rows there is only the head. */
export function tableLines<Row>(terminal: Terminal, columns: readonly Column<Row>[], rows: readonly Row[]): string[] {
  const cells = rows.map((row) => columns.map((column) => visibleText(column.cell(row))))
  const widths = columns.map((column, index) =>
    Math.min(
      column.mostFilled ?? Infinity,
      Math.max(textWidth(column.title), ...cells.map((line) => textWidth(line[index] ?? ''))),
    ),
  )
  shrink(columns, widths, terminal.columns)
  const head = columns.map((column, index) => fit(column.title, widths[index] ?? 0, column.align))
  const body = rows.map((row, rowIndex) =>
    columns.map((column, index) => {
      const text = fit(cells[rowIndex]?.[index] ?? '', widths[index] ?? 0, column.align, terminal.columns !== undefined)
      const tone = column.tone?.(row)
      return tone === undefined ? text : terminal.tone(tone, text)
    }),
  )
  return [terminal.tone('quiet', head.join(gap).trimEnd()), ...body.map((line) => line.join(gap).trimEnd())]
}

export function factLines(terminal: Terminal, facts: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...facts.map(([name]) => textWidth(name)))
  return facts.map(([name, value]) => `${terminal.tone('quiet', fit(name, width, 'left'))}${gap}${visibleText(value)}`)
}

function shrink<Row>(columns: readonly Column<Row>[], widths: number[], available: number | undefined): void {
  if (available === undefined) return
  let excess = widths.reduce((sum, width) => sum + width, 0) + gap.length * (columns.length - 1) - available
  while (excess > 0) {
    let widest = -1
    for (const [index, column] of columns.entries()) {
      const isWider = (widths[index] ?? 0) > (widths[widest] ?? leastWidth)
      if (column.isFlexible === true && isWider) widest = index
    }
    if (widest < 0) return
    widths[widest] = (widths[widest] ?? 0) - 1
    excess -= 1
  }
}

function fit(text: string, width: number, align: 'left' | 'right' | undefined, isCut = true): string {
  const cut = isCut ? cutToColumns(text, width) : text
  const padding = ' '.repeat(Math.max(0, width - textWidth(cut)))
  return align === 'right' ? padding + cut : cut + padding
}
