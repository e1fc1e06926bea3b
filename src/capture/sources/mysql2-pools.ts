// A statement that waited for a free connection of a `mysql2` pool is sent by whoever gave the connection back, so it would
// be shown in that request. Here it is given back to its own.

import { currentExchange, switchExchange } from '../../kernel/current-exchange.ts'
import type { Exchange } from '../../kernel/exchange.ts'
import { ownerName, type StatementOwner } from '../begin-statement.ts'
import { Channels } from '../channels.ts'
import { databaseName } from '../statements.ts'

/** Follows those who wait for a connection. */
export class Mysql2Pools {
  readonly #owner: StatementOwner
  /** Who asked for a connection, by the object that all messages about it share. */
  readonly #askers = new WeakMap<object, Exchange | undefined>()
  /** Who is to go on after the callback that was given the connection. */
  readonly #interrupted = new WeakMap<object, Exchange | undefined>()
  readonly #channels: Channels

  constructor(owner: StatementOwner) {
    this.#owner = owner
    this.#channels = new Channels(databaseName, {
      'tracing:mysql2:pool:connect:start': (message) => {
        if (isMessage(message)) this.#askers.set(message, currentExchange())
      },
      'tracing:mysql2:pool:connect:asyncStart': (message) => {
        if (isMessage(message)) this.#enter(message)
      },
      'tracing:mysql2:pool:connect:asyncEnd': (message) => {
        if (isMessage(message)) this.#leave(message)
      },
    })
  }

  /** Begins to listen. */
  start(): void {
    this.#channels.start()
  }

  /** Stops listening. */
  stop(): void {
    this.#channels.stop()
  }

  #enter(message: object): void {
    if (!this.#askers.has(message)) return
    const asker = this.#askers.get(message)
    const current = currentExchange()
    if (asker === current || !this.#owns(asker ?? current)) return
    this.#interrupted.set(message, current)
    switchExchange(asker)
  }

  #leave(message: object): void {
    if (this.#interrupted.has(message)) switchExchange(this.#interrupted.get(message))
  }

  /** Several applications may hear the same channels; one of them acts. */
  #owns(exchange: Exchange | undefined): boolean {
    return exchange?.recording?.kept(ownerName) === this.#owner
  }
}

function isMessage(message: unknown): message is object {
  return typeof message === 'object' && message !== null
}
