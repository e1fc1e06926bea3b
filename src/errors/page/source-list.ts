// Renders highlighted source: a line marked, the word at its column underlined, and a note below that line.

import { escapeAttribute, escapeText } from '../../base/html/escape.ts'
import { html, SafeHtml } from '../../base/html/html.ts'
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
export function sourceList(excerpt: SourceExcerpt, options: SourceListOptions): SafeHtml {
  const { line: marked, radius = Infinity, isHighlighted = true, alsoMarked = [], note = null } = options
  const first = Math.max(excerpt.startLine, marked - radius)
  const last = Math.min(excerpt.startLine + excerpt.lines.length - 1, marked + radius)
  const lines: LineTokens[] = []
  let indent = Infinity
  for (let line = first; line <= last; line += 1) {
    const tokens = excerpt.lines[line - excerpt.startLine] ?? []
    indent = Math.min(indent, indentOf(tokens))
    lines.push(line === marked ? markWord(tokens, options.column - 1) : tokens)
  }
  const items = lines.map((tokens, index) => {
    const written = shortLine(tokens)
      .map((token, at) => tokenMarkup(token, at === 0 ? indent : 0, isHighlighted))
      .join('')
    const isMarked = first + index === marked || alsoMarked.includes(first + index)
    return `${isMarked ? '<li class="at">' : '<li>'}${written}</li>`
  })
  const end = note === null || marked > last ? items.length : marked + 1 - first
  return html`${numbered(first, items.slice(0, end))}${note}${end < items.length ? numbered(first + end, items.slice(end)) : null}`
}

// Concatenated by hand, because an excerpt has hundreds of tokens.
function numbered(start: number, items: readonly string[]): SafeHtml {
  return html`<ol class="source" start="${start}">
    ${new SafeHtml(items.join(''))}
  </ol>`
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
  // Operators are plain: there are many of them, and a colour would not help.
  const isPlain = !isHighlighted || kind === '' || kind === 'oper'
  return isPlain ? escaped : `<i class="t-${escapeAttribute(kind)}">${escaped}</i>`
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
