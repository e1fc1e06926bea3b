// The calls of one error as text and as Markdown. The same traces come again, and both forms tell the same calls and the same
// source: what is written of a trace is kept with it.

import type { TextPart } from '../framework/html/html.ts'
import { KeptText } from '../framework/html/script-json.ts'
import { excerptLines, leadingFrame, nearLines } from './excerpt-lines.ts'
import type { Frame } from './flattened-error.ts'
import { codeBlock, codeSpan } from './markdown-text.ts'
import { hasUnseen, visibleLine, visibleText } from './plain-text.ts'
import { frameText } from './trace-lines.ts'

/** The calls as lines of text, the source of the one that says most below it. `indent` stands before each line. */
export function traceText(frames: readonly Frame[], indent: string): TextPart {
  const trace = writtenTrace(frames)
  // Traces without indentation are the most.
  if (indent !== '') return textOf(trace, indent)
  return (trace.text ??= new KeptText(textOf(trace, '')))
}

/** The source of the call that says most, and all calls, in fences. */
export function traceMarkdown(frames: readonly Frame[]): TextPart {
  const trace = writtenTrace(frames)
  return (trace.markdown ??= new KeptText(markdownOf(trace)))
}

interface WrittenTrace {
  readonly frames: readonly Frame[]
  /** One line each. */
  readonly calls: readonly string[]
  /** The call whose source is shown, and the lines of it. */
  readonly leading: Frame | undefined
  readonly source: readonly string[]
  text?: KeptText
  markdown?: KeptText
}

const writtenTraces = new WeakMap<readonly Frame[], WrittenTrace>()

function writtenTrace(frames: readonly Frame[]): WrittenTrace {
  let trace = writtenTraces.get(frames)
  if (trace !== undefined) return trace
  const leading = leadingFrame(frames)
  const source = leading === undefined ? [] : excerptLines(leading)
  trace = { frames, calls: frames.map((frame) => `at ${frameText(frame)}`), leading, source }
  writtenTraces.set(frames, trace)
  return trace
}

/** Lines of source before and after the call in plain text; Markdown has all of the excerpt. */
const textRadius = 4

function textOf({ frames, calls, leading, source }: WrittenTrace, indent: string): string {
  const start = `${indent}    `
  const visible = hasUnseen(calls.join(' ')) ? calls.map(visibleLine) : calls
  const lines: string[] = []
  for (let index = 0; index < visible.length; index += 1) {
    lines.push(`${start}${visible[index]}`)
    if (leading === undefined || frames[index] !== leading) continue
    for (const line of nearLines(leading, source, textRadius)) lines.push(`${start}  ${visibleText(line)}`)
  }
  return lines.join('\n')
}

function markdownOf({ calls, leading, source }: WrittenTrace): string {
  const written = codeBlock(calls.join('\n'), 'text')
  if (leading === undefined) return written
  const place = codeSpan(`${leading.file}:${leading.line}:${leading.column}`)
  return `${place}\n\n${codeBlock(source.join('\n'), 'ts')}\n\n${written}`
}
