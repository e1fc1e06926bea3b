// Cuts a highlighted line that is too long.

import type { SourceToken } from './flattened-error.ts'

const maxLineChars = 400
/** A cut must save more than its mark needs; a line that is cut is not cut again. */
const worthCutting = 40

/** The beginning of the line, and how much is missing: `… [12000 more characters]`. */
export function shortLine(tokens: readonly SourceToken[]): SourceToken[] {
  const length = tokens.reduce((sum, [, text]) => sum + text.length, 0)
  if (length <= maxLineChars + worthCutting) return [...tokens]
  const kept: SourceToken[] = []
  let room = maxLineChars
  for (const [kind, text] of tokens) {
    if (room <= 0) break
    kept.push([kind, text.slice(0, room).toWellFormed()])
    room -= text.length
  }
  return [...kept, ['', `… [${length - maxLineChars} more characters]`]]
}
