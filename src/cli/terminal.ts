// The output of a command: lines, one-line errors, colours, tables; text is made safe to print.

import { visibleLine } from '../base/markdown-text.ts'
import { styleText } from 'node:util'

/** A colour with a meaning. Used for the library's own words, never taken from data. */
export type Tone = 'good' | 'warning' | 'bad' | 'quiet' | 'strong'

interface OutputStream {
  write(text: string): unknown
  readonly isTTY?: boolean
  readonly columns?: number
}

interface TerminalOptions {
  readonly stdout: OutputStream
  readonly stderr: OutputStream
  /** `NO_COLOR` (not empty) turns colours off, `COLUMNS` gives a width if the stream has none. */
  readonly env: Readonly<Record<string, string | undefined>>
}

export class Terminal {
  /** Columns of the terminal, or `undefined` if nobody looks (a pipe, a file): then nothing is cut. */
  readonly columns: number | undefined
  readonly #stdout: OutputStream
  readonly #stderr: OutputStream
  readonly #hasColours: boolean

  constructor(options: TerminalOptions) {
    this.#stdout = options.stdout
    this.#stderr = options.stderr
    const isTty = options.stdout.isTTY === true
    this.#hasColours = isTty && (options.env['NO_COLOR'] ?? '') === '' && options.env['TERM'] !== 'dumb'
    this.columns = isTty ? columnsOf(options) : undefined
  }

  /** Writes lines as they are: their data must have gone through `visibleLine`. */
  lines(lines: readonly string[]): void {
    this.#stdout.write(lines.map((line) => `${line}\n`).join(''))
  }

  /** Writes one JSON document; `indent` 0 keeps it on a line. What a terminal would obey is escaped in strings, also where JSON leaves it alone. */
  json(value: unknown, indent = 2): void {
    this.#stdout.write(`${JSON.stringify(value, null, indent).replace(unsafe, jsonEscape)}\n`)
  }

  /** Writes Markdown, whose data need not be safe yet. */
  markdown(text: string): void {
    this.lines(text.trimEnd().split('\n').map(visibleLine))
  }

  /** Writes one line to standard error: `fanlight: …`. */
  error(message: string): void {
    this.#stderr.write(`fanlight: ${visibleLine(message)}\n`)
  }

  /** Writes lines to standard error as they are. */
  report(text: string): void {
    this.#stderr.write(text)
  }

  /** Whether standard error shows colours and links. */
  get hasColourfulErrors(): boolean {
    return this.#hasColours && this.#stderr.isTTY === true
  }

  tone(tone: Tone, text: string): string {
    return this.#hasColours ? styleText(formats[tone], text, { validateStream: false }) : text
  }
}

const formats = { good: 'green', warning: 'yellow', bad: 'red', quiet: 'dim', strong: 'bold' } as const

function columnsOf(options: TerminalOptions): number {
  const named = Number(options.env['COLUMNS'])
  return options.stdout.columns ?? (Number.isSafeInteger(named) && named > 0 ? named : 80)
}

// C0 and C1 controls, DEL, line and paragraph separators, marks and overrides of the writing direction, lone surrogates.
const unsafe = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]/gu

function jsonEscape(character: string): string {
  // Between members; in strings JSON escapes it.
  if (character === '\n') return character
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

const wide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/u
const zeroWidth = /^[\p{Mn}\p{Me}\p{Cf}]+$/u
const segments = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Columns that a text takes on a terminal: two for wide letters and emoji, none for combining marks. */
export function textWidth(text: string): number {
  // Printable ASCII is what nearly every cell holds.
  if (/^[ -~]*$/.test(text)) return text.length
  let width = 0
  for (const { segment } of segments.segment(text)) width += segmentWidth(segment)
  return width
}

/** The text cut to so many columns, with `…` as the last one where something was cut. */
export function cutToColumns(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text
  let cut = ''
  let width = 0
  for (const { segment } of segments.segment(text)) {
    width += segmentWidth(segment)
    if (width > columns - 1) break
    cut += segment
  }
  return `${cut}…`
}

function segmentWidth(segment: string): number {
  if (zeroWidth.test(segment)) return 0
  return wide.test(segment) || /\p{Emoji_Presentation}/u.test(segment) ? 2 : 1
}

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

/**
 * Lines of a table: a head, then one line for each row. Without rows there is only the head. If the terminal is too narrow the flexible columns
 * give way, the widest first.
 */
export function tableLines<Row>(terminal: Terminal, columns: readonly Column<Row>[], rows: readonly Row[]): string[] {
  const cells = rows.map((row) => columns.map((column) => visibleLine(column.cell(row))))
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
  return facts.map(([name, value]) => `${terminal.tone('quiet', fit(name, width, 'left'))}${gap}${visibleLine(value)}`)
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
