// The requests of a server that have begun and not ended: those whose handler runs, and those whose response leaves.

import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { OwnMap, OwnSet } from '../timing/builtins.ts'
import { isGone } from './app-request.ts'

export class RunningRequests {
  /** The newest response of each connection, or of each stream of HTTP/2. */
  readonly #responses = new OwnMap<Duplex, ServerResponse>()
  /** Those whose handler has given a promise that has not settled. */
  readonly #handled = new OwnSet<ServerResponse>()

  /** `outlet`: the connection, or the stream of HTTP/2. */
  begin(outlet: Duplex, response: ServerResponse): void {
    if (!this.#responses.has(outlet)) outlet.once('close', () => this.#responses.delete(outlet))
    this.#responses.set(outlet, response)
  }

  /** The newest response on a connection. */
  responseOn(outlet: Duplex): ServerResponse | undefined {
    return this.#responses.get(outlet)
  }

  handles(response: ServerResponse): void {
    this.#handled.add(response)
  }

  hasHandled(response: ServerResponse): void {
    this.#handled.delete(response)
  }

  /** The connection is no longer one of HTTP. */
  forget(outlet: Duplex): void {
    this.#responses.delete(outlet)
  }

  /** Counts, each time it is called, those of the requests that run now which have not ended by then. */
  watch(): () => number {
    let watched = new Set([...this.#handled, ...this.#responses.values()])
    return () => {
      watched = new Set([...watched].filter((response) => this.#handled.has(response) || isLeaving(response)))
      return watched.size
    }
  }
}

/** Node takes the connection from a response that has left. */
function isLeaving(response: ServerResponse): boolean {
  return response.socket !== null && !response.writableFinished && !isGone(response)
}
