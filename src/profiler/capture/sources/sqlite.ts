// Queries to SQLite through `node:sqlite` or `better-sqlite3`. Neither publishes what it runs, so the application hands over
// the database to observe.

import { observeCall, stackFrames } from '../begin-query.ts'
import { sqlText, type QueryText, valueKey } from '../query-text.ts'
import { define, isCallback, sqlRows } from './tracing-source.ts'

/** The part of a database that is observed. */
export interface SqliteDatabase {
  prepare(sql: string): object
  exec(sql: string): unknown
}

const system = 'sqlite'

/**
 * Shows the queries of a `node:sqlite` or `better-sqlite3` database in the profile of the request that runs them: statements
 * prepared from now on, and `exec`. Returns the same database; a second call changes nothing. Tag stores are not observed; of
 * `iterate`, only its start is.
 */
export function observeSqlite<Database extends SqliteDatabase>(database: Database): Database {
  // An own method that shadows the class: it is observed already.
  if (Object.hasOwn(database, 'prepare')) return database
  const library = 'pragma' in database ? 'better-sqlite3' : 'node:sqlite'
  const { prepare, exec } = database
  define(database, 'prepare', (sql: unknown, ...options: unknown[]) => {
    const statement: unknown = Reflect.apply(prepare, database, [sql, ...options])
    if (typeof statement === 'object' && statement !== null) observeStatement(statement, String(sql), library)
    return statement
  })
  define(database, 'exec', (sql: unknown) =>
    observeCall(
      () => ({ system, library, text: sqlText(String(sql), 'sql'), key: valueKey(sql), site: stackFrames }),
      () => Reflect.apply(exec, database, [sql]),
      () => null,
    ),
  )
  return database
}

/** How to count the rows of each method's result. */
const rowCounters: Readonly<Record<string, (result: unknown) => number | null>> = {
  all: sqlRows,
  get: (row) => (row === undefined ? 0 : 1),
  run: sqlRows,
  iterate: () => null,
}

function observeStatement(statement: object, sql: string, library: string): void {
  let text: QueryText | undefined
  const sqlKey = valueKey(sql)
  for (const [name, rowsOf] of Object.entries(rowCounters)) {
    const method: unknown = Reflect.get(statement, name)
    if (!isCallback(method)) continue
    define(statement, name, (...values: unknown[]) =>
      observeCall(
        () => {
          const key = valueKey(values)
          return {
            system,
            library,
            text: (text ??= sqlText(sql, 'sql')),
            key: sqlKey === null || key === null ? null : `${sqlKey} ${key}`,
            site: stackFrames,
          }
        },
        () => Reflect.apply(method, statement, values),
        rowsOf,
      ),
    )
  }
}
