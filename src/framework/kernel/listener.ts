// The five moments of a request that code can take part in.

import type { Reply } from '../http/reply.ts'
import type { Awaitable } from './awaitable.ts'
import type { Exchange } from './exchange.ts'

/** Takes part in every request. Moments run in the order of the list; `onResponse` runs in reverse: first in, last out. */
export interface Listener {
  /** For people: shown in the profiler and in log lines. */
  readonly name: string
  /** Marks the profiler's own instrumentation: it gets no span, and its time is charged to the profiler. Default: not set. */
  readonly isInstrumentation?: true
  /** Before the route is looked up. A `Reply` is sent as it is: no route, no other listener, no `onResponse`. */
  onRequest?(exchange: Exchange): Awaitable<Reply | undefined | void>
  /** A route matched: `exchange.route` and `exchange.request.params` are set. */
  onMatch?(exchange: Exchange): Awaitable<void>
  /** Something was thrown: `exchange.failure` is set. The error handler makes the reply afterwards. */
  onError?(exchange: Exchange): Awaitable<void>
  /** There is a reply. Change its headers, or return another one. */
  onResponse?(exchange: Exchange, reply: Reply): Awaitable<Reply | undefined | void>
  /** The response has left, or never could. Nobody waits for this. */
  onTerminate?(exchange: Exchange, reply: Reply): Awaitable<void>
}
