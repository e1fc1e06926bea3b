// What answers a request once its route is known.

import type { Reply } from '../http/reply.ts'
import type { Awaitable } from './awaitable.ts'
import type { Exchange } from './exchange.ts'

/** Answers an exchange with a `Reply` (`html()`, `json()`, …) or a Fetch `Response`. Whatever it throws becomes an error answer. */
export type Handler<Params extends object = Readonly<Record<string, string>>> = (
  exchange: Exchange<Params>,
) => Awaitable<Reply | Response>

/** Gives the handlers in a route table their exchange, typed by the path: routing itself does not know the kernel. */
declare module '../routing/route-handler.ts' {
  interface RouteHandlerTypes<Params extends object> {
    readonly handler: Handler<Params>
  }
}
