// A text in parts: what comes again with other errors stands alone in it, so that it need not be written for the page anew.

import type { TextPart } from '../framework/html/html.ts'

/** A text put together of parts, in their order. */
export type TextParts = readonly TextPart[]

/** Pieces with a separator between them; what comes again is a part of its own. */
export function partsOf(pieces: readonly TextPart[], separator: string, end: string): TextParts {
  const parts: TextPart[] = []
  let text = ''
  for (let index = 0; index < pieces.length; index += 1) {
    const piece = pieces[index] ?? ''
    if (index > 0) text += separator
    if (typeof piece === 'string') text += piece
    else {
      parts.push(text, piece)
      text = ''
    }
  }
  parts.push(text + end)
  return parts
}
