// Statements to SQLite through `node:sqlite` or `better-sqlite3`. Neither tells what it runs, so the database to observe is
// handed over.

import type { DatabaseSync } from 'node:sqlite'
import { observeCall, stackFrames } from '../begin-statement.ts'
import type { CallSiteMark } from '../call-site.ts'
import type { StatementStart } from '../statement.ts'
import { StackDepth } from '../stack-depth.ts'
import { sqlText, type StatementText } from '../statement-text.ts'
import { valueKey } from '../value-key.ts'
import { sqlRows } from './sql-rows.ts'

/** The part of a `better-sqlite3` database that is observed. */
export interface BetterSqlite3Database {
  prepare(sql: string): object
  exec(sql: string): unknown
}

/**
 * Shows the statements of a `node:sqlite` database in the profile of the request that runs them: those prepared from now on
 * and `exec`. Returns the same database. A second call changes nothing. Tag stores are not heard of; of `iterate`, only that
 * it was begun.
 */
export function observeNodeSqlite<Database extends DatabaseSync>(database: Database): Database {
  return observeDatabase(database, 'node:sqlite')
}

/** The same for a `better-sqlite3` database. */
export function observeBetterSqlite3<Database extends BetterSqlite3Database>(database: Database): Database {
  return observeDatabase(database, 'better-sqlite3')
}

const runners = ['all', 'get', 'run', 'iterate'] as const

function observeDatabase<Database extends BetterSqlite3Database>(database: Database, library: string): Database {
  // A method of the object itself in place of its class: it is observed already.
  if (Object.hasOwn(database, 'prepare')) return database
  const { prepare, exec } = database
  define(database, 'prepare', (sql: unknown, ...options: unknown[]) => {
    const statement: unknown = Reflect.apply(prepare, database, [sql, ...options])
    if (typeof statement === 'object' && statement !== null) observeStatement(statement, String(sql), library)
    return statement
  })
  const execDepth = new StackDepth(stackFrames)
  define(database, 'exec', (sql: unknown) =>
    observeCall(
      (site) => startOf(library, sqlText(String(sql), 'sql'), valueKey(sql), site, execDepth),
      () => Reflect.apply(exec, database, [sql]),
      () => null,
      execDepth.frames,
    ),
  )
  return database
}

function observeStatement(statement: object, sql: string, library: string): void {
  let text: StatementText | undefined
  const textOnce = (): StatementText => (text ??= sqlText(sql, 'sql'))
  let sqlKey: string | null | undefined
  const sqlKeyOnce = (): string | null => (sqlKey ??= valueKey(sql))
  for (const name of runners) {
    const method: unknown = Reflect.get(statement, name)
    if (typeof method !== 'function') continue
    const depth = new StackDepth(stackFrames)
    const rows = name === 'get' ? oneRow : rowsOf(name)
    define(statement, name, (...values: unknown[]) => {
      const run = (): unknown => Reflect.apply(method, statement, values)
      return observeCall(
        (site) => startOf(library, textOnce(), joinedKey(sqlKeyOnce(), valueKey(values)), site, depth),
        run,
        rows,
        depth.frames,
      )
    })
  }
}

/** The text tells statements of one shape apart, too: it may hold literal values. */
function joinedKey(sqlKey: string | null, key: string | null): string | null {
  return sqlKey === null || key === null ? null : `${sqlKey} ${key}`
}

function startOf(
  library: string,
  text: StatementText,
  key: string | null,
  site: CallSiteMark,
  depth: StackDepth,
): StatementStart {
  return { system: 'sqlite', library, text, key, site, depth }
}

function oneRow(row: unknown): number {
  return row === undefined ? 0 : 1
}

function rowsOf(name: string): (result: unknown) => number | null {
  return name === 'iterate' ? () => null : sqlRows
}

function define(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, writable: true, configurable: true })
}
