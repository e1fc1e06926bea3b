// Renders highlighted source: a line marked, the word at its column underlined, and a note below that line.

import { escapeAttribute, escapeText, html, SafeHtml } from '../../base/html/html.ts'
import { Drawn } from '../drawn.ts'
import { shortLine } from '../source-excerpt.ts'
import type { SourceExcerpt, SourceToken } from '../flattened-error.ts'

interface SourceListOptions {
  /** The line to mark, from 1. */
  readonly line: number
  /** The column to underline, from 1; 0 underlines nothing. */
  readonly column: number
  /** Further lines to mark. Default: none. */
  readonly alsoMarked?: readonly number[]
  /** Shown in the source, below the marked line. Default: nothing. */
  readonly note?: SafeHtml | null
  /** Lines before and after the marked line. Default: the whole excerpt. */
  readonly radius?: number
  /** Whether source is highlighted. Default `true`. */
  readonly isHighlighted?: boolean
}

type LineTokens = readonly SourceToken[]

/** An ordered list whose numbers are line numbers; a note splits it in two. */
export function sourceList(
  excerpt: SourceExcerpt,
  options: SourceListOptions,
  drawn: Drawn<SafeHtml> = new Drawn(),
): SafeHtml {
  const { line: marked, column, radius = Infinity, isHighlighted = true, alsoMarked = [], note = null } = options
  const first = Math.max(excerpt.startLine, marked - radius)
  const last = Math.min(excerpt.startLine + excerpt.lines.length - 1, marked + radius)
  const end = note === null || marked > last ? last : marked
  const way = `${marked}:${column}:${radius}:${isHighlighted}:${alsoMarked.join()}`
  const list = (from: number, to: number): SafeHtml =>
    drawn.piece(excerpt, `${way}:${from}-${to}`, () => {
      const items = itemsOf(excerpt, options, first, last).slice(from - first, to + 1 - first)
      // Concatenated by hand, because an excerpt has hundreds of tokens.
      return html`<ol class="source" start="${from}">
        ${new SafeHtml(items.join(''))}
      </ol>`
    })
  if (end === last) return note === null ? list(first, last) : html`${list(first, last)}${note}`
  return html`${list(first, end)}${note}${list(end + 1, last)}`
}

function itemsOf(
  excerpt: SourceExcerpt,
  { line: marked, column, isHighlighted = true, alsoMarked = [] }: SourceListOptions,
  first: number,
  last: number,
): readonly string[] {
  const lines: LineTokens[] = []
  let indent = Infinity
  for (let line = first; line <= last; line += 1) {
    const tokens = excerpt.lines[line - excerpt.startLine] ?? []
    indent = Math.min(indent, indentOf(tokens))
    lines.push(line === marked ? markWord(tokens, column - 1) : tokens)
  }
  return lines.map((tokens, index) => {
    const written = lineMarkup(tokens, indent, isHighlighted)
    const isMarked = first + index === marked || alsoMarked.includes(first + index)
    return `${isMarked ? '<li class="at">' : '<li>'}${written}</li>`
  })
}

/** A line without the `indent` characters at its start. */
export function lineMarkup(tokens: LineTokens, indent: number, isHighlighted = true): string {
  return shortLine(tokens)
    .map((token, at) => tokenMarkup(token, at === 0 ? indent : 0, isHighlighted))
    .join('')
}

// Leaves out the indentation that all lines share, to save room on a phone. Blank lines do not count.
function indentOf(tokens: LineTokens): number {
  const first = tokens[0]?.[1] ?? ''
  const indent = first.length - first.trimStart().length
  return indent === first.length && tokens.every(([, text]) => text.trim() === '') ? Infinity : indent
}

const markKind = 'mark'

function tokenMarkup([kind, text]: SourceToken, skip: number, isHighlighted: boolean): string {
  const escaped = escapeText(text.slice(skip))
  if (kind === markKind) return `<mark>${escaped}</mark>`
  return !isHighlighted || kind === '' ? escaped : `<i class="t-${escapeAttribute(kind)}">${escaped}</i>`
}

const wordAt = /[\w$#]+|\S/y

// Makes the word at the column a token with its own kind.
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
