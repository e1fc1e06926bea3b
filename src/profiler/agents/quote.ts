// Recorded text in a response: visible, on one line, in a code span, and never longer than a few tokens.

import { codeSpan } from '../../errors/markdown-text.ts'
import { cutText } from '../../framework/redact/cut-text.ts'
import { countTokens } from './count-tokens.ts'

/** Characters of a text that is short enough to say nothing if it were cut further. */
const leastLength = 20
/** A fence or a span is as long as the longest row of backticks in it. */
const longTicks = /`{8,}/g

/** A code span of at most about `maxTokens` tokens. */
export function quote(text: string, maxTokens = 60): string {
  return codeSpan(shortenedTo(text, maxTokens, maxTokens * 4))
}

/** At most `maxLength` characters, and fewer if they make more than `maxTokens` tokens. */
export function shortenedTo(text: string, maxTokens: number, maxLength: number): string {
  let length = maxLength
  let cut = withoutLongTicks(cutText(text, length))
  while (length > leastLength && countTokens(codeSpan(cut)) > maxTokens) {
    length = Math.floor(length * 0.6)
    cut = withoutLongTicks(cutText(text, length))
  }
  return cut
}

function withoutLongTicks(text: string): string {
  return text.replace(longTicks, (ticks) => `\`\`\`… [${ticks.length - 3} more backticks]`)
}
