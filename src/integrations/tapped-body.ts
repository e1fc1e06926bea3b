// The body of a request that other code reads: what passes by is kept, nothing is consumed.

import type { IncomingMessage } from 'node:http'
import { RequestBody, type KeptBytes } from '../framework/http/body.ts'
import { BodyTap } from './body-tap.ts'

export class TappedBody extends RequestBody {
  #tap: BodyTap | undefined

  override get kept(): KeptBytes | undefined {
    return this.#tap === undefined || this.#tap.readBytes === 0 ? undefined : this.#tap
  }

  /** Keeps the beginning of what arrives, and of what the tap has kept already. */
  listen(request: IncomingMessage, tap: BodyTap = new BodyTap(request)): void {
    this.#tap = tap
  }
}
