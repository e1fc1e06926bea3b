// Recorded text in a response: visible, on one line, in a code span, and never longer than a few bytes.

import { codeSpan, visibleText } from '../../errors/markdown-text.ts'
import { cutText } from '../../framework/redact/cut-text.ts'

/** Characters of a text that is short enough to say nothing if it were cut further. */
const leastLength = 20
/** A fence or a span is as long as the longest row of backticks in it. */
const longTicks = /`{8,}/g

/** A code span of at most about `maxBytes`. */
export function quote(text: string, maxBytes = 240): string {
  return codeSpan(shortenedTo(text, maxBytes))
}

/** Fewer characters where they are written out or take several bytes each. */
export function shortenedTo(text: string, maxBytes: number): string {
  let length = Math.max(leastLength, Math.floor(maxBytes))
  let cut = withoutLongTicks(cutText(text, length))
  while (length > leastLength && Buffer.byteLength(visibleText(cut)) > maxBytes) {
    length = Math.floor(length * 0.6)
    cut = withoutLongTicks(cutText(text, length))
  }
  return cut
}

function withoutLongTicks(text: string): string {
  return text.replace(longTicks, (ticks) => `\`\`\`… [${ticks.length - 3} more backticks]`)
}
