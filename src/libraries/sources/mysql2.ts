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

/**
 * Captures `mysql2`. A query that waits for a connection of a pool is sent in the context of the request that released the
 * connection, so waits are followed too.
 */
export function mysql2Source(owner: CaptureOwner): Pick<Channels, 'start' | 'stop'> {
  /** Waits for a connection, by the object that their messages share. */
  const waits = new WeakMap<object, Wait>()
  /** Call site of the wait whose callback is running. */
  let site: Error | null = null
  /** All applications of a process hear the same channels; the owner acts. */
  const owns = (exchange: Exchange | undefined): boolean => ownerOf(exchange?.recording) === owner

  const enter = (wait: Wait): void => {
    site = wait.site
    const current = currentExchange()
    if (wait.asker === current || !owns(wait.asker ?? current)) return
    wait.interrupted = { exchange: current }
    switchExchange(wait.asker)
  }
  const queries = tracingSource(owner, {
    channels: ['mysql2:query', 'mysql2:execute'],
    start: (message) => startOf(message, site ?? deepStackFrames),
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
      if (wait) enter(wait)
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

/** A request that waits for a connection. */
interface Wait {
  readonly asker: Exchange | undefined
  readonly site: Error | null
  /** The exchange to return to after the callback; `null` if none was left. */
  interrupted: { readonly exchange: Exchange | undefined } | null
}

/** `query()` puts values into the text, `execute()` sends them separately. */
function startOf(message: Message, site: Error | number): QueryStart {
  const sql = String(message['query'])
  const { database, serverAddress, serverPort, values } = message
  return {
    system: 'mysql',
    library: 'mysql2',
    text: sqlText(sql, 'mysql'),
    namespace: typeof database === 'string' && database !== '' ? database : null,
    key: valueKey([sql, values]),
    use: () => sqlUse(JSON.stringify(['mysql', serverAddress, serverPort, database]), sql, values),
    site,
  }
}
