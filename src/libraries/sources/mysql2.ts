// Queries to MySQL and MariaDB, as `mysql2` (from 3.20) publishes them.

import { currentExchange, switchExchange } from '../../http/kernel/current-exchange.ts'
import type { Exchange } from '../../http/kernel/exchange.ts'
import { deepStackFrames, tracingSource } from '../../capture/begin-query.ts'
import { ownerOf, type CaptureOwner } from '../../observe/owner.ts'
import { databaseName, type QueryStart } from '../../observe/outgoing/queries.ts'
import { markCallSite } from '../../observe/call-site.ts'
import { Channels, isMessage, sqlRows, type Message } from '../../observe/tracing-source.ts'
import { sqlText, valueKey } from '../../observe/outgoing/query-text.ts'
import { sqlUse } from '../../observe/outgoing/shared-values.ts'
import type { DatabaseWays } from '../../observe/outgoing/query-plans.ts'
import { listOf, membersOf } from '../../base/members.ts'
import { readLimits } from '../../observe/outgoing/open-databases.ts'

/**
 * Captures `mysql2`. A query that waits for a connection of a pool is sent in the context of the request that released the
 * connection, so waits are followed too.
 */
export function mysql2Source(owner: CaptureOwner): Pick<Channels, 'start' | 'stop'> {
  /** Waits for a connection, by the object that their messages share. */
  const waits = new WeakMap<object, Wait>()
  /** The database of the last pool, and how to ask it: messages of queries name no pool. */
  let last: { readonly database: string; readonly ways: DatabaseWays } | undefined
  /** Call site of the wait whose callback is running. */
  let site: Error | null = null
  /** All applications of a process hear the same channels; the owner acts. */
  const owns = (exchange: Exchange | undefined): boolean => ownerOf(exchange?.recording) === owner

  const learn = (message: Message): void => {
    const { pool } = membersOf(membersOf(message['result']).config)
    if (!isPool(pool)) return
    const held = new WeakRef(pool)
    last = { database: databaseOf(message), ways: { explain: async (text) => explained(held.deref(), text) } }
  }
  const enter = (wait: Wait): void => {
    site = wait.site
    const current = currentExchange()
    if (wait.asker === current || !owns(wait.asker ?? current)) return
    wait.interrupted = { exchange: current }
    switchExchange(wait.asker)
  }
  const queries = tracingSource(owner, {
    channels: ['mysql2:query', 'mysql2:execute'],
    start: (message) => {
      const isRead = /^\s*(?:SELECT|WITH)\b/i.test(String(message['query']))
      const ways = isRead && last?.database === databaseOf(message) ? last.ways : undefined
      return { ...startOf(message, site ?? deepStackFrames), ways }
    },
    rowsOf: sqlRows,
  })
  const pools = new Channels(databaseName, {
    'tracing:mysql2:pool:connect:start': (message) => {
      if (!isMessage(message)) return
      const asker = currentExchange()
      waits.set(message, { asker, site: owns(asker) ? markCallSite(deepStackFrames) : null, interrupted: null })
    },
    'tracing:mysql2:pool:connect:asyncStart': (message) => {
      const wait = isMessage(message) && waits.get(message)
      if (!wait) return
      if (owns(wait.asker)) learn(message)
      enter(wait)
    },
    'tracing:mysql2:pool:connect:asyncEnd': (message) => {
      if (!isMessage(message)) return
      site = null
      const interrupted = waits.get(message)?.interrupted ?? null
      if (interrupted !== null) switchExchange(interrupted.exchange)
      waits.delete(message)
    },
  })
  return {
    start: () => [queries, pools].forEach((channels) => channels.start()),
    stop: () => [queries, pools].forEach((channels) => channels.stop()),
  }
}

function databaseOf({ database, serverAddress, serverPort }: Message): string {
  return JSON.stringify(['mysql', serverAddress, serverPort, database])
}

interface Wait {
  readonly asker: Exchange | undefined
  readonly site: Error | null
  /** The exchange to return to after the callback; `null` if none was left. */
  interrupted: { readonly exchange: Exchange | undefined } | null
}

/** `query()` puts values into the text, `execute()` sends them separately. */
function startOf(message: Message, site: Error | number): QueryStart {
  const sql = String(message['query'])
  const { database, values } = message
  return {
    system: 'mysql',
    library: 'mysql2',
    text: sqlText(sql, 'mysql'),
    namespace: typeof database === 'string' && database !== '' ? database : null,
    key: valueKey([sql, values]),
    use: () => sqlUse(databaseOf(message), sql, values),
    site,
  }
}

/** The parts of `mysql2` that are called. */
interface Pool {
  promise(): { getConnection(): Promise<Connection> }
}

interface Connection {
  query(text: string): Promise<readonly unknown[]>
  execute(query: object): Promise<readonly unknown[]>
  release(): void
  destroy(): void
}

function isPool(pool: unknown): pool is Pool {
  return typeof pool === 'object' && pool !== null && 'promise' in pool
}

/** In a transaction that only reads, on a connection of the pool that is closed afterwards, which undoes all else. */
async function explained(pool: Pool | undefined, text: string): Promise<readonly string[]> {
  if (pool === undefined) throw new Error('the pool is closed')
  const connection = await pool.promise().getConnection()
  let isOurs = false
  try {
    const [acknowledged] = await connection.query('DO 0')
    // The lowest bit: a transaction is open.
    if (Number(membersOf(acknowledged).serverStatus) % 2 !== 0)
      throw new Error('the application has left a transaction open on it')
    isOurs = true
    await connection.query('START TRANSACTION READ ONLY')
    // A comparison with NULL is never true, and one with a number passes over the index of a text.
    const values = Array.from(text.replace(/`[^`]*`|[^?]/g, ''), () => '1')
    // A prepared query is one, whatever the text holds.
    const [rows] = await connection.execute({
      sql: `EXPLAIN ${text}`,
      values,
      timeout: readLimits.ms,
      rowsAsArray: false,
    })
    const steps = listOf(rows).map((row) => {
      const told = Object.entries(membersOf(row)).filter(([, value]) => value !== null && value !== '')
      return told.map(([name, value]) => `${name} ${String(value)}`).join(' · ')
    })
    return values.length === 0 ? steps : ["With '1' in place of each value:", ...steps]
  } finally {
    if (isOurs) connection.destroy()
    else connection.release()
  }
}
