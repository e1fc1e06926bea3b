// Tells values from names in SQL: columns, placeholders and keywords of a comparison are no secrets, literals are.

import { mask } from './rules.ts'

/** `?`, `?1` and `$1`, with a cast: no secret in any text. */
const placeholder = /^(?:\?\d{0,3}|\$\d{1,3})(?:::\w{1,30})?$/
/** `:name`, `@name`, `$name`, and words that are not literals. */
const named = /^(?:[:@$][A-Za-z_]\w{0,60}|null|true|false|default|excluded|any|all|current_\w{4,9})$/i
/** `o.id`, `public.orders.id`: names without the digits of a random text. */
const column = /^(?:[A-Za-z_]{1,40}\d{0,2}\.){1,3}[A-Za-z_]{1,40}\d{0,2}$/
/** `lower(`, in front of a value. */
const call = /^(?:[A-Za-z_]\w{0,40})?\(\s{0,4}/
/** What stands in front of the left side of a comparison or an assignment. */
const before =
  /(?:(?:^|[\s(])(?:on|where|having|when|set|and|or|not)\s{1,20}|,\s{0,20})\(*(?:["`]?\w{1,60}["`]?\.){0,3}["`]?$/i
const statement = /\b(?:select|join|where|having|update|delete|on)\b/i
const alias = /^[A-Za-z]\d?\./
/** `LIKE` and `IN (` with the texts or numbers behind them. */
const listed =
  /(?<![\w.])((?:\w{1,60}\.){0,3}\w{1,60})(["`]?\s{1,20}(?:not\s{1,20})?(?:i?like\s{0,20}|in\s{0,20}\(\s{0,20}))((?:'[^']*'?|-?\d+)(?:\s{0,20},\s{0,20}(?:'[^']*'?|-?\d+))*)/gi

/** Whether the comparison of `name` is one of SQL: its keyword stands in front of it, in a statement or a part of one. */
export function isInSql(text: string, start: number, name: string): boolean {
  if (!before.test(text.slice(Math.max(0, start - 100), start))) return false
  return alias.test(name) || statement.test(text.slice(Math.max(0, start - 4096), start))
}

/** Masks the literals of `token LIKE '…'` and `token IN ('…', '…')`, by the name of the column. */
export function maskListed(text: string, isSensitive: (column: string) => boolean): string {
  return text.replace(listed, (match, name: string, operator: string, values: string) => {
    return isSensitive(withoutAlias(name)) && values !== mask ? `${name}${operator}${mask}` : match
  })
}

export function isPlaceholder(value: string): boolean {
  return placeholder.test(value)
}

/** Whether an unquoted right side in SQL names something: another column, a placeholder, a keyword. */
export function isSqlName(value: string): boolean {
  return named.test(value) || column.test(value)
}

/** Characters of a parenthesis in front of a value, with the name of its function, or 0. */
export function callLength(text: string, at: number): number {
  return call.exec(text.slice(at, at + 48))?.[0].length ?? 0
}

/** A column without the alias of its table: `id` of `s.id`, which is no session ID. */
export function withoutAlias(name: string): string {
  return name.replace(alias, '')
}

/** Whether a quoted text is the first part of a column: `"o"."id"`. */
export function isQualifier(text: string, end: number): boolean {
  return /^["`]\.["`\w]/.test(text.slice(end, end + 3))
}
