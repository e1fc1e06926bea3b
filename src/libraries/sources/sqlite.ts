// Queries to SQLite through `node:sqlite` or `better-sqlite3`. Neither publishes what it runs, so the application hands over
// the database to observe.

import { basename, extname, join } from 'node:path'
import { valueOfJson } from '../../base/http/json.ts'
import { define } from '../../http/kernel/follow-call.ts'
import { deepStackFrames, observeCall, stackFrames } from '../../capture/begin-query.ts'
import type { QueryStart } from '../../observe/outgoing/queries.ts'
import { sqlText, type QueryText, valueKey } from '../../observe/outgoing/query-text.ts'
import { sqlUse } from '../../observe/outgoing/shared-values.ts'
import { readLimits, type ReadRows, type RowSource } from '../../observe/outgoing/open-databases.ts'
import type { Explain } from '../../observe/outgoing/query-plans.ts'
import { isCallback, sqlRows } from '../../observe/tracing-source.ts'

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
  const known = new WeakRef(database)
  const ways = { explain: sqliteExplain(known, prepare, library), rows: sqliteRows(known, prepare) }
  define(database, 'prepare', (sql: unknown, ...options: unknown[]) => {
    const statement: unknown = Reflect.apply(prepare, database, [sql, ...options])
    if (typeof statement === 'object' && statement !== null)
      observeStatement(statement, String(sql), { library, ways, connection: () => database })
    return statement
  })
  define(database, 'exec', (sql: unknown) =>
    observeCall(
      () => ({
        system,
        library,
        connection: () => database,
        text: sqlText(String(sql), 'sql'),
        key: valueKey(sql),
        site: stackFrames,
      }),
      () => Reflect.apply(exec, database, [sql]),
      () => null,
    ),
  )
  return database
}

/** `EXPLAIN QUERY PLAN` prepares a query and does not run it. */
function sqliteExplain(database: WeakRef<object>, prepare: SqliteDatabase['prepare'], library: string): Explain {
  return async (text) => {
    const open = database.deref()
    if (open === undefined) throw new Error('the database is closed')
    const statement: unknown = Reflect.apply(prepare, open, [`EXPLAIN QUERY PLAN ${text}`])
    // `better-sqlite3` wants a value for each parameter, by position or by name.
    const names = [...text.matchAll(/[:@$](\w+)/g)].map(([, name = '']) => [name, null] as const)
    const places = text.match(/\?/g)?.map(() => null) ?? []
    const values =
      library === 'node:sqlite' ? [] : [...places, ...(names.length > 0 ? [Object.fromEntries(names)] : [])]
    const all: unknown = typeof statement === 'object' && statement !== null ? Reflect.get(statement, 'all') : undefined
    return stepsOf(isCallback(all) ? await Reflect.apply(all, statement, values) : [])
  }
}

/** Bytes of a database that is copied to be read. */
const maxCopied = 64 * 1024 * 1024
const factsOf = `SELECT page_count * page_size, (SELECT file FROM pragma_database_list WHERE name = 'main')
  FROM pragma_page_count, pragma_page_size`

/** Another process reads a copy: whatever it does, the database stays as it is, and the process can be ended at any time. */
export function sqliteRows(database: WeakRef<object>, prepare: SqliteDatabase['prepare']): RowSource {
  return async (sql) => {
    const open: OpenSqlite | undefined = database.deref()
    if (open === undefined) throw new Error('the database is closed')
    if ((open.isTransaction ?? open.inTransaction) === true) throw new Error('the application has a transaction open')
    if (open.serialize === undefined) throw new Error('this Node cannot copy a database; use a newer one')
    const facts = (Reflect.apply(prepare, open, [factsOf]) as { get(): object }).get()
    const [bytes, file] = Object.values(facts) as [number, string | null]
    if (bytes > maxCopied) throw new Error(`it has ${bytes} bytes; at most ${maxCopied} are copied to be read`)
    const found = valueOfJson(await readCopy(open.serialize(), sql)) as ReadRows | { problem: string } | undefined
    if (found === undefined) throw new Error(`canceled: it needs more than ${readLimits.ms} ms or ${readLimits.mb} MB`)
    if ('problem' in found) throw new Error(found.problem)
    return { ...found, database: `${system} ${basename(file ?? '') || 'in memory'}` }
  }
}

async function readCopy(copy: Uint8Array, sql: string): Promise<string> {
  const { execFile } = process.getBuiltinModule('node:child_process')
  const program = join(import.meta.dirname, `sqlite-reader${extname(import.meta.filename)}`)
  const args = ['--permission', '--allow-worker', `--allow-fs-read=${program}`, program]
  // No flags and no other variables of the application: its preloads would run there, too.
  const env = { FANLIGHT_READ: JSON.stringify({ sql, ...readLimits }) }
  const options = { env, timeout: 10 * readLimits.ms, killSignal: 'SIGKILL', maxBuffer: maxCopied } as const
  const { promise, resolve } = Promise.withResolvers<string>()
  const child = execFile(process.execPath, args, options, (_, said) =>
    resolve(said || '{"problem":"its reader did not start"}'),
  )
  // The first byte: it has the copy.
  child.stdout?.once('data', () => setTimeout(() => child.kill('SIGKILL'), readLimits.ms).unref())
  child.stdin?.on('error', () => undefined).end(copy)
  return promise
}

type OpenSqlite = Readonly<Partial<Record<'isTransaction' | 'inTransaction', boolean>>> & { serialize?(): Uint8Array }

/** Rows with `id`, `parent` and `detail`, indented by their depth. */
function stepsOf(rows: unknown): readonly string[] {
  const depths = new Map<unknown, number>()
  const list: readonly unknown[] = Array.isArray(rows) ? rows : []
  return list.flatMap((row) => {
    if (typeof row !== 'object' || row === null) return []
    const depth = (depths.get(Reflect.get(row, 'parent')) ?? -1) + 1
    depths.set(Reflect.get(row, 'id'), depth)
    return [`${'  '.repeat(depth)}${String(Reflect.get(row, 'detail'))}`]
  })
}

/** How to count the rows of each method's result. */
const rowCounters: Readonly<Record<string, (result: unknown) => number | null>> = {
  all: sqlRows,
  get: (row) => (row === undefined ? 0 : 1),
  run: sqlRows,
  iterate: () => null,
}

function observeStatement(
  statement: object,
  sql: string,
  known: Pick<QueryStart, 'library' | 'ways' | 'connection'>,
): void {
  let text: QueryText | undefined
  const sqlKey = valueKey(sql)
  for (const [name, rowsOf] of Object.entries(rowCounters)) {
    const method: unknown = Reflect.get(statement, name)
    if (!isCallback(method)) continue
    define(statement, name, (...values: unknown[]) =>
      observeCall(
        () => {
          const key = valueKey(values)
          // A transaction of `better-sqlite3` does not show how it ended.
          const database = known.connection?.()
          const isUnclear = Reflect.get(Object(database), 'inTransaction') === true
          return {
            ...known,
            system,
            text: (text ??= sqlText(sql, 'sql')),
            use: isUnclear ? undefined : () => sqlUse(database, sql, values),
            key: sqlKey === null || key === null ? null : `${sqlKey} ${key}`,
            site: deepStackFrames,
          }
        },
        () => Reflect.apply(method, statement, values),
        rowsOf,
      ),
    )
  }
}
