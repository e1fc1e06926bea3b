// Draws some lines of highlighted source with the line in question marked, and the word at its column underlined.

import { html, textRuns } from '../html/html.ts'
import type { SafeHtml } from '../html/html.ts'
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
}

const maxLineLength = 400

/** The lines as an ordered list whose numbers are line numbers. */
export function sourceList(excerpt: SourceExcerpt, options: SourceListOptions): SafeHtml {
  const radius = options.radius ?? Infinity
  const first = Math.max(excerpt.startLine, options.line - radius)
  const last = Math.min(excerpt.startLine + excerpt.lines.length - 1, options.line + radius)
  const shown = excerpt.lines.slice(Math.max(0, first - excerpt.startLine), Math.max(0, last - excerpt.startLine + 1))
  const indent = Math.min(...shown.filter(hasText).map(indentOf))
  const lines = shown.map((line, index) => {
    const isInQuestion = first + index === options.line
    const tokens = shorten(withoutIndent(isInQuestion ? markWord(line, options.column - 1) : line, indent))
    return isInQuestion
      ? html`<li class="at">${drawTokens(tokens, options)}</li>`
      : html`<li>${drawTokens(tokens, options)}</li>`
  })
  return html`<ol class="source" start="${first}">
    ${lines}
  </ol>`
}

function hasText(tokens: readonly SourceToken[]): boolean {
  return tokens.some(([, text]) => text.trim() !== '')
}

// The indentation that all lines share is left out: it says nothing, and room is short on a phone.
function indentOf(tokens: readonly SourceToken[]): number {
  const first = tokens[0]?.[1] ?? ''
  return first.length - first.trimStart().length
}

function withoutIndent(tokens: readonly SourceToken[], indent: number): readonly SourceToken[] {
  const [first, ...rest] = tokens
  return first === undefined || indent === 0 ? tokens : [[first[0], first[1].slice(indent)], ...rest]
}

function drawTokens(tokens: readonly SourceToken[], options: SourceListOptions): SafeHtml {
  return textRuns(
    tokens.map(([kind, text]) => {
      if (kind === markKind) return [kind, text]
      const isPlain = options.isHighlighted === false || kind === '' || kind === 'oper'
      return [isPlain ? '' : `t-${kind}`, text]
    }),
  )
}

const markKind = 'mark'

// A token kind of its own for the word at the column, cut out of whatever token holds it.
function markWord(tokens: readonly SourceToken[], offset: number): readonly SourceToken[] {
  let start = 0
  for (const [index, [kind, text]] of tokens.entries()) {
    if (offset >= start && offset < start + text.length) {
      const at = offset - start
      const word = /^(?:[\w$#]+|\S)/.exec(text.slice(at))?.[0]
      if (word === undefined) return tokens
      const pieces: SourceToken[] = [
        [kind, text.slice(0, at)],
        [markKind, word],
        [kind, text.slice(at + word.length)],
      ]
      return [...tokens.slice(0, index), ...pieces.filter((piece) => piece[1] !== ''), ...tokens.slice(index + 1)]
    }
    start += text.length
  }
  return tokens
}

function shorten(tokens: readonly SourceToken[]): readonly SourceToken[] {
  let length = 0
  for (const [index, [kind, text]] of tokens.entries()) {
    length += text.length
    if (length > maxLineLength) {
      return [...tokens.slice(0, index), [kind, cutText(text, text.length - (length - maxLineLength))]]
    }
  }
  return tokens
}
