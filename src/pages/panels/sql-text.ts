// SQL for people: on several lines and coloured. The text holds no values, but it may be anything.

import { createRequire } from 'node:module'
import type { format } from '@sqltools/formatter'
import sql from '@speed-highlight/core/languages/sql.js'
import { tokenizeWith, type ShjLanguageData } from '@speed-highlight/core/tokenize'
import { shortened } from '../../profiles/profile-facts.ts'
import { html, type SafeHtml } from '../../base/html/html.ts'

/** Characters of a text on one line. */
const maxLine = 160
/** Shorter texts stay on one line. */
const oneLine = 60
/** Longer and more deeply nested texts are shown as they were sent: the formatter indents them without a limit. */
const maxFormatted = 3000
const maxDepth = 12
const maxCases = 12

/** The text with marks for keywords, names of functions and operators. Text that is not SQL (a command of Redis) is shown as it is. */
export function sqlText(text: string, system: string): SafeHtml {
  return drawn(text, system, (whole) => coloured(formatted(whole)))
}

/** The same on one line, cut. */
export function sqlLine(text: string, system: string): SafeHtml {
  return drawn(shortened(text.replaceAll(/\s+/g, ' '), maxLine), system, keywords)
}

function drawn(text: string, system: string, draw: (text: string) => SafeHtml): SafeHtml {
  if (system === 'redis' || system === 'mongodb') return html`${text}`
  try {
    return draw(text)
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
  return marked(text, (part, type) => (type === undefined ? html`${part}` : html`<i class="t-${type}">${part}</i>`))
}

/** Only these, in few bytes: a page has many lines. */
function keywords(text: string): SafeHtml {
  return marked(text, (part, type) => (type === 'kwd' ? html`<b>${part}</b>` : html`${part}`))
}

function marked(text: string, mark: (part: string, type: string | undefined) => SafeHtml): SafeHtml {
  const parts: SafeHtml[] = []
  tokenizeWith(text, sql as ShjLanguageData, (part, type) => parts.push(mark(part, type)), { languages })
  return html`${parts}`
}
