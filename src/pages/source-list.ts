// Draws some lines of highlighted source with the line in question marked, and the word at its column underlined.

import { html } from '../html/html.ts'
import type { SafeHtml } from '../html/html.ts'
import { lineItems, textRuns } from '../html/text-runs.ts'
import type { SourceExcerpt, SourceToken } from '../errors/flattened-error.ts'
import { cutText } from './page-budget.ts'

/** Which part of an excerpt to draw, and how. */
export interface SourceListOptions {
  /** Line in question, from 1. */
  readonly line: number
  /** Column in question, from 1. */
  readonly column: number
  /** Lines before and after the line in question. Default: all of the excerpt. */
  readonly radius?: number
  /** Whether token kinds are drawn. Default `true`. */
  readonly isHighlighted?: boolean
  /** What was drawn of lines before: those of near calls are the same. Default: nothing. */
  readonly drawn?: DrawnLines
}

type LineTokens = readonly SourceToken[]

/** Lines of source as they were drawn. Made for one page. */
export type DrawnLines = Map<LineTokens, DrawnLine>

interface DrawnLine {
  /** How much of it was left out. */
  readonly indent: number
  readonly markup: SafeHtml
}

const maxLineLength = 400

/** The lines as an ordered list whose numbers are line numbers. */
export function sourceList(excerpt: SourceExcerpt, options: SourceListOptions): SafeHtml {
  const { line: marked, radius = Infinity, isHighlighted = true, drawn = new Map<LineTokens, DrawnLine>() } = options
  const first = Math.max(excerpt.startLine, marked - radius)
  const last = Math.min(excerpt.startLine + excerpt.lines.length - 1, marked + radius)
  const shown = excerpt.lines.slice(Math.max(0, first - excerpt.startLine), Math.max(0, last - excerpt.startLine + 1))
  let indent = Infinity
  for (const tokens of shown) indent = Math.min(indent, indentOf(tokens))
  const lines: SafeHtml[] = []
  for (const tokens of shown) {
    if (first + lines.length === marked) {
      lines.push(drawLine(markWord(tokens, options.column - 1), indent, isHighlighted))
      continue
    }
    let line = isHighlighted ? drawn.get(tokens) : undefined
    if (line?.indent !== indent) {
      line = { indent, markup: drawLine(tokens, indent, isHighlighted) }
      if (isHighlighted) drawn.set(tokens, line)
    }
    lines.push(line.markup)
  }
  return html`<ol class="source" start="${first}">
    ${lineItems(lines, marked - first)}
  </ol>`
}

// The indentation that all lines share is left out: it says nothing, and room is short on a phone. Blank lines have any.
function indentOf(tokens: LineTokens): number {
  const first = tokens[0]?.[1] ?? ''
  const indent = first.length - first.trimStart().length
  return indent === first.length && tokens.every(([, text]) => text.trim() === '') ? Infinity : indent
}

function withoutIndent(tokens: LineTokens, indent: number): LineTokens {
  const first = tokens[0]
  if (first === undefined || indent === 0) return tokens
  const shown = tokens.slice()
  shown[0] = [first[0], first[1].slice(indent)]
  return shown
}

function drawLine(tokens: LineTokens, indent: number, isHighlighted: boolean): SafeHtml {
  return textRuns(shorten(withoutIndent(tokens, indent)), isHighlighted ? classOf : plainClassOf)
}

// Operators are drawn plain: they are many, and a colour of their own would say nothing.
function classOf(kind: string): string {
  let name = classNames.get(kind)
  if (name === undefined) classNames.set(kind, (name = `t-${kind}`))
  return name
}

function plainClassOf(kind: string): string {
  return kind === markKind ? markKind : ''
}

const markKind = 'mark'

/** The kinds of the highlighter are few. */
const classNames = new Map([
  ['', ''],
  ['oper', ''],
  [markKind, markKind],
])

const wordAt = /[\w$#]+|\S/y

// A token kind of its own for the word at the column, cut out of whatever token holds it.
function markWord(tokens: LineTokens, offset: number): LineTokens {
  let start = 0
  for (let index = 0; index < tokens.length; index += 1) {
    const text = tokens[index]?.[1] ?? ''
    if (offset >= start && offset < start + text.length) {
      const kind = tokens[index]?.[0] ?? ''
      const at = offset - start
      wordAt.lastIndex = at
      const word = wordAt.exec(text)?.[0]
      if (word === undefined) return tokens
      const marked = tokens.slice(0, index)
      if (at > 0) marked.push([kind, text.slice(0, at)])
      marked.push([markKind, word])
      if (at + word.length < text.length) marked.push([kind, text.slice(at + word.length)])
      return [...marked, ...tokens.slice(index + 1)]
    }
    start += text.length
  }
  return tokens
}

function shorten(tokens: LineTokens): LineTokens {
  let length = 0
  for (let index = 0; index < tokens.length; index += 1) {
    const text = tokens[index]?.[1] ?? ''
    length += text.length
    if (length > maxLineLength) {
      const kind = tokens[index]?.[0] ?? ''
      return [...tokens.slice(0, index), [kind, cutText(text, text.length - (length - maxLineLength))]]
    }
  }
  return tokens
}
