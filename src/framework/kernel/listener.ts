// The five moments of a request. A listener implements those it cares for; the order of one list (in create-app.ts) is the
// run order.

import type { Reply } from '../http/reply.ts'
import type { Awaitable } from './awaitable.ts'
import type { Exchange } from './exchange.ts'

/** Something that takes part in every request. */
export interface Listener {
  /** For people: shown in the profiler and in log lines. */
  readonly name: string
  /**
   * Whether it only watches for the profiler: it gets no span and no line among the listeners, but its time is counted as a cost of
   * the profiler. Default: no.
   */
  readonly isInstrumentation?: true
  /** Before the route is looked up. A `Reply` answers at once, and nothing below runs: no route, no `onResponse`. */
  onRequest?(exchange: Exchange): Awaitable<Reply | undefined | void>
  /** A route took the request: `exchange.route` and `exchange.params` are set. */
  onMatch?(exchange: Exchange): Awaitable<void>
  /** Something was thrown: `exchange.failure` is set. The error handler answers afterwards. */
  onError?(exchange: Exchange): Awaitable<void>
  /** There is an answer. Change its headers, or return another one. */
  onResponse?(exchange: Exchange, reply: Reply): Awaitable<Reply | undefined | void>
  /** The answer has left (or never could). Nobody waits for this. */
  onTerminate?(exchange: Exchange, reply: Reply): Awaitable<void>
}
