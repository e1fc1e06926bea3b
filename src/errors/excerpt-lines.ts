// Source around a frame as lines of plain text.

import type { Frame, SourceExcerpt } from './flattened-error.ts'

/** `> 12 | throw new Error()`, one line each, the frame's own line marked; empty without an excerpt. */
export function excerptLines(frame: Frame, radius = 7): readonly string[] {
  let written = writtenLines.get(frame)
  if (written === undefined) writtenLines.set(frame, (written = new Map<number, readonly string[]>()))
  const known = written.get(radius)
  if (known !== undefined) return known
  const lines = writeLines(frame, radius)
  written.set(radius, lines)
  return lines
}

/** What was written of a frame, by radius; the frames of a call that comes again are the same. */
const writtenLines = new WeakMap<Frame, Map<number, readonly string[]>>()

function writeLines(frame: Frame, radius: number): readonly string[] {
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
  const mark = changeMark(excerpt)
  return mark === null ? lines : [...lines, `  (${mark})`]
}

/** `The file has changed since it was loaded`, with what that means; `null` for a file that has not. */
export function changeMark({ changedSince }: SourceExcerpt): string | null {
  if (changedSince === undefined) return null
  const since = changedSince === 'loaded' ? 'it was loaded' : 'the process started'
  return `The file has changed since ${since}: these lines may not be those that ran.`
}

/** The frame whose source says most: the first of own code that has some, else the first that has some. */
export function leadingFrame(frames: readonly Frame[]): Frame | undefined {
  return (
    frames.find((frame) => frame.origin === 'own' && frame.excerpt !== null) ??
    frames.find((frame) => frame.excerpt !== null)
  )
}
