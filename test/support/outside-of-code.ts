// Reads what of a response is not marked as data.

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
