// Queries to PostgreSQL through `pg`. It publishes nothing, so the application hands over the pool or client to observe.

import { define } from '../../http/kernel/define.ts'
import { beginQuery, deepStackFrames, observeCall } from '../../capture/begin-query.ts'
import { followCallback, type Callback } from '../../http/kernel/follow-call.ts'
import type { QueryStart } from '../../observe/outgoing/queries.ts'
import type { Explain } from '../../observe/outgoing/query-plans.ts'
import { sqlText, valueKey } from '../../observe/outgoing/query-text.ts'
import { sqlUse } from '../../observe/outgoing/shared-values.ts'
import { inPlace, isCallback, sqlRows } from '../../observe/tracing-source.ts'

/** The part of a `pg` client that is observed. */
export interface PgClient {
  query(...args: never[]): unknown
}

interface PgPool extends PgClient {
  connect(...args: never[]): unknown
}

/**
 * Shows the queries of a `pg` client or pool in the profile of the request that sends them. The clients that `pool.connect()`
 * hands out are observed until they are released. Of a cursor, only the start is known. Returns the same client or pool; a
 * second call changes nothing.
 */
export function observePg<Client extends PgClient>(client: Client): Client {
  if (Object.hasOwn(client, 'query')) return client
  if (isPool(client)) observePool(client)
  else define(client, 'query', observedQuery(client, ownQuery(client)))
  return client
}

/** Clients connect as well; only a pool counts its connections. */
function isPool(client: PgClient): client is PgPool {
  return 'connect' in client && 'totalCount' in client
}

function observePool(pool: PgPool): void {
  const { query, connect } = pool
  const explain = pgExplain(new WeakRef(pool), connect)
  // `pool.query` uses `connect` too; nobody else gets that client.
  let querying: Taken | undefined
  const sendQuery: Send = (args, taken) => {
    querying = taken
    try {
      return Reflect.apply(query, pool, args)
    } finally {
      querying = undefined
    }
  }
  const queryOnce = observedQuery(pool, sendQuery, explain)
  define(pool, 'query', queryOnce)
  const connectObserved = (...args: unknown[]): unknown => {
    const [callback] = args
    const taken = querying
    if (taken !== undefined && isCallback(callback)) {
      const take: Callback = (error, client, release) => {
        taken.client = Object(client)
        return callback(error, client, release)
      }
      return Reflect.apply(connect, pool, [take])
    }
    if (isCallback(callback)) return Reflect.apply(connect, pool, [lendTo(inPlace(callback), explain)])
    const connected: unknown = Reflect.apply(connect, pool, args)
    return connected instanceof Promise ? connected.then((client: unknown) => lend(client, explain)) : connected
  }
  define(pool, 'connect', connectObserved)
}

/** Hands the callback an observed client and the function that releases it. */
function lendTo(callback: Callback, explain: Explain): Callback {
  return (error, client, release) => {
    const lent = lend(client, explain)
    return callback(error, lent, isLent(lent) ? lent.release : release)
  }
}

/** Observes a client until it is released. */
function lend(client: unknown, explain: Explain): unknown {
  if (!isLent(client) || Object.hasOwn(client, 'query')) return client
  const { release } = client
  define(client, 'query', observedQuery(client, ownQuery(client), explain))
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

/** The connection that runs a query: a pool takes any of its own. */
interface Taken {
  client?: object
}

type Send = (args: readonly unknown[], taken: Taken) => unknown

function ownQuery(client: PgClient): Send {
  const { query } = client
  return (args) => Reflect.apply(query, client, args)
}

/** `explain` is known of pools only: a connection of the application's may be in a transaction. */
function observedQuery(target: PgClient, sendOn: Send, explain?: Explain): (...args: never[]) => unknown {
  return (...args) => {
    const taken: Taken = isPool(target) ? {} : { client: target }
    const connection = (): object | undefined => taken.client
    const send = (given: readonly unknown[] = args): unknown => sendOn(given, taken)
    const [asked, values]: readonly unknown[] = args
    const place = args.findIndex((argument) => isCallback(argument))
    const callback: unknown = args[place]
    // The connections of a pool share its way to explain.
    const start = (): QueryStart => ({
      ...startOf(asked, values, explain ?? target),
      isMoment: !isCallback(callback) && isCursor(asked),
      explain,
      connection,
    })
    if (!isCallback(callback)) return observeCall(start, send, sqlRows)
    const running = beginQuery(start)
    if (running === undefined) return send()
    return followCallback(
      inPlace(callback),
      (followed) => send((args as readonly unknown[]).with(place, followed)),
      (result) => running.end(sqlRows(result)),
      (thrown) => running.fail(thrown),
    )
  }
}

function startOf(asked: unknown, values: unknown, store: unknown): QueryStart {
  const config = typeof asked === 'object' && asked !== null ? asked : { text: asked }
  const sql = String(Reflect.get(config, 'text'))
  const given: unknown = Reflect.get(config, 'values') ?? (typeof values === 'function' ? undefined : values)
  return {
    system: 'postgresql',
    library: 'pg',
    text: sqlText(sql, 'postgresql'),
    key: valueKey([sql, given]),
    use: () => sqlUse(store, sql, given),
    site: deepStackFrames,
  }
}

/** `pg-cursor` and `pg-query-stream` are read later, step by step. */
function isCursor(asked: unknown): boolean {
  return typeof asked === 'object' && asked !== null && 'submit' in asked
}

const timeoutMs = 2000

/** `connect` is the pool's own, which is not observed. */
export function pgExplain(pool: WeakRef<object>, connect: (...args: never[]) => unknown): Explain {
  return async (text) => {
    const open = pool.deref()
    if (open === undefined) throw new Error('the pool is closed')
    const client: unknown = await Reflect.apply(connect, open, [])
    if (!isLent(client)) throw new Error('the pool gave no connection')
    // The extended protocol takes one statement only, whatever the text holds.
    const ask = async (sql: string): Promise<unknown> =>
      Reflect.apply(client.query, client, [{ text: sql, queryMode: 'extended', rowMode: 'array' }])
    let isSound = false
    try {
      const { prepared, parameters } = withParameters(text)
      await ask('BEGIN READ ONLY')
      await ask(`SET LOCAL statement_timeout = ${timeoutMs}`)
      await ask('SET LOCAL plan_cache_mode = force_generic_plan')
      await ask(`PREPARE fanlight_explain AS ${prepared}`)
      const values = parameters === 0 ? '' : `(${Array.from({ length: parameters }, () => 'NULL').join(', ')})`
      const rows = rowsOf(await ask(`EXPLAIN EXECUTE fanlight_explain${values}`))
      await ask('DEALLOCATE fanlight_explain')
      await ask('ROLLBACK')
      isSound = true
      return rows
    } finally {
      // A connection whose transaction may still be open is not given back.
      Reflect.apply(client.release, client, [!isSound])
    }
  }
}

/** Literals that were taken out become parameters after those that are there. */
function withParameters(text: string): { readonly prepared: string; readonly parameters: number } {
  let parameters = Math.max(0, ...[...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)))
  const prepared = text.replace(/"(?:[^"]|"")*"|\?/g, (part) => (part === '?' ? `$${++parameters}` : part))
  return { prepared, parameters }
}

function rowsOf(result: unknown): readonly string[] {
  const rows: unknown = typeof result === 'object' && result !== null ? Reflect.get(result, 'rows') : undefined
  return Array.isArray(rows) ? rows.map((row: unknown) => (Array.isArray(row) ? String(row[0]) : '')) : []
}
