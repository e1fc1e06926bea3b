// Reads rows of databases that the application has open: one SELECT at a time, limited and masked. Each driver keeps it from changing anything.

import type { Redactor } from '../../base/redact/redactor.ts'
import { mask } from '../../base/redact/rules.ts'
import { runOutsideExchanges } from '../../http/kernel/current-exchange.ts'
import { describeFailure } from '../../http/kernel/describe-failure.ts'
import { withinBudget } from '../../http/kernel/within-budget.ts'
import { sqlText } from './query-text.ts'

/** Values as text. `database`: its system and name. */
export interface ReadRows {
  readonly database: string
  readonly columns: readonly string[]
  readonly rows: readonly (readonly (string | null)[])[]
}

/** What a driver reads at most. `cell`: characters of a value; `ms`: milliseconds of the database. `mb`: memory of a process that reads. */
export const readLimits = { rows: 201, columns: 60, cell: 1200, ms: 2000, mb: 512 } as const

/** Reads within `readLimits`, and changes nothing. May reject. */
export type RowSource = (sql: string) => Promise<ReadRows>

/** `sql`: one SELECT. `database`: its system; default: the only one. `limit`: of rows, from 1 to 200, default 50. */
export interface ReadOrder {
  readonly sql: string
  readonly database?: string | undefined
  readonly limit?: number | undefined
}

/** `isMore`: there are more rows. Otherwise why there are none. Never rejects. */
export type ReadDatabase = (order: ReadOrder) => Promise<RowAnswer>
export type RowAnswer = (ReadRows & { readonly isMore: boolean }) | { readonly problem: string }

/** Characters of a text, and of a value that is shown: more are read, so that a secret at the edge is seen as a whole. */
export const maxSqlLength = 4000
const maxCell = 1000
/** With the wait for a connection, or the start of a process. */
const budgetMs = 30_000
const noneKnown = 'No database is known: send a request that queries one, by a pool of pg or a database of SQLite.'

/** One text after the other: the application needs its connections. `sources`: by their systems. */
export function databaseReader(sources: ReadonlyMap<string, RowSource>, redactor: Redactor): ReadDatabase {
  let last: Promise<unknown> = Promise.resolve()
  return async (order) => {
    const answer = last
      .then(async () => runOutsideExchanges(async () => readRows(order, sources, redactor)))
      .catch((thrown: unknown) => ({ problem: `No rows: ${redactor.text(describeFailure(thrown).message, 500)}.` }))
    last = answer
    return answer
  }
}

async function readRows(
  { sql, database: asked, limit: wanted = 50 }: ReadOrder,
  sources: ReadonlyMap<string, RowSource>,
  redactor: Redactor,
): Promise<RowAnswer> {
  const names = [...sources.keys()]
  const system = asked ?? (names.length === 1 ? names[0] : undefined) ?? ''
  const read = sources.get(system)
  if (read === undefined) return { problem: names.length === 0 ? noneKnown : `Name one database: ${names.join(', ')}.` }
  const limit = Math.min(Math.max(1, Math.trunc(wanted) || 1), readLimits.rows - 1)
  const text = sql.replace(/[;\s]+$/, '')
  const { shape } = sqlText(text, system === 'postgresql' ? system : 'sql')
  if (!/^[\s(]*(?:SELECT|WITH|VALUES|TABLE)\b/i.test(shape) || shape.includes(';') || text.length > maxSqlLength)
    return { problem: `Use one SELECT of at most ${maxSqlLength} characters.` }
  const hides = (one: string): boolean => Reflect.get(Object(redactor.value({ [one]: 'x' })), one) !== 'x'
  // Under another name, or within an expression, it would not be known.
  const secret = text.match(/[A-Za-z_]\w*/g)?.find(hides)
  if (secret !== undefined) return { problem: `${secret} is masked: leave it out. With * it is shown as ${mask}.` }
  const { database, columns, rows } = await withinBudget(read(text), budgetMs, () => new Error('no response'))
  const shown = (value: string | null, at: number): string | null =>
    value && (hides(columns[at] ?? '') ? mask : redactor.text(value, maxCell))
  return {
    database: redactor.text(database, 100),
    columns: columns.map((column) => redactor.text(column, 100)),
    rows: rows.slice(0, limit).map((row) => row.map(shown)),
    isMore: rows.length > limit,
  }
}
