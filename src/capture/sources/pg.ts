// Statements to PostgreSQL through `pg`. It does not tell what it sends, so the pool or client to observe is handed over.

import { observeCall } from '../begin-statement.ts'
import type { CallSiteMark } from '../call-site.ts'
import type { StatementStart } from '../statement.ts'
import { sqlText } from '../statement-text.ts'
import { valueKey } from '../value-key.ts'
import { sqlRows } from './sql-rows.ts'

/** The part of a `pg` client that is observed. */
export interface PgClient {
  query(...args: never[]): unknown
}

/** The part of a `pg` pool that is observed. */
export interface PgPool extends PgClient {
  connect(...args: never[]): unknown
}

/**
 * Shows the statements of a `pg` client in the profile of the request that sends them. Only calls that return a promise are
 * timed to their end; of calls with a callback or a cursor only the beginning is known. Returns the same client. A second
 * call changes nothing.
 */
export function observePgClient<Client extends PgClient>(client: Client): Client {
  if (Object.hasOwn(client, 'query')) return client
  define(client, observedQuery(client, client.query))
  return client
}

/**
 * The same for a pool: `pool.query()`, and the clients that `await pool.connect()` hands out, until they are released.
 */
export function observePg<Pool extends PgPool>(pool: Pool): Pool {
  if (Object.hasOwn(pool, 'query')) return pool
  const { query, connect } = pool
  // The pool's own query takes a client through `connect` as well; that one is not handed to anybody.
  let isQuerying = false
  const queryOnce = observedQuery(pool, (...args: never[]): unknown => {
    isQuerying = true
    try {
      return Reflect.apply(query, pool, args)
    } finally {
      isQuerying = false
    }
  })
  define(pool, queryOnce)
  const connectObserved = (...args: never[]): unknown => {
    const connected: unknown = Reflect.apply(connect, pool, args)
    return isQuerying || !(connected instanceof Promise) ? connected : connected.then(lend)
  }
  Object.defineProperty(pool, 'connect', { value: connectObserved, writable: true, configurable: true })
  return pool
}

/** Observes a client as long as it is lent. */
function lend(client: unknown): unknown {
  if (!isLent(client) || Object.hasOwn(client, 'query')) return client
  const { release } = client
  observePgClient(client)
  const giveBack = (...args: never[]): unknown => {
    Reflect.deleteProperty(client, 'query')
    client.release = release
    return Reflect.apply(release, client, args)
  }
  client.release = giveBack
  return client
}

interface LentClient extends PgClient {
  release: (...args: never[]) => unknown
}

function isLent(client: unknown): client is LentClient {
  return typeof client === 'object' && client !== null && 'query' in client && 'release' in client
}

function observedQuery(target: object, query: (...args: never[]) => unknown): (...args: never[]) => unknown {
  return (...args) => {
    const send = (): unknown => Reflect.apply(query, target, args)
    const [asked, values, callback]: readonly unknown[] = args
    const isTimed = typeof values !== 'function' && typeof callback !== 'function' && !isCursor(asked)
    return observeCall((site) => startOf(asked, values, site, !isTimed), send, sqlRows)
  }
}

function startOf(asked: unknown, values: unknown, site: CallSiteMark, isMoment: boolean): StatementStart {
  const config = typeof asked === 'object' && asked !== null ? asked : { text: asked }
  const sql = String(Reflect.get(config, 'text'))
  const given: unknown = Reflect.get(config, 'values') ?? (typeof values === 'function' ? undefined : values)
  return {
    system: 'postgresql',
    library: 'pg',
    text: sqlText(sql, 'postgresql'),
    key: valueKey([sql, given]),
    site,
    isMoment,
  }
}

/** `pg-cursor` and `pg-query-stream` are handed over ready-made, and read as they go. */
function isCursor(asked: unknown): boolean {
  return typeof asked === 'object' && asked !== null && 'submit' in asked
}

function define(target: object, query: (...args: never[]) => unknown): void {
  Object.defineProperty(target, 'query', { value: query, writable: true, configurable: true })
}
