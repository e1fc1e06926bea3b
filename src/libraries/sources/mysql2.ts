// Queries to MySQL and MariaDB, as `mysql2` (from 3.20) publishes them.

import { currentExchange, switchExchange } from '../../http/kernel/current-exchange.ts'
import type { Exchange } from '../../http/kernel/exchange.ts'
import { deepStackFrames } from '../../observe/capture/begin-query.ts'
import { ownerOf } from '../../observe/capture/owner.ts'
import { type QueryOwner, databaseName, type QueryStart } from '../../observe/capture/queries.ts'
import { markCallSite } from '../../observe/capture/call-site.ts'
import { Channels, isMessage, sqlRows, tracingSource, type Message } from '../../observe/capture/tracing-source.ts'
import { sqlText, valueKey } from '../../observe/capture/query-text.ts'
import { sqlUse } from '../../observe/capture/shared-values.ts'

/**
 * Captures `mysql2`. A query that waits for a connection of a pool is sent in the context of the request that released the
 * connection, so waits are followed too.
 */
export class Mysql2Source {
  readonly #owner: QueryOwner
  readonly #queries: Channels
  readonly #pools: Channels
  /** Waits for a connection, by the object that their messages share. */
  readonly #waits = new WeakMap<object, Wait>()
  /** Call site of the wait whose callback is running. */
  #site: Error | null = null

  constructor(owner: QueryOwner) {
    this.#owner = owner
    this.#queries = tracingSource(owner, {
      channels: ['mysql2:query', 'mysql2:execute'],
      start: (message) => startOf(message, this.#site ?? deepStackFrames),
      rowsOf: sqlRows,
    })
    this.#pools = new Channels(databaseName, {
      'tracing:mysql2:pool:connect:start': (message) => {
        if (isMessage(message)) this.#waits.set(message, this.#beginWait())
      },
      'tracing:mysql2:pool:connect:asyncStart': (message) => {
        if (isMessage(message)) this.#enter(this.#waits.get(message))
      },
      'tracing:mysql2:pool:connect:asyncEnd': (message) => {
        if (!isMessage(message)) return
        this.#leave(this.#waits.get(message))
        this.#waits.delete(message)
      },
    })
  }

  start(): void {
    this.#queries.start()
    this.#pools.start()
  }

  stop(): void {
    this.#queries.stop()
    this.#pools.stop()
  }

  #beginWait(): Wait {
    const asker = currentExchange()
    return { asker, site: this.#owns(asker) ? markCallSite(deepStackFrames) : null, interrupted: null }
  }

  #enter(wait: Wait | undefined): void {
    if (wait === undefined) return
    this.#site = wait.site
    const current = currentExchange()
    if (wait.asker === current || !this.#owns(wait.asker ?? current)) return
    wait.interrupted = { exchange: current }
    switchExchange(wait.asker)
  }

  #leave(wait: Wait | undefined): void {
    this.#site = null
    const interrupted = wait?.interrupted ?? null
    if (interrupted !== null) switchExchange(interrupted.exchange)
  }

  /** All applications of a process hear the same channels; the owner acts. */
  #owns(exchange: Exchange | undefined): boolean {
    return ownerOf(exchange?.recording) === this.#owner
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
