// Statements to MySQL and MariaDB, as `mysql2` (from 3.20) publishes them.

import { currentExchange, switchExchange } from '../../../framework/kernel/current-exchange.ts'
import type { Exchange } from '../../../framework/kernel/exchange.ts'
import { deepStackFrames, ownerName, type StatementOwner } from '../begin-statement.ts'
import { markCallSite, type CallSiteMark } from '../call-site.ts'
import { Channels } from '../channels.ts'
import type { StatementStart } from '../statement.ts'
import { sqlText } from '../statement-text.ts'
import { databaseName } from '../statements.ts'
import { valueKey } from '../value-key.ts'
import { sqlRows } from './sql-rows.ts'
import { TracingSource } from './tracing-source.ts'

/**
 * Captures `mysql2`. What goes through a pool is sent when a connection is free, by whoever gave it back: there it would be
 * shown in that request, without the line that asked. So those who wait for a connection are followed, too.
 */
export class Mysql2Source {
  readonly #owner: StatementOwner
  readonly #statements: TracingSource
  readonly #pools: Channels
  /** Who waits for a connection, by the object that all messages about it share. */
  readonly #waits = new WeakMap<object, Wait>()
  /** The line that asked for the connection whose callback runs. */
  #site: CallSiteMark | null = null

  constructor(owner: StatementOwner) {
    this.#owner = owner
    this.#statements = new TracingSource(owner, {
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

  /** Begins to listen. */
  start(): void {
    this.#statements.start()
    this.#pools.start()
  }

  /** Stops listening. */
  stop(): void {
    this.#statements.stop()
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

  /** Several applications may hear the same channels; one of them acts. */
  #owns(exchange: Exchange | undefined): boolean {
    return exchange?.recording?.kept(ownerName) === this.#owner
  }
}

/** Somebody who has asked for a connection. */
interface Wait {
  readonly asker: Exchange | undefined
  readonly site: CallSiteMark | null
  /** Who goes on after the callback; `null` where nobody was interrupted. */
  interrupted: { readonly exchange: Exchange | undefined } | null
}

/** `query()` writes values into the text before it sends it, `execute()` sends them apart. */
function startOf(message: Readonly<Record<string, unknown>>, site: CallSiteMark | number): StatementStart {
  const sql = String(message['query'])
  const { database } = message
  return {
    system: 'mysql',
    library: 'mysql2',
    text: sqlText(sql, 'mysql'),
    namespace: typeof database === 'string' && database !== '' ? database : null,
    key: valueKey([sql, message['values']]),
    site,
  }
}

function isMessage(message: unknown): message is object {
  return typeof message === 'object' && message !== null
}
