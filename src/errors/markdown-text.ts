// Writes text of any origin into Markdown so that it stays text: in code spans and fences that it cannot close.

import { visibleLine, visibleText } from './plain-text.ts'

/**
 * The text in a code span, on one line; the fence is longer than any run of backticks in it (CommonMark, section 6.1).
 */
export function codeSpan(text: string): string {
  const line = visibleLine(text)
  if (line.trim() === '') return '` `'
  const ticks = '`'.repeat(longestRun(line, '`') + 1)
  const padding = line.startsWith('`') || line.endsWith('`') ? ' ' : ''
  return `${ticks}${padding}${line}${padding}${ticks}`
}

/** The text in a fenced block that it cannot end (CommonMark, section 4.5). `info` is a constant: `ts`, `text`. */
export function codeBlock(text: string, info: string): string {
  const fence = '`'.repeat(Math.max(3, longestRun(text, '`') + 1))
  return `${fence}${info}\n${visibleText(text)}\n${fence}`
}

function longestRun(text: string, character: string): number {
  let longest = 0
  let run = 0
  for (let index = 0; index < text.length; index += 1) {
    run = text[index] === character ? run + 1 : 0
    longest = Math.max(longest, run)
  }
  return longest
}
