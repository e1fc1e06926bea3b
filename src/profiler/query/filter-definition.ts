// What a filter of a list is, and how one is made of a member of `ProfileFilter`.

import type { ProfileFilter } from '../profile-store.ts'
import type { ProfileSummary } from '../profile.ts'

export interface Filter {
  /** On pages. */
  readonly label: string
  /** What may be typed: `404, 4xx, or 0 (no response)`. */
  readonly use: string
  /** Reads what a person typed: a filter with one member, or a sentence that says what to use instead. */
  read(text: string): { readonly filter: ProfileFilter } | { readonly problem: string }
  test(summary: ProfileSummary, filter: ProfileFilter, searchText: () => string): boolean
  /** The same for SQL; `undefined` if the filter is not set. */
  sql(filter: ProfileFilter): SqlCondition | undefined
}

interface Definition<Value> {
  readonly label: string
  /** `"abc" is not <what>. Use <use>.` */
  readonly what: string
  readonly use: string
  /** `undefined`: the text cannot be used. */
  readonly read: (text: string) => Value | undefined
  readonly test: (summary: ProfileSummary, value: Value, searchText: () => string) => boolean
  readonly sql: (value: Value) => SqlCondition
}

/** Characters of a text that a sentence repeats. */
const maxShown = 100
/** `key` is the member that the filter reads and sets. */
export function defineFilter<Key extends keyof ProfileFilter>(
  key: Key,
  { label, what, use, read, test, sql }: Definition<NonNullable<ProfileFilter[Key]>>,
): Filter {
  return {
    label,
    use,
    read: (text) => {
      const value = read(text)
      if (value !== undefined) {
        const filter: { -readonly [Name in keyof ProfileFilter]: ProfileFilter[Name] } = {}
        filter[key] = value
        return { filter }
      }
      const shown = JSON.stringify(text.length > maxShown ? `${text.slice(0, maxShown)}…` : text)
      return { problem: `${shown} is not ${what}. Use ${use}.` }
    },
    test: (summary, filter, searchText) => {
      const value = filter[key]
      return value === undefined || test(summary, value, searchText)
    },
    sql: (filter) => {
      const value = filter[key]
      return value === undefined ? undefined : sql(value)
    },
  }
}

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
