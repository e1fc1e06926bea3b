// Statements of the query builders Kysely, Drizzle and Knex, through the hook that each of them has. Observe the builder or
// the driver below it, not both: each would show the same statement.

import { beginStatement, deepStackFrames } from '../begin-statement.ts'
import type { RunningStatement, StatementStart } from '../statement.ts'
import { sqlText, type Dialect } from '../statement-text.ts'
import { valueKey } from '../value-key.ts'
import { listen, type Emitter } from './emitter.ts'
import { sqlRows } from './sql-rows.ts'

/** Which database system a builder speaks to, in the words of OpenTelemetry. */
export type SqlSystem = 'postgresql' | 'mysql' | 'mariadb' | 'sqlite' | 'microsoft.sql_server' | 'other_sql'

/** What Kysely tells of a statement when it is over. */
export interface KyselyLogEvent {
  readonly level: 'query' | 'error'
  readonly query: { readonly sql: string; readonly parameters: readonly unknown[] }
  readonly queryDurationMillis: number
  readonly error?: unknown
}

/** The option `log` of Kysely: `new Kysely({ dialect, log: kyselyLog('postgresql') })`. Rows are not known. */
export function kyselyLog(system: SqlSystem = 'other_sql'): (event: KyselyLogEvent) => void {
  return (event) => {
    const { sql, parameters } = event.query
    const statement = beginStatement(() => ({
      ...startOf('kysely', system, sql, parameters),
      agoMs: event.queryDurationMillis,
    }))
    if (event.level === 'error') statement?.fail(event.error)
    else statement?.end()
  }
}

/** The option `logger` of Drizzle: `drizzle(client, { logger: drizzleLogger('sqlite') })`. Only the beginning is known. */
export function drizzleLogger(system: SqlSystem = 'other_sql'): { logQuery(sql: string, values: unknown[]): void } {
  return {
    logQuery: (sql, values) => {
      beginStatement(() => ({ ...startOf('drizzle', system, sql, values), isMoment: true }))
    },
  }
}

/** Statements that are followed at a time. */
const maxRunning = 10_000

/** Shows the statements of a Knex instance in the profile of the request that sends them. Returns the same instance. */
export function observeKnex<Knex extends Emitter>(knex: Knex, system: SqlSystem = 'other_sql'): Knex {
  const running = new Map<string, RunningStatement>()
  listen(knex, 'query', ({ __knexQueryUid: id, sql, bindings }: KnexQuery) => {
    if (running.size >= maxRunning) return
    const statement = beginStatement(() => startOf('knex', system, sql, bindings))
    if (statement !== undefined) running.set(id, statement)
  })
  listen(knex, 'query-response', (result: unknown, { __knexQueryUid: id }: KnexQuery) => {
    running.get(id)?.end(typeof result === 'number' ? result : sqlRows(result))
    running.delete(id)
  })
  listen(knex, 'query-error', (error: unknown, { __knexQueryUid: id }: KnexQuery) => {
    running.get(id)?.fail(withoutStatement(error))
    running.delete(id)
  })
  return knex
}

/** Knex writes the statement with its values before the message of the driver. */
function withoutStatement(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const plain = new Error(error.message.slice(error.message.lastIndexOf(' - ') + 1).replace(/^- /, ''))
  plain.name = error.name
  return plain
}

interface KnexQuery {
  readonly __knexQueryUid: string
  readonly sql: string
  readonly bindings?: readonly unknown[]
}

function startOf(library: string, system: SqlSystem, sql: string, values: unknown): StatementStart {
  return {
    system,
    library,
    text: sqlText(sql, dialectOf(system)),
    key: valueKey([sql, values]),
    site: deepStackFrames,
  }
}

function dialectOf(system: SqlSystem): Dialect {
  if (system === 'mysql' || system === 'mariadb') return 'mysql'
  return system === 'postgresql' ? 'postgresql' : 'sql'
}
