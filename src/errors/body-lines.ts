// The captured body of a request as lines of plain text, for the forms that are no page.

import type { CapturedBody } from '../framework/recording/captured-body.ts'

/** Its lines, at most 40; none where nothing was captured. Control characters are left to the caller. */
export function bodyLines(body: CapturedBody | undefined): string[] {
  const content = body?.content ?? null
  if (content === null) return []
  switch (content.kind) {
    case 'json':
      return cut(JSON.stringify(content.value, null, 2).split('\n'))
    case 'form':
      return cut(content.fields.map(([name, value]) => `${name}=${value}`))
    case 'text':
      return cut(content.text.slice(0, 4096).split('\n'))
    case 'binary':
      return []
  }
}

const maxLines = 40

function cut(lines: string[]): string[] {
  return lines.length <= maxLines ? lines : [...lines.slice(0, maxLines), `… ${lines.length - maxLines} more lines`]
}
