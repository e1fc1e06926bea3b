// Statements to SQLite through `node:sqlite` or `better-sqlite3`. Neither tells what it runs, so the database to observe is
// handed over.

import type { DatabaseSync } from 'node:sqlite'
import { observeCall, observeRun, stackFrames, type PreparedStatement } from '../begin-statement.ts'
import { StatementKind } from '../statement-kind.ts'
import { sqlText } from '../statement-text.ts'
import { UsualCaller } from '../usual-caller.ts'
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
  define(database, 'exec', (sql: unknown) =>
    observeCall(
      () => ({ system, library, text: sqlText(String(sql), 'sql'), key: valueKey(sql), site: stackFrames }),
      () => Reflect.apply(exec, database, [sql]),
      () => null,
    ),
  )
  return database
}

const system = 'sqlite'

function observeStatement(statement: object, sql: string, library: string): void {
  let kind: StatementKind | undefined
  const kindOnce = (): StatementKind =>
    (kind ??= new StatementKind({ system, library, namespace: null, text: sqlText(sql, 'sql'), key: valueKey(sql) }))
  for (const name of runners) {
    const method: unknown = Reflect.get(statement, name)
    if (!isMethod(method)) continue
    const prepared: PreparedStatement = {
      get kind() {
        return kindOnce()
      },
      caller: new UsualCaller(stackFrames),
      rowsOf: name === 'get' ? oneRow : rowsOf(name),
    }
    define(statement, name, (...values: unknown[]) => observeRun(prepared, method, statement, values))
  }
}

function isMethod(value: unknown): value is (...values: never[]) => unknown {
  return typeof value === 'function'
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
