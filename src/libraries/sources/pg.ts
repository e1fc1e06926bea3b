// Queries to PostgreSQL through `pg`. It publishes nothing, so the application hands over the pool or client to observe.

import { define, followCallback, type Callback } from '../../http/kernel/follow-call.ts'
import { beginQuery, deepStackFrames, observeCall } from '../../capture/begin-query.ts'
import type { QueryStart } from '../../observe/outgoing/queries.ts'
import { withinBudget } from '../../http/kernel/within-budget.ts'
import { readLimits, type RowSource } from '../../observe/outgoing/open-databases.ts'
import type { DatabaseWays, Explain } from '../../observe/outgoing/query-plans.ts'
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
  const ways = waysOf(new WeakRef(pool), connect)
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
  const queryOnce = observedQuery(pool, sendQuery, ways)
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
    if (isCallback(callback)) return Reflect.apply(connect, pool, [lendTo(inPlace(callback), ways)])
    const connected: unknown = Reflect.apply(connect, pool, args)
    return connected instanceof Promise ? connected.then((client: unknown) => lend(client, ways)) : connected
  }
  define(pool, 'connect', connectObserved)
}

/** Hands the callback an observed client and the function that releases it. */
function lendTo(callback: Callback, ways: DatabaseWays): Callback {
  return (error, client, release) => {
    const lent = lend(client, ways)
    return callback(error, lent, isLent(lent) ? lent.release : release)
  }
}

/** Observes a client until it is released. */
function lend(client: unknown, ways: DatabaseWays): unknown {
  if (!isLent(client) || Object.hasOwn(client, 'query')) return client
  const { release } = client
  define(client, 'query', observedQuery(client, ownQuery(client), ways))
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

/** `ways` are known of pools only: a connection of the application's may be in a transaction. */
function observedQuery(target: PgClient, sendOn: Send, ways?: DatabaseWays): (...args: never[]) => unknown {
  return (...args) => {
    const taken: Taken = isPool(target) ? {} : { client: target }
    const connection = (): object | undefined => taken.client
    const send = (given: readonly unknown[] = args): unknown => sendOn(given, taken)
    const [asked, values]: readonly unknown[] = args
    const place = args.findIndex((argument) => isCallback(argument))
    const callback: unknown = args[place]
    // The connections of a pool share its ways.
    const start = (): QueryStart => ({
      ...startOf(asked, values, ways ?? target),
      isMoment: !isCallback(callback) && isCursor(asked),
      ways,
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

/** `connect` is the pool's own, which is not observed. */
export function waysOf(pool: WeakRef<object>, connect: (...args: never[]) => unknown): Required<DatabaseWays> {
  const onClient: OnClient = async (work) => askClient(pool.deref(), connect, work)
  return { explain: pgExplain(onClient), rows: pgRows(onClient) }
}

/** The extended protocol takes one statement only, whatever the text holds. */
type Ask = (text: string) => Promise<unknown>
type OnClient = <Out>(work: (ask: Ask) => Promise<Out>) => Promise<Out>

/** In a transaction that only reads, on a connection of the pool that is closed afterwards, which undoes all else. */
async function askClient<Out>(
  pool: object | undefined,
  connect: (...args: never[]) => unknown,
  work: (ask: Ask) => Promise<Out>,
): Promise<Out> {
  if (pool === undefined) throw new Error('the pool is closed')
  const taking = Promise.resolve<unknown>(Reflect.apply(connect, pool, []))
  const client = await withinBudget(taking, 10_000, () => {
    // One that comes too late goes back unused.
    taking.then((late) => isLent(late) && late.release()).catch(() => undefined)
    return new Error('the pool gave no connection within 10 seconds')
  })
  if (!isLent(client)) throw new Error('the pool gave no connection')
  const send = async (query: object): Promise<unknown> =>
    Reflect.apply(client.query, client, [{ ...query, rowMode: 'array' }])
  let isClosed = false
  try {
    // `pg-native` sends any text by the simple protocol.
    if ('native' in client) throw new Error('this needs the JavaScript client of pg')
    // Only outside of a transaction they are equal.
    const compared = await send({ text: 'SELECT (now() = statement_timestamp())::text' }).catch(() => null)
    if (rowsOf(compared)[0] !== 'true') throw new Error('the application has left a transaction open on it')
    isClosed = true
    const ask: Ask = async (text) => send({ text, queryMode: 'extended', rows: 1000 })
    await ask('BEGIN READ ONLY')
    await ask(`SET LOCAL statement_timeout = ${readLimits.ms}`)
    return await work(ask)
  } finally {
    Reflect.apply(client.release, client, [isClosed])
  }
}

function pgExplain(onClient: OnClient): Explain {
  return async (text) =>
    onClient(async (ask) => {
      const { prepared, parameters } = withParameters(text)
      await ask('SET LOCAL plan_cache_mode = force_generic_plan')
      await ask(`PREPARE fanlight_explain AS ${prepared}`)
      const values = parameters === 0 ? '' : `(${Array.from({ length: parameters }, () => 'NULL').join(', ')})`
      return rowsOf(await ask(`EXPLAIN EXECUTE fanlight_explain${values}`))
    })
}

/** A role with one of these reaches files, programs or other connections, which no transaction undoes. */
const powers = `SELECT rolname FROM pg_roles WHERE (rolsuper OR rolreplication OR rolname IN ('pg_read_server_files',
  'pg_write_server_files', 'pg_execute_server_program', 'pg_signal_backend', 'pg_checkpoint', 'pg_maintain'))
  AND (pg_has_role(session_user, oid, 'MEMBER') OR pg_has_role(current_user, oid, 'MEMBER')) LIMIT 1`
/** Functions that work outside of a transaction, or that run a text; and what hides a name. */
const refused =
  /pg_(?:terminate|cancel)_backend|pg_logical_emit_message|dblink\w*|query_to_xml\w*|ts_stat|ts_rewrite|crosstab\w*|connectby|xpath_table|U&"/i

/** Through a cursor, which takes nothing but a SELECT. */
function pgRows(onClient: OnClient): RowSource {
  return async (sql) =>
    onClient(async (ask) => {
      const { rows: most, columns, cell } = readLimits
      const power = refused.exec(sql)?.[0] ?? rowsOf(await ask(powers))[0]
      if (power !== undefined) throw new Error(`${power} may do more than read; use other functions, and a plain role`)
      // It is whole by itself: no bracket of it ends what is around it.
      await ask(`DECLARE fanlight_text CURSOR FOR ${sql}`)
      await ask(`DECLARE fanlight CURSOR FOR SELECT (SELECT json_agg(json_build_array(key, left(value, ${cell})))
          FROM (SELECT * FROM json_each_text(row_to_json(t)) LIMIT ${columns + 1}) AS e)::text FROM (${sql}\n) AS t`)
      const found = rowsOf(await ask(`FETCH ${most} FROM fanlight`)).map((row) => JSON.parse(row) as Pairs)
      const names = found[0]?.map(([name]) => name) ?? []
      if (names.length > columns) throw new Error(`it has more than ${columns} columns`)
      const database = `postgresql ${rowsOf(await ask('SELECT current_catalog'))[0] ?? ''}`
      return { database, columns: names, rows: found.map((row) => row.map(([, value]) => value)) }
    })
}

type Pairs = readonly (readonly [column: string, value: string | null])[]

/** Literals that were taken out become parameters after those that are there. */
function withParameters(text: string): { readonly prepared: string; readonly parameters: number } {
  let parameters = Math.max(0, ...[...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)))
  const prepared = text.replace(/"(?:[^"]|"")*"|\?/g, (part) => (part === '?' ? `$${++parameters}` : part))
  return { prepared, parameters }
}

/** The first column of each row. */
function rowsOf(result: unknown): readonly string[] {
  const rows: unknown = typeof result === 'object' && result !== null ? Reflect.get(result, 'rows') : undefined
  return Array.isArray(rows) ? rows.map((row: unknown) => (Array.isArray(row) ? String(row[0]) : '')) : []
}
