// Statements to PostgreSQL through `pg`. It does not tell what it sends, so the pool or client to observe is handed over.

import { beginStatement, deepStackFrames, observeCall } from '../begin-statement.ts'
import type { RunningStatement, StatementStart } from '../statement.ts'
import { sqlText } from '../statement-text.ts'
import { valueKey } from '../value-key.ts'
import { inPlace, isCallback, type Callback } from './in-place.ts'
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
 * Shows the statements of a `pg` client in the profile of the request that sends them. Of a cursor only
 * the beginning is known. Returns the same client. A second call changes nothing.
 */
export function observePgClient<Client extends PgClient>(client: Client): Client {
  if (Object.hasOwn(client, 'query')) return client
  define(client, observedQuery(client, client.query))
  return client
}

/** The same for a pool: `pool.query()`, and the clients that `pool.connect()` hands out, until they are released. */
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
  const connectObserved = (...args: unknown[]): unknown => {
    if (isQuerying) return Reflect.apply(connect, pool, args)
    const [callback] = args
    if (isCallback(callback)) return Reflect.apply(connect, pool, [lendTo(inPlace(callback))])
    const connected: unknown = Reflect.apply(connect, pool, args)
    return connected instanceof Promise ? connected.then(lend) : connected
  }
  Object.defineProperty(pool, 'connect', { value: connectObserved, writable: true, configurable: true })
  return pool
}

/** A callback that is given a client takes it observed, with the function that gives it back. */
function lendTo(callback: Callback): Callback {
  return (error, client, release) => {
    const lent = lend(client)
    return callback(error, lent, isLent(lent) ? lent.release : release)
  }
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
    const [asked, values]: readonly unknown[] = args
    const place = args.findIndex((argument) => isCallback(argument))
    if (place === -1) return observeCall(() => startOf(asked, values, isCursor(asked)), send, sqlRows)
    const statement = beginStatement(() => startOf(asked, values, false))
    return statement === undefined ? send() : sendWithCallback(target, query, args, place, statement)
  }
}

/** The callback ends the statement. Other code than the caller's calls it, so it is kept in the caller's request. */
function sendWithCallback(
  target: object,
  query: (...args: never[]) => unknown,
  args: readonly unknown[],
  place: number,
  statement: RunningStatement,
): unknown {
  const given = args[place]
  if (!isCallback(given)) return Reflect.apply(query, target, args)
  const callback = inPlace(given)
  const ended: Callback = (error, result) => {
    if (error === undefined || error === null) statement.end(sqlRows(result))
    else statement.fail(error)
    return callback(error, result)
  }
  try {
    return Reflect.apply(query, target, args.with(place, ended))
  } catch (thrown) {
    statement.fail(thrown)
    throw thrown
  }
}

function startOf(asked: unknown, values: unknown, isMoment: boolean): StatementStart {
  const config = typeof asked === 'object' && asked !== null ? asked : { text: asked }
  const sql = String(Reflect.get(config, 'text'))
  const given: unknown = Reflect.get(config, 'values') ?? (typeof values === 'function' ? undefined : values)
  return {
    system: 'postgresql',
    library: 'pg',
    text: sqlText(sql, 'postgresql'),
    key: valueKey([sql, given]),
    site: deepStackFrames,
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
