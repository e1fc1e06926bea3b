// Source around a frame as lines of plain text.

import type { Frame, SourceExcerpt, SourceToken } from './flattened-error.ts'

const defaultRadius = 7

/** `> 12 | throw new Error()`, one line each, the frame's own line marked; empty without an excerpt. */
export function excerptLines(frame: Frame, radius: number = defaultRadius): readonly string[] {
  const { excerpt } = frame
  const written: string[] = []
  if (excerpt === null) return written
  const { startLine, lines } = excerpt
  const width = String(startLine + lines.length - 1).length
  const first = Math.max(startLine, frame.line - radius)
  const last = Math.min(startLine + lines.length - 1, frame.line + radius)
  for (let number = first; number <= last; number += 1) {
    const mark = number === frame.line ? '>' : ' '
    const text = lineText(lines[number - startLine] ?? [])
    written.push(`${mark} ${String(number).padStart(width)} | ${text}`.trimEnd())
  }
  const mark = changeMark(excerpt)
  if (mark !== null) written.push(`  (${mark})`)
  return written
}

/** Of all lines that `excerptLines` gives for the frame those that it gives for a smaller radius. */
export function nearLines({ excerpt, line }: Frame, lines: readonly string[], radius: number): readonly string[] {
  if (excerpt === null) return lines
  const first = Math.max(excerpt.startLine, line - defaultRadius)
  const start = Math.max(excerpt.startLine, line - radius) - first
  const end = Math.min(excerpt.startLine + excerpt.lines.length - 1, line + radius) - first + 1
  const near = lines.slice(start, Math.max(start, end))
  return excerpt.changedSince === undefined ? near : [...near, ...lines.slice(-1)]
}

/** A line of source without its colours. */
export function lineText(tokens: readonly SourceToken[]): string {
  let text = ''
  for (let index = 0; index < tokens.length; index += 1) text += tokens[index]?.[1] ?? ''
  return text
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
