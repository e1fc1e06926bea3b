// Conditions of SQL, and how texts are compared: alike in memory and in SQL.

/** A condition on the columns of a profile. Values are bound, never part of `sql`. */
export interface SqlCondition {
  readonly sql: string
  readonly values: readonly (string | number)[]
}

export function condition(sql: string, ...values: readonly (string | number)[]): SqlCondition {
  return { sql, values }
}

/** Whether a text contains a part, letter case of A–Z ignored. */
export function contains(text: string, part: string): boolean {
  return lowerCase(text).includes(lowerCase(part))
}

/** The same for SQL: true where one of the columns contains the part. `%` and `_` are ordinary characters. */
export function containsCondition(columns: readonly string[], part: string): SqlCondition {
  const pattern = patternOf(part)
  if (pattern === undefined) return condition('FALSE')
  const sql = columns.map((column) => `${column} LIKE ? ESCAPE '\\'`).join(' OR ')
  return condition(`(${sql})`, ...columns.map(() => pattern))
}

/** SQLite refuses longer patterns, and no server accepts longer URLs. */
const maxLength = 8192

/** The pattern of a LIKE; `undefined` for a part that nothing contains. */
function patternOf(part: string): string | undefined {
  if (part.length > maxLength || part.includes('\0')) return undefined
  return `%${part.replaceAll(/[\\%_]/g, '\\$&')}%`
}

/** Like SQL's LIKE: only A–Z have a lower case. */
function lowerCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
