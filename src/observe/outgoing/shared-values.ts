// What a request reads and writes that other requests may write meanwhile: a row, a key, a session.

import type { KeptName } from '../../http/recording/recording.ts'
import { membersOf } from '../../base/members.ts'

/** A read or write of one row, key or session. */
export interface SharedUse {
  /** Where it is: one object, or equal texts. */
  readonly store: unknown
  /** Equal for one row, key or session of a store. It may be a secret, and does not leave the process. */
  readonly key: string
  /** `one row of "items"` */
  readonly what: string
  readonly isWrite: boolean
  /** By column or entry; an unknown value is `NaN`, which equals nothing. */
  readonly values: ReadonlyMap<string, unknown>
  /** Whether it is about the columns or entries that `values` lacks, too. */
  readonly isWhole: boolean
}

/** Times are those of the process, in milliseconds. */
export interface TimedUse extends SharedUse {
  readonly site: Error | null
  readonly beganMs: number
  readonly endedMs: number
}

export const sessionUsesName: KeptName<TimedUse[]> = 'session uses'

/** Longer queries are not read, in characters. */
const maxRead = 2000
const name = '(?:["`]?\\w+["`]?\\.)*["`]?(\\w+)["`]?'
const value = "(\\$\\d+|[$:@]\\w+|-?\\d+(?:\\.\\d+)?|'[^'\\\\]*')"
const row = `WHERE ${name} = ${value}`
const selects = new RegExp(`^SELECT (.+) FROM ${name} ${row}(?: LIMIT ${value})?;?$`, 'i')
const updates = new RegExp(`^UPDATE ${name} SET (.+) ${row}(?: RETURNING .+)?;?$`, 'i')
const column = new RegExp(`^${name}(?: AS .+)?$`, 'i')
const assignment = new RegExp(`^${name} = ${value}$`)

/** Of a query that reads or sets columns of the row with one key; `undefined` for others. */
export function sqlUse(store: unknown, sql: string, values: unknown): SharedUse | undefined {
  if (sql.length > maxRead || !/^\s*(?:SELECT|UPDATE)\b/i.test(sql) || /--|\/\*|#/.test(sql)) return undefined
  // A question mark may be something else than a parameter.
  if (sql.includes('?') && /['$]/.test(sql)) return undefined
  let count = 0
  const text = sql
    .trim()
    .replace(/\s+/g, ' ')
    .replaceAll('?', () => `$${(count += 1)}`)
  const read = selects.exec(text)
  const [, first = '', second = '', keyName = '', keyPlace = ''] = read ?? updates.exec(text) ?? []
  const key = valueAt(values, keyPlace)
  if (typeof key !== 'string' && typeof key !== 'number' && typeof key !== 'bigint') return undefined
  const [columns, table] = read === null ? [second, first] : [first, second]
  const parts = columns.split(',').map((part) => part.trim())
  const known = parts.flatMap((part): readonly (readonly [string, unknown])[] => {
    const [, one, place = ''] = (read === null ? assignment : column).exec(part) ?? []
    return one === undefined ? [] : [[one.toLowerCase(), read === null ? valueAt(values, place) : Number.NaN]]
  })
  return {
    store,
    key: JSON.stringify([table.toLowerCase(), keyName.toLowerCase(), String(key)]),
    what: `one row of "${table}"`,
    isWrite: read === null,
    values: new Map(known),
    isWhole: read !== null && parts.some((part) => /(?:^|\.)\*$/.test(part)),
  }
}

/** The value of `$2` or `:id`, or one that is written there. */
function valueAt(values: unknown, place: string): unknown {
  if (/^[\d-]/.test(place)) return Number(place)
  if (place.startsWith("'")) return place.slice(1, -1)
  const list: readonly unknown[] = Array.isArray(values) ? (Array.isArray(values[0]) ? values[0] : values) : [values]
  const index = Number(place.slice(1))
  if (index > 0) return list[index - 1]
  const named = membersOf(list[0])
  return named[place.slice(1)] ?? named[place]
}

/** Of a whole text, neither of locks nor of what is kept for a time: those have more arguments. Libraries do not tell what is written. */
export function redisUse(store: unknown, command: string, args: readonly unknown[]): SharedUse | undefined {
  const isWrite = /^SET$/i.test(command)
  if (args.length !== (isWrite ? 2 : 1) || !/^[GS]ET$/i.test(command)) return undefined
  const key = String(args[0])
  return { store, key, what: `the key "${key}"`, isWrite, values: new Map([['', Number.NaN]]), isWhole: false }
}
