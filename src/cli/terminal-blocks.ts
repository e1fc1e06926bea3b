// Draws blocks as lines of a terminal.

import { visibleLine } from '../base/markdown-text.ts'
import type { Block, Blocks, Inline, Line, Table } from '../observe/blocks/blocks.ts'
import { columnsOf, flat, itemsOf, lineText, lowered } from '../observe/blocks/sections.ts'
import { factLines, tableLines, type Column, type Terminal, type Tone } from './terminal.ts'

export function printBlocks(terminal: Terminal, blocks: Blocks): void {
  terminal.lines(flat(blocks).flatMap((block) => blockLines(block, terminal)))
}

const tones = { neutral: undefined, info: undefined, success: 'good', warning: 'warning', error: 'bad' } as const

function blockLines(block: Block | null, terminal: Terminal): readonly string[] {
  switch (block?.kind) {
    case 'heading':
      return ['', terminal.tone('strong', block.text)]
    case 'empty':
      return [block.text]
    case 'text':
      return [terminal.tone('quiet', plain(block.text))]
    case 'note':
      return [terminal.tone(tones[block.tone ?? 'warning'] ?? 'quiet', plain(block.text))]
    case 'facts':
      return factLines(
        terminal,
        block.rows.map(([name, value]) => [typeof name === 'string' ? lowered(name) : plain(name), plain(value)]),
      )
    case 'list':
      return block.items.map(plain)
    case 'table':
      return tableLines(terminal, terminalColumns(block), block.rows)
    default:
      return itemsOf(block ?? null, visibleLine)
  }
}

function plain(line: Line): string {
  return visibleLine(lineText(line, (text) => text.replaceAll('\n', ' ')))
}

function terminalColumns(table: Table): readonly Column<Table['rows'][number]>[] {
  return columnsOf(table).map(({ title, isNumber, of }, index) => ({
    title,
    cell: ({ cells, depth = 0 }) => `${index === 0 ? '  '.repeat(Math.min(depth, 20)) : ''}${plain(of(cells))}`,
    align: isNumber ? 'right' : 'left',
    // Instants, tokens and ids are of no use when cut.
    isFlexible: !isNumber && table.rows.some(({ cells }) => of(cells).some(isRecorded)),
    mostFilled: 60,
    tone: ({ cells, tone = 'neutral' }) => (index === 0 ? (tones[tone] ?? 'strong') : toneOf(of(cells))),
  }))
}

function isRecorded(part: Inline): boolean {
  return typeof part === 'object' && part !== null && ('recorded' in part || 'page' in part || 'place' in part)
}

function toneOf(parts: readonly Inline[]): Tone | undefined {
  for (const part of parts)
    if (typeof part === 'object' && part !== null && 'mark' in part) return tones[part.tone ?? 'neutral']
  return undefined
}
