// Blocks as text: Markdown, what agents read, and lines of a terminal. `quote` makes recorded text safe.

import { isoTime } from '../../base/html/components.ts'
import type { Block, Blocks, Detail, Inline, Line, Table } from './blocks.ts'
import { isList } from '../../base/members.ts'

/** A part of a text, in Markdown. */
export interface Section {
  /** In our own words. Default: no heading. */
  readonly title?: string | undefined
  /** Said in front of the list. */
  readonly text?: string | undefined
  /** Items of a list, in order of use. */
  readonly items?: readonly string[]
  /** Lines of a fence, as they were recorded. */
  readonly lines?: readonly string[]
  /** What the fence holds: `ts`. Default: text. */
  readonly language?: string
}

/** Sections as Markdown below a title of the first level. */
export function sectionTexts(blocks: Blocks, quote: (text: string) => string): readonly string[] {
  return toSections(blocks, quote).map(({ title, text, items }) =>
    [title === undefined ? '' : `## ${title}`, text ?? '', items.join('\n')].filter((one) => one !== '').join('\n\n'),
  )
}

/** A list under a title; nothing for an empty one. */
export function listSection(title: string, facts: readonly string[]): readonly Section[] {
  return facts.length === 0 ? [] : [{ title, items: facts.map((fact) => `- ${fact}`) }]
}

export function toSections(
  blocks: Blocks,
  quote: (text: string) => string,
): readonly (Section & { readonly items: readonly string[] })[] {
  const sections: { title?: string | undefined; text: string[]; items: string[] }[] = [{ text: [], items: [] }]
  for (const block of flat(blocks)) {
    if (block?.kind === 'heading') sections.push({ title: block.text, text: [], items: [] })
    const section = sections.at(-1)
    if (block === null || block.kind === 'heading' || section === undefined) continue
    if (block.kind === 'text' || block.kind === 'note' || block.kind === 'empty')
      section.text.push(lineText(block.text, quote))
    else if (block.kind === 'figures')
      section.text.push(block.rows.map(([value, label]) => `${label}: ${quote(value)}`).join(', '))
    else section.items.push(...itemsOf(block, quote))
  }
  return sections
    .filter(({ text, items }) => text.length + items.length > 0)
    .map(({ title, text, items }) => ({ title, text: text.length === 0 ? undefined : text.join(' '), items }))
}

/** One below the other. */
export function flat(blocks: Blocks): Blocks {
  return blocks.flatMap((block) => (block?.kind === 'columns' ? block.parts.flatMap(flat) : [block]))
}

/** Levels that a list is indented by at most. */
const maxLevel = 12

export function itemsOf(block: Block | null, quote: (text: string) => string): readonly string[] {
  const line = (text: Line): string => lineText(text, quote)
  switch (block?.kind) {
    case 'list':
      return block.items.map((item) => `- ${line(item)}`)
    case 'empty':
    case 'text':
    case 'note':
      return [`- ${line(block.text)}`]
    case 'facts':
      return block.rows.map(([name, value]) => `- ${line(name)}: ${line(value)}`)
    case 'table': {
      const columns = columnsOf(block)
      return block.rows.map(({ cells, depth = 0 }) => {
        const said = columns.map(({ title, isNamed, of }, index) => {
          const text = line(of(cells))
          return text === '' || !isNamed || (block.isWide === true && index === 0) ? text : `${title} ${text}`
        })
        const [name = '', ...facts] = said.filter((text) => text !== '')
        const row = block.isWide === true ? `${name}: ${facts.join(', ')}` : [name, ...facts].join(', ')
        const level = Math.min(depth, maxLevel)
        return `${'  '.repeat(level)}- ${depth > level ? `(level ${depth}) ` : ''}${row}`
      })
    }
    case 'lines':
      return block.rows.map(({ line: number, code, isSkipped, said }) => {
        const facts = [line(said), isSkipped ? 'did not run' : ''].filter((text) => text !== '')
        return `- ${[`line ${quote(String(number))}`, quote(code), ...facts].join(', ')}`
      })
    case 'card': {
      const head = [block.head, block.name].map(line).filter((text) => text !== '')
      const facts = [block.time ?? '', ...block.facts.map(line)].filter((text) => text !== '')
      return [`- ${head.join(' ')}: ${facts.join(', ')}`, ...block.blocks.flatMap((inner) => itemsOf(inner, quote))]
    }
    case 'source':
      return [`- ${block.title}: ${quote(block.text)}${block.isCut === true ? ' (cut)' : ''}`]
    case 'value':
      return [`- ${block.title ?? 'Value'}: ${quote(JSON.stringify(block.value.value))}`]
    case 'fold':
      return [
        `- ${block.title}: ${itemsOf(block.block, quote)
          .map((item) => item.trimStart().slice(2))
          .join('; ')}`,
      ]
    case 'frame':
      return itemsOf(block.source, quote)
    case 'heading':
    case 'figures':
    case 'columns':
    case undefined:
      return []
  }
}

export interface TableColumn {
  readonly title: string
  readonly isNumber: boolean
  /** Whether a cell says little without its title. */
  readonly isNamed: boolean
  readonly of: (cells: readonly Line[]) => readonly Inline[]
}

/** What a table says without a page: its cells under their heads, then their details. */
export function columnsOf({ heads, rows, isWide = false }: Table): readonly TableColumn[] {
  const columns = heads.map((head, index) => {
    const parts = (cells: readonly Line[]): readonly Inline[] => partsOf(cells[index] ?? null)
    const names = new Set(rows.flatMap(({ cells }) => parts(cells).filter(isDetail)).map(({ name }) => name))
    names.delete('')
    const details = [...names].map((title) => ({
      title,
      isNumber: false,
      isNamed: true,
      of: (cells: readonly Line[]) =>
        parts(cells).flatMap((part) => (isDetail(part) && part.name === title ? partsOf(part.detail) : [])),
    }))
    const isNumber = typeof head !== 'string'
    return {
      own: {
        title: lowered(isNumber ? head.number : head),
        isNumber,
        isNamed: isWide || isNumber,
        of: (cells: readonly Line[]) => parts(cells).filter((part) => !isDetail(part) || part.name === ''),
      },
      details,
    }
  })
  const isLane = (part: Inline): boolean => typeof part === 'object' && part !== null && 'lane' in part
  const said = columns.filter(({ own }) => !rows.some(({ cells }) => own.of(cells).some(isLane)))
  return [...said.map(({ own }) => own), ...columns.flatMap(({ details }) => details)]
}

/** `First seen (UTC)` within a sentence. */
export function lowered(title: string): string {
  return /^[A-Z][a-z]/.test(title) ? `${title.charAt(0).toLowerCase()}${title.slice(1)}` : title
}

export function partsOf(line: Line): readonly Inline[] {
  return isList(line) ? line : [line]
}

function isDetail(part: Inline): part is Detail {
  return typeof part === 'object' && part !== null && 'detail' in part
}

export function lineText(line: Line, quote: (text: string) => string): string {
  const texts = partsOf(line).map((part) => {
    if (part == null || typeof part === 'string') return part ?? ''
    if ('recorded' in part) return quote(part.recorded)
    if ('code' in part) return quote(part.code)
    if ('keys' in part) return quote(part.keys)
    if ('query' in part) return quote(part.query)
    if ('explains' in part || 'file' in part) return ''
    if ('seen' in part) return quote(part.seen)
    if ('place' in part) return quote(part.place)
    if ('profile' in part) {
      const token = part.panel === undefined || part.at !== undefined ? quote(part.profile) : ''
      const name = part.subject === undefined ? (part.text ?? '') : quote(part.subject)
      return [name, token].filter((text) => text !== '').join(' ')
    }
    if ('linked' in part)
      return quote(part.to === null || part.linked.endsWith(part.to) ? part.linked : `${part.linked} ${part.to}`)
    if ('trace' in part) return quote(part.trace)
    if ('time' in part) return isoTime(part.time)
    if ('value' in part) return quote(JSON.stringify(part.value.value))
    if ('failure' in part) return `failed: ${quote(part.failure)}`
    if ('warning' in part) return quote(part.warning)
    if ('quiet' in part) return lineText(part.quiet, quote)
    if ('detail' in part) return lineText(part.detail, quote)
    if ('page' in part) return quote(part.text)
    if ('bar' in part || 'strip' in part || 'lane' in part) return ''
    if ('fold' in part) return `${part.fold}: ${part.items.map((item) => lineText(item, quote)).join('; ')}`
    return quote('mark' in part ? part.mark : part.strong)
  })
  return texts.filter((text) => text !== '').reduce((said, text) => `${said}${gap(said, text)}${text}`, '')
}

/** Between two pieces of a line; none before a stop. */
function gap(said: string, text: string): string {
  return said === '' || text === '.' ? '' : ' '
}
