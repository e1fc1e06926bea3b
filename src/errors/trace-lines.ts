// Frames and source as lines of plain text.

import type { ErrorChain, Frame, FrameRepeats, SourceExcerpt, SourceToken } from './flattened-error.ts'

/** `NotFoundError: no such product`, its frames, `caused by …`; at most `maxLines` of them (default 60). */
export function traceLines(chain: ErrorChain, maxLines = 60): string[] {
  const lines: string[] = []
  for (const [index, error] of chain.errors.entries()) {
    const head = `${error.className}: ${error.message}`
    lines.push(index === 0 ? head : `caused by ${head}`)
    for (const frame of error.frames) {
      lines.push(`  at ${frameText(frame)}`)
      if (frame.repeats !== undefined) lines.push(`  (${repeatsText(frame.repeats)})`)
    }
    for (const member of error.members) lines.push(...traceLines(member, maxLines).map((line) => `  | ${line}`))
    if (lines.length >= maxLines) break
  }
  if (chain.cut !== null) lines.push(`(${chain.cut})`)
  return lines.length > maxLines ? [...lines.slice(0, maxLines), '(cut)'] : lines
}

/** `src/product.ts:3:9`; only the file if there is no line, as in Node itself. */
export function framePlace({ file, line, column }: Frame): string {
  return line === 0 ? file : `${file}:${line}:${column}`
}

/** `async show (src/product.ts:3:9)`, as V8 writes it. */
export function frameText(frame: Frame): string {
  const place = framePlace(frame)
  const named = frame.functionName === null ? place : `${frame.functionName} (${place})`
  return frame.isAsync ? `async ${named}` : named
}

/** `user = undefined, id = "7"`: the variables of a frame; nothing where none were noted. */
export function variableLines({ variables = [] }: Pick<Frame, 'variables'>): string[] {
  return variables.length === 0 ? [] : [variables.map(([name, text]) => `${name} = ${text}`).join(', ')]
}

/** `this frame repeats 48 more times in this trace`. */
export function repeatsText({ frames, times }: FrameRepeats): string {
  const count = `${times} more times in this trace`
  return frames === 1 ? `this frame repeats ${count}` : `these ${frames} frames repeat ${count}`
}

/** `> 12 | throw new Error()`, one line each; empty without an excerpt. */
export function excerptLines(frame: Frame, radius = 7): readonly string[] {
  const { excerpt } = frame
  const written: string[] = []
  if (excerpt === null) return written
  const { startLine, lines } = excerpt
  const width = String(startLine + lines.length - 1).length
  const first = Math.max(startLine, frame.line - radius)
  const last = Math.min(startLine + lines.length - 1, frame.line + radius)
  for (let number = first; number <= last; number += 1) {
    written.push(sourceLine(lines[number - startLine] ?? [], number, width, number === frame.line))
  }
  const mark = changeMark(excerpt)
  if (mark !== null) written.push(`  (${mark})`)
  return written
}

/** `> 12 | throw new Error()`; `width` is that of the numbers. */
export function sourceLine(tokens: readonly SourceToken[], number: number, width: number, isMarked: boolean): string {
  return `${isMarked ? '>' : ' '} ${String(number).padStart(width)} | ${lineText(tokens)}`.trimEnd()
}

/** A line of source without highlighting. */
export function lineText(tokens: readonly SourceToken[]): string {
  let line = ''
  for (const [, text] of tokens) line += text
  return line
}

/** `The file has changed since it was loaded` and what that means; `null` if it has not. */
export function changeMark({ changedSince }: SourceExcerpt): string | null {
  if (changedSince === undefined) return null
  const since = changedSince === 'loaded' ? 'it was loaded' : 'the process started'
  return `The file has changed since ${since}: these lines may not be those that ran.`
}

/** The most useful frame: the first with source, own code before others. */
export function leadingFrame(frames: readonly Frame[]): Frame | undefined {
  return (
    frames.find((frame) => frame.origin === 'own' && frame.excerpt !== null) ??
    frames.find((frame) => frame.excerpt !== null)
  )
}
