// Writes text of any origin into Markdown so that it stays text: in code spans and fences that it cannot close.

import { visibleLine, visibleText } from './plain-text.ts'

/**
 * The text in a code span, on one line; the fence is longer than any run of backticks in it (CommonMark, section 6.1).
 */
export function codeSpan(text: string): string {
  const line = visibleLine(text)
  if (line.trim() === '') return '` `'
  const ticks = '`'.repeat(longestRun(line) + 1)
  const padding = line.startsWith('`') || line.endsWith('`') ? ' ' : ''
  return `${ticks}${padding}${line}${padding}${ticks}`
}

/** The text in a fenced block that it cannot end (CommonMark, section 4.5). `info` is a constant: `ts`, `text`. */
export function codeBlock(text: string, info: string): string {
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1))
  return `${fence}${info}\n${visibleText(text)}\n${fence}`
}

function longestRun(text: string): number {
  let longest = 0
  for (let start = text.indexOf('`'); start >= 0;) {
    let end = start + 1
    while (text[end] === '`') end += 1
    longest = Math.max(longest, end - start)
    start = text.indexOf('`', end)
  }
  return longest
}
