// Queries of Kysely, Drizzle and Knex, through the hook of each. Observe the builder or its driver, not both: the query would
// appear twice.

import { beginQuery, deepStackFrames } from '../../observe/capture/begin-query.ts'
import type { QueryStart, RunningQuery } from '../../observe/capture/queries.ts'
import { sqlText, type Dialect, valueKey } from '../../observe/capture/query-text.ts'
import { sqlUse } from '../../observe/capture/shared-values.ts'
import { listen, sqlRows, type Emitter } from '../../observe/capture/tracing-source.ts'

/** The database system below a builder, as OpenTelemetry calls it. */
export type SqlSystem = 'postgresql' | 'mysql' | 'mariadb' | 'sqlite' | 'microsoft.sql_server' | 'other_sql'

/** Kysely's event at the end of a query. */
export interface KyselyLogEvent {
  readonly level: 'query' | 'error'
  readonly query: { readonly sql: string; readonly parameters: readonly unknown[] }
  readonly queryDurationMillis: number
  readonly error?: unknown
}

/** The option `log` of Kysely: `new Kysely({ dialect, log: kyselyLog('postgresql') })`. Row counts are unknown. */
export function kyselyLog(system: SqlSystem = 'other_sql'): (event: KyselyLogEvent) => void {
  return (event) => {
    const { sql, parameters } = event.query
    const query = beginQuery(() => ({
      ...startOf('kysely', system, sql, parameters),
      agoMs: event.queryDurationMillis,
    }))
    if (event.level === 'error') query?.fail(event.error)
    else query?.end()
  }
}

/** The option `logger` of Drizzle: `drizzle(client, { logger: drizzleLogger('sqlite') })`. Only the start is known. */
export function drizzleLogger(system: SqlSystem = 'other_sql'): { logQuery(sql: string, values: unknown[]): void } {
  return {
    logQuery: (sql, values) => {
      beginQuery(() => ({ ...startOf('drizzle', system, sql, values), isMoment: true }))
    },
  }
}

/** Queries followed at a time. */
const maxRunning = 10_000

/** Shows the queries of a Knex instance in the profile of the request that sends them. Returns the same instance. */
export function observeKnex<Knex extends Emitter>(knex: Knex, system: SqlSystem = 'other_sql'): Knex {
  const running = new Map<string, RunningQuery>()
  listen(knex, 'query', ({ __knexQueryUid: id, sql, bindings }: KnexQuery) => {
    if (running.size >= maxRunning) return
    const query = beginQuery(() => ({
      ...startOf('knex', system, sql, bindings),
      use: () => sqlUse(knex, sql, bindings),
    }))
    if (query !== undefined) running.set(id, query)
  })
  listen(knex, 'query-response', (result: unknown, { __knexQueryUid: id }: KnexQuery) => {
    running.get(id)?.end(typeof result === 'number' ? result : sqlRows(result))
    running.delete(id)
  })
  listen(knex, 'query-error', (error: unknown, { __knexQueryUid: id }: KnexQuery) => {
    running.get(id)?.fail(withoutQuery(error))
    running.delete(id)
  })
  return knex
}

/** Knex puts the query with its values before the message of the driver. */
function withoutQuery(error: unknown): unknown {
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

function startOf(library: string, system: SqlSystem, sql: string, values: unknown): QueryStart {
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
