// Source around a frame as lines of plain text.

import type { Frame } from './flattened-error.ts'

/** `> 12 | throw new Error()`, one line each, the frame's own line marked; empty without an excerpt. */
export function excerptLines(frame: Frame, radius = 7): string[] {
  const { excerpt } = frame
  if (excerpt === null) return []
  const lines: string[] = []
  const width = String(excerpt.startLine + excerpt.lines.length - 1).length
  for (const [index, tokens] of excerpt.lines.entries()) {
    const number = excerpt.startLine + index
    if (Math.abs(number - frame.line) > radius) continue
    const text = tokens.map(([, part]) => part).join('')
    lines.push(`${number === frame.line ? '>' : ' '} ${String(number).padStart(width)} | ${text}`.trimEnd())
  }
  return lines
}

/** The frame whose source says most: the first of own code that has some, else the first that has some. */
export function leadingFrame(frames: readonly Frame[]): Frame | undefined {
  return (
    frames.find((frame) => frame.origin === 'own' && frame.excerpt !== null) ??
    frames.find((frame) => frame.excerpt !== null)
  )
}
