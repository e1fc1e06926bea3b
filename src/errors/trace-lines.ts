// The calls of a chain as lines of text, for the log of an operator who has no page.

import type { ErrorChain, Frame } from './flattened-error.ts'

/** `NotFoundError: no such product`, its calls, `caused by …`; at most `maxLines` of them (default 60). */
export function traceLines(chain: ErrorChain, maxLines = 60): string[] {
  const lines: string[] = []
  for (const [index, error] of chain.errors.entries()) {
    const head = `${error.className}: ${error.message}`
    lines.push(index === 0 ? head : `caused by ${head}`)
    for (const frame of error.frames) lines.push(`  at ${frameText(frame)}`)
    for (const member of error.members) lines.push(...traceLines(member, maxLines).map((line) => `  | ${line}`))
    if (lines.length >= maxLines) break
  }
  if (chain.cut !== null) lines.push(`(${chain.cut})`)
  return lines.length > maxLines ? [...lines.slice(0, maxLines), '(cut)'] : lines
}

/** `async show (src/product.ts:3:9)`, as V8 writes it. */
export function frameText(frame: Frame): string {
  const place = frame.line === 0 ? frame.file : `${frame.file}:${frame.line}:${frame.column}`
  const call = frame.functionName === null ? place : `${frame.functionName} (${place})`
  return frame.isAsync ? `async ${call}` : call
}
