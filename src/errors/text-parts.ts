// A text in parts: what comes again with other errors stands alone in it, so that it can be recognised and need not be
// written for the page anew.

/** A text put together of parts, in their order. Those at odd places are the long ones that come again. */
export type TextParts = readonly string[]

/** Pieces with a separator between them; those that are long are parts of their own. */
export function partsOf(pieces: readonly string[], separator: string, end: string): TextParts {
  const parts: string[] = []
  let text = ''
  for (let index = 0; index < pieces.length; index += 1) {
    const piece = pieces[index] ?? ''
    if (index > 0) text += separator
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
