// The port between a host and the application: what a host calls for each request.

import type { Reply } from '../../base/http/reply.ts'
import type { HttpRequest } from '../../base/http/request.ts'
import type { Awaitable } from '../../base/awaitable.ts'
import type { ClientConnection, Exchange, SentResponse } from '../kernel/exchange.ts'
import type { ForeignResponse } from './first-send.ts'

/** A handled request; an `Exchange` is one. */
export interface HandledRequest {
  /** The response. If there is none, the host sends a constant 500. */
  readonly reply: Reply | undefined
}

/** What became of a response. */
export interface Sent extends SentResponse {
  /** What the stream of the body threw, if that ended it. */
  readonly error?: unknown
}

/** What a host refused before it became a request; `null` for what it could not read. */
export interface Refusal {
  readonly method: string | null
  /** Without its query. */
  readonly path: string | null
  readonly status: number
  /** Address of the other end of the socket. */
  readonly client: string
}

/** An application as hosts see it. */
export interface RequestHandler<Handled extends HandledRequest = Exchange> {
  /**
   * Handles a request, synchronously where possible. Must not throw or reject; if it does, the host sends a constant 500.
   * `client` tells whether the client is still there.
   */
  handle(request: HttpRequest, client?: ClientConnection): Awaitable<Handled>
  /** `false` if `terminate` need not be called. Default: `true`. */
  readonly hearsEnds?: boolean
  /** Called before `terminate` when other code that shares the response has responded first. Must not throw. */
  respondedElsewhere?(handled: Handled, sent: ForeignResponse): void
  /** Whether to record where other code sends responses, on servers that the host did not create. Default: `false`. */
  readonly watchesSends?: boolean
  /** Called when a request is refused without it. Must not throw. */
  refused?(refusal: Refusal): void
  /** Called once per response, after its last byte left or could not leave. Must not throw. */
  terminate(handled: Handled, sent: Sent): void
}
