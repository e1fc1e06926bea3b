// The exchanges that are being recorded and have not ended: in this process, of one application. The recorder adds and
// removes; pages and log lines read. With recording off nothing is ever added.

import type { Exchange } from './exchange.ts'

export interface OpenExchangeList extends Iterable<Exchange> {
  /** How many there are, sub-requests not counted. */
  readonly size: number
}

/** The list itself. An exchange is in it from its first listener until its response has left, or no longer can. */
export class OpenExchanges implements OpenExchangeList {
  /** A new one after each removal: the old tables of a `Map` would hold what has gone, until a full collection. */
  #exchanges: Exchange[] = []
  readonly #waiting = new Map<Exchange, PromiseWithResolvers<void>>()

  add(exchange: Exchange): void {
    this.#exchanges.push(exchange)
  }

  /** Removes exchanges, and wakes those who wait for their end. */
  remove(ended: readonly Exchange[]): void {
    const gone = new Set(ended)
    this.#exchanges = this.#exchanges.filter((exchange) => !gone.has(exchange))
    if (this.#waiting.size === 0) return
    for (const exchange of ended) {
      this.#waiting.get(exchange)?.resolve()
      this.#waiting.delete(exchange)
    }
  }

  /** How many there are, sub-requests not counted. */
  get size(): number {
    return this.#exchanges.length
  }

  /** Oldest first. */
  [Symbol.iterator](): Iterator<Exchange> {
    return this.#exchanges.values()
  }

  /** The running request that a token names, by its own or by that of a sub-request. Asked for by readers, seldom. */
  find(token: string): Exchange | undefined {
    return this.#exchanges.find((exchange) => partWith(exchange, token) !== undefined)
  }

  /** Settles when an exchange of the list has ended; at once for one that is not in it. */
  async ended(exchange: Exchange): Promise<void> {
    if (!this.#exchanges.includes(exchange)) return
    let waiting = this.#waiting.get(exchange)
    if (waiting === undefined) {
      waiting = Promise.withResolvers<void>()
      this.#waiting.set(exchange, waiting)
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
