// What may be shown of a statement: the text with every literal value taken out. Two statements of one shape differ in
// nothing but values.

/** A statement without its values. */
export interface StatementText {
  /** For people: `SELECT * FROM prices WHERE code = ?`. */
  readonly text: string
  /** The same on one line, lists of values shortened: equal for statements that differ in values only. */
  readonly shape: string
}

/** How a database system writes its literals. */
export type Dialect = 'sql' | 'mysql' | 'postgresql'

/** Characters of a statement that are read. */
const maxRead = 8192
/** Characters of a statement that are kept. */
const maxText = 4096

/** SQL without its literals and comments. Never throws; of the text, 8192 characters are read. */
export function sqlText(sql: string, dialect: Dialect): StatementText {
  const texts = known[dialect]
  const text = texts.get(sql)
  if (text !== undefined) return text
  const { made, holdsValue } = maskSql(sql, dialect)
  if (!holdsValue && sql.length <= maxKnownLength) {
    if (texts.size >= maxKnown) texts.clear()
    texts.set(sql, made)
  }
  return made
}

/** Texts that are remembered for each dialect, and characters of one. */
const maxKnown = 500
const maxKnownLength = 2000
/** What applications write into their statements themselves is short: `LIMIT 10`. */
const maxOwnLiteral = 3

/** The same statements come again and again. None that held a value stays here. */
const known: Readonly<Record<Dialect, Map<string, StatementText>>> = {
  sql: new Map(),
  mysql: new Map(),
  postgresql: new Map(),
}

function maskSql(sql: string, dialect: Dialect): { readonly made: StatementText; readonly holdsValue: boolean } {
  let holdsValue = false
  const masked = sql
    .slice(0, maxRead)
    .replace(parts[dialect], (part: string) => {
      const shown = withoutValue(part, dialect)
      if (shown !== part && part.length > maxOwnLiteral) holdsValue = true
      return shown
    })
    .trim()
  const isCut = sql.length > maxRead || masked.length > maxText
  return { made: { text: isCut ? `${masked.slice(0, maxText)}…` : masked, shape: shapeOf(masked) }, holdsValue }
}

const comment = String.raw`--[^\n]*|/\*(?:[^*]|\*(?!/))*(?:\*/|$)`
/** An unterminated string goes to the end. */
const plainString = String.raw`[xXbBnN]?'(?:[^']|'')*(?:'|$)`
const escapedString = String.raw`'(?:[^'\\]|\\[^]|'')*(?:'|\\?$)`
const quotedName = String.raw`"(?:[^"]|"")*(?:"|$)`
const escapedText = String.raw`"(?:[^"\\]|\\[^]|"")*(?:"|\\?$)`
const dollarString = String.raw`\$(?<tag>(?:[A-Za-z_]\w*)?)\$[^]*?(?:\$\k<tag>\$|$)`
/** Parameters and names are matched so that their digits are not taken for numbers. */
const words = String.raw`[$?:@]\w+|[A-Za-z_]\w*`
const numbers = String.raw`0[xX][\dA-Fa-f]+|\d+(?:\.\d*)?(?:[eE][+-]?\d+)?`

const parts: Readonly<Record<Dialect, RegExp>> = {
  sql: anyOf(plainString, quotedName, comment, words, numbers),
  mysql: anyOf(`[xXbBnN]?${escapedString}`, escapedText, '`[^`]*(?:`|$)', `#[^\\n]*|${comment}`, words, numbers),
  postgresql: anyOf(`[eE]${escapedString}`, plainString, quotedName, dollarString, comment, words, numbers),
}

function anyOf(...sources: readonly string[]): RegExp {
  return new RegExp(sources.join('|'), 'g')
}

function withoutValue(part: string, dialect: Dialect): string {
  if (part.startsWith('--') || part.startsWith('/*') || part.startsWith('#')) return ' '
  if (part.startsWith('"')) return dialect === 'mysql' ? '?' : part
  return /^(?:\d|[A-Za-z]?'|\$(?:[A-Za-z_]\w*)?\$)/.test(part) ? '?' : part
}

function shapeOf(masked: string): string {
  return masked
    .replace(/\s+/g, ' ')
    .replace(/[$:@?]\w+/g, '?')
    .replace(/\(\s?\?(?:\s?,\s?\?)*\s?\)/g, '(?)')
    .replace(/\(\?\)(?:\s?,\s?\(\?\))+/g, '(?)')
}
