// Draws some lines of highlighted source with the line in question marked, and the word at its column underlined.

import { html } from '../html/html.ts'
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
  const lines: SafeHtml[] = []
  for (let number = first; number <= last; number++) {
    const tokens = excerpt.lines[number - excerpt.startLine] ?? []
    lines.push(number === options.line ? lineInQuestion(tokens, options) : ordinaryLine(tokens, options))
  }
  return html`<ol class="source" start="${first}">
    ${lines}
  </ol>`
}

function ordinaryLine(tokens: readonly SourceToken[], options: SourceListOptions): SafeHtml {
  return html`<li>${drawTokens(shorten(tokens), options)}</li>`
}

function lineInQuestion(tokens: readonly SourceToken[], options: SourceListOptions): SafeHtml {
  return html`<li class="at">${drawTokens(markWord(shorten(tokens), options.column - 1), options)}</li>`
}

function drawTokens(tokens: readonly SourceToken[], options: SourceListOptions): SafeHtml[] {
  return tokens.map(([kind, text]) => {
    if (kind === markKind) return html`<mark>${text}</mark>`
    if (options.isHighlighted === false || kind === '' || kind === 'oper') return html`${text}`
    return html`<i class="t-${kind}">${text}</i>`
  })
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
