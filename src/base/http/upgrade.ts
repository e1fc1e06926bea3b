// What takes a connection over from HTTP.

import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'

/** The raw parts of a handshake, as an `upgrade` event of Node has them. */
export interface UpgradeParts {
  /** The request as Node parsed it, for the library that takes the socket over. */
  readonly request: IncomingMessage
  /** The connection; nothing has been written in response. Ended with the application at the latest. */
  readonly socket: Duplex
  /** What the client sent after the handshake. */
  readonly head: Buffer
  /** Header fields of the reply (cookies, `X-Debug-Token`), a line each: `Set-Cookie: a=1`. */
  readonly headers: readonly string[]
}

/** Writes the response to a handshake and serves the connection from then on. */
export type AcceptUpgrade = (parts: UpgradeParts) => void

/** The body of a reply that `upgrade()` makes. */
export class Upgrade {
  readonly accept: AcceptUpgrade

  constructor(accept: AcceptUpgrade) {
    this.accept = accept
  }
}
