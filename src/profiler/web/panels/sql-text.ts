// SQL for people: on several lines and coloured. The text holds no values, but it may be anything.

import { createRequire } from 'node:module'
import type { format } from '@sqltools/formatter'
import sql from '@speed-highlight/core/languages/sql.js'
import { tokenizeWith, type ShjLanguageData } from '@speed-highlight/core/tokenize'
import { html, type SafeHtml } from '../../../framework/html/html.ts'

/** Shorter texts stay on one line. */
const oneLine = 60
/** Longer and more deeply nested texts are shown as they were sent: the formatter indents them without a limit. */
const maxFormatted = 3000
const maxDepth = 12
const maxCases = 12

/** The text with marks for keywords, names of functions and operators. Text that is not SQL (a command of Redis) is shown as it is. */
export function sqlText(text: string, system: string): SafeHtml {
  if (system === 'redis' || system === 'mongodb') return html`${text}`
  try {
    return coloured(formatted(text))
  } catch {
    return html`${text}`
  }
}

/** Loaded with the first query that needs it. */
function formatted(text: string): string {
  if (text.length <= oneLine || text.length > maxFormatted || isDeep(text)) return text
  const formatter = createRequire(import.meta.url)('@sqltools/formatter') as { readonly format: typeof format }
  return formatter.format(text)
}

function isDeep(text: string): boolean {
  let depth = 0
  for (const character of text) {
    if (character === '(') depth += 1
    else if (character === ')') depth -= 1
    if (depth > maxDepth || depth < 0) return true
  }
  return depth !== 0 || (text.match(/\bcase\b/gi)?.length ?? 0) > maxCases
}

const languages: Readonly<Record<string, ShjLanguageData>> = { sql: sql as ShjLanguageData }

function coloured(text: string): SafeHtml {
  const parts: SafeHtml[] = []
  tokenizeWith(
    text,
    sql as ShjLanguageData,
    (part, type) => {
      parts.push(type === undefined ? html`${part}` : html`<i class="t-${type}">${part}</i>`)
    },
    { languages },
  )
  return html`${parts}`
}
