// The port behind which error answers are made. The kernel asks its responders in order: page, small static page; if all
// of them throw, it writes constant bytes itself.

import type { Reply } from '../http/reply.ts'
import type { Awaitable } from './awaitable.ts'
import type { Exchange } from './exchange.ts'

/** Makes the answer for a failed exchange. It may throw: then the next responder answers. */
export interface ErrorResponder {
  /** For people: `error handler`. */
  readonly name: string
  /** `exchange` is the sub-request; `exchange.failure` holds what was thrown, `exchange.parent` the failed request. */
  respond(exchange: Exchange, statusCode: number): Awaitable<Reply>
}
