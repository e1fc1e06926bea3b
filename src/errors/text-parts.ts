// A text in parts: what comes again with other errors stands alone in it, so that it can be recognised and need not be
// written for the page anew.

/** A text put together of parts, in their order. */
export type TextParts = readonly string[]

/** Pieces with a separator between them; those that are long are parts of their own. */
export function partsOf(pieces: Iterable<string>, separator: string, end: string): TextParts {
  const parts: string[] = []
  let text = ''
  let isFirst = true
  for (const piece of pieces) {
    if (!isFirst) text += separator
    isFirst = false
    if (piece.length < longPart) text += piece
    else {
      parts.push(text, piece)
      text = ''
    }
  }
  parts.push(text + end)
  return parts
}

const longPart = 300
