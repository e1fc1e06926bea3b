// The exchanges that are being recorded and have not ended: in this process, of one application. The recorder adds and
// removes; pages and log lines read. With recording off nothing is ever added.

import type { Exchange } from './exchange.ts'

/** Reads the exchanges that have not ended. */
export interface OpenExchangeList extends Iterable<Exchange> {
  /** How many there are, sub-requests not counted. */
  readonly size: number
}

/** The list itself. An exchange is in it from its first listener until its response has left, or no longer can. */
export class OpenExchanges implements OpenExchangeList {
  readonly #exchanges = new Map<string, Exchange>()
  readonly #waiting = new Map<string, PromiseWithResolvers<void>>()

  /** Adds an exchange under the token of its recording. */
  add(token: string, exchange: Exchange): void {
    this.#exchanges.set(token, exchange)
  }

  /** Removes it, and wakes those who wait for its end. */
  remove(token: string): void {
    this.#exchanges.delete(token)
    if (this.#waiting.size === 0) return
    this.#waiting.get(token)?.resolve()
    this.#waiting.delete(token)
  }

  /** How many there are, sub-requests not counted. */
  get size(): number {
    return this.#exchanges.size
  }

  /** Oldest first. */
  [Symbol.iterator](): Iterator<Exchange> {
    return this.#exchanges.values()
  }

  /** The running request that a token names, by its own or by that of a sub-request. Asked for by readers, seldom. */
  find(token: string): Exchange | undefined {
    const own = this.#exchanges.get(token)
    if (own !== undefined) return own
    for (const exchange of this.#exchanges.values()) {
      if (partWith(exchange, token) !== undefined) return exchange
    }
    return undefined
  }

  /** Settles when an exchange of the list has ended; at once for one that is not in it. */
  async ended(exchange: Exchange): Promise<void> {
    const token = exchange.recording?.token
    if (token === undefined || this.#exchanges.get(token) !== exchange) return
    let waiting = this.#waiting.get(token)
    if (waiting === undefined) {
      waiting = Promise.withResolvers<void>()
      this.#waiting.set(token, waiting)
    }
    await waiting.promise
  }
}

/** The exchange of a token among a request and its sub-requests. */
export function partWith(exchange: Exchange, token: string): Exchange | undefined {
  if (exchange.recording?.token === token) return exchange
  for (const child of exchange.children) {
    const part = partWith(child, token)
    if (part !== undefined) return part
  }
  return undefined
}
