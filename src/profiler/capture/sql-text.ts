// SQL with every literal value removed: profiles show no values.

/** A query without its values. */
export interface QueryText {
  /** For people: `SELECT * FROM prices WHERE code = ?`. */
  readonly text: string
  /** The text on one line, lists of values shortened: equal for queries that differ only in values. */
  readonly shape: string
}

/** How a database writes literals. */
export type Dialect = 'sql' | 'mysql' | 'postgresql'

/** Characters of a query that are read. */
const maxRead = 8192
/** Characters of a query that are kept. */
const maxText = 4096

/** Removes literals and comments from SQL. Never throws; reads the first 8192 characters. */
export function sqlText(sql: string, dialect: Dialect): QueryText {
  const masked = sql
    .slice(0, maxRead)
    .replace(tokens[dialect], (token: string) => withoutValue(token, dialect))
    .trim()
  const isCut = sql.length > maxRead || masked.length > maxText
  return { text: isCut ? `${masked.slice(0, maxText)}…` : masked, shape: shapeOf(masked) }
}

const comment = String.raw`--[^\n]*|/\*(?:[^*]|\*(?!/))*(?:\*/|$)`
/** An unterminated string runs to the end. */
const plainString = String.raw`[xXbBnN]?'(?:[^']|'')*(?:'|$)`
const escapedString = String.raw`'(?:[^'\\]|\\[^]|'')*(?:'|\\?$)`
const quotedName = String.raw`"(?:[^"]|"")*(?:"|$)`
const escapedText = String.raw`"(?:[^"\\]|\\[^]|"")*(?:"|\\?$)`
const dollarString = String.raw`\$(?<tag>(?:[A-Za-z_]\w*)?)\$[^]*?(?:\$\k<tag>\$|$)`
/** Parameters and names, matched so that their digits are not taken for numbers. */
const words = String.raw`[$?:@]\w+|[A-Za-z_]\w*`
const numbers = String.raw`0[xX][\dA-Fa-f]+|\d+(?:\.\d*)?(?:[eE][+-]?\d+)?`

const tokens: Readonly<Record<Dialect, RegExp>> = {
  sql: anyOf(plainString, quotedName, comment, words, numbers),
  mysql: anyOf(`[xXbBnN]?${escapedString}`, escapedText, '`[^`]*(?:`|$)', `#[^\\n]*|${comment}`, words, numbers),
  postgresql: anyOf(`[eE]${escapedString}`, plainString, quotedName, dollarString, comment, words, numbers),
}

function anyOf(...sources: readonly string[]): RegExp {
  return new RegExp(sources.join('|'), 'g')
}

function withoutValue(token: string, dialect: Dialect): string {
  if (token.startsWith('--') || token.startsWith('/*') || token.startsWith('#')) return ' '
  if (token.startsWith('"')) return dialect === 'mysql' ? '?' : token
  return /^(?:\d|[A-Za-z]?'|\$(?:[A-Za-z_]\w*)?\$)/.test(token) ? '?' : token
}

function shapeOf(masked: string): string {
  return masked
    .replace(/\s+/g, ' ')
    .replace(/[$:@?]\w+/g, '?')
    .replace(/\(\s?\?(?:\s?,\s?\?)*\s?\)/g, '(?)')
    .replace(/\(\?\)(?:\s?,\s?\(\?\))+/g, '(?)')
}
