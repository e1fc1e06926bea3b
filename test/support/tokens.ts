// Counts tokens as models do, and reads what of a response is not marked as data.

import * as gpt4 from 'gpt-tokenizer/encoding/cl100k_base'
import * as gpt5 from 'gpt-tokenizer/encoding/o200k_base'

/** What the tokenizers of GPT-4 and GPT-5 count, the larger number. */
export function tokensOf(text: string): number {
  const asText = { disallowedSpecial: new Set<string>() }
  return Math.max(gpt4.encode(text, asText).length, gpt5.encode(text, asText).length)
}

/** What is neither in a fence nor in a code span, as CommonMark reads them. */
export function outsideOfCode(markdown: string): string {
  const outside: string[] = []
  let fence = ''
  for (const line of markdown.split('\n')) {
    const ticks = /^ {0,3}(`{3,})([^`]*)$/.exec(line)
    if (fence !== '') {
      if (ticks?.[2]?.trim() === '' && (ticks[1]?.length ?? 0) >= fence.length) fence = ''
    } else if (ticks !== null) fence = ticks[1] ?? ''
    else outside.push(line)
  }
  if (fence !== '') throw new Error('A fence is not closed')
  return outside.join('\n').replace(/(?<!`)(`+)(?!`)(?:[^\n]*?[^`\n])\1(?!`)/g, '‹code›')
}
