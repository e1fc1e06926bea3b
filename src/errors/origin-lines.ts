// Origins of values and candidates for a change as lines of plain text.

import { sourceLine } from './trace-lines.ts'
import type { ChangeCandidate, OriginSource, ValueOrigin } from './value-origin.ts'

/** `src/config.ts:3 – reads HOST, which is not set`. */
export function candidateLine({ file, line, why }: ChangeCandidate): string {
  return `${file}:${line} – ${why}`
}

/** `host, used at src/client.ts:9: HOST is not set; HOSTNAME is (src/config.ts:3)`. */
export function originHead({ name, usedAt, note, source }: ValueOrigin): string {
  const place = source === null ? '' : ` (${source.file}:${source.line})`
  return `${name}, used at ${usedAt}: ${note}${place}`
}

/** `> 31 | return undefined`, one line each; `…` where lines are folded. */
export function originSourceLines({ parts, marked }: OriginSource): string[] {
  const last = parts.at(-1)
  const width = String((last?.startLine ?? 0) + (last?.lines.length ?? 0)).length
  return parts.flatMap(({ startLine, lines }, index) => [
    ...(index === 0 ? [] : ['  …']),
    ...lines.map((tokens, offset) =>
      sourceLine(tokens, startLine + offset, width, marked.includes(startLine + offset)),
    ),
  ])
}
