// The moments of a request that code can take part in.

import type { Reply } from '../../base/http/reply.ts'
import type { Awaitable } from '../../base/awaitable.ts'
import type { Exchange } from './exchange.ts'

/** Runs the rest: the `around` of inner listeners, and the handler. Gives their reply, and throws what they throw. Call it once. */
export type Next = () => Promise<Reply>

/**
 * Takes part in every request, or in those of a group of routes. What is first in is last out: `onRequest`, `onMatch` and `around` run in the
 * order of the list, listeners of groups after those of the application; `onError` and `onResponse` run in reverse.
 */
export interface Listener {
  /** For people: shown in the profiler and in log lines. */
  readonly name: string
  /** Marks the profiler's own instrumentation: it gets no span, and its time is charged to the profiler. Default: not set. */
  readonly isInstrumentation?: true
  /** Its `onResponse` encodes the body, and so runs after all others, those of the profiler too. Default: not set. */
  readonly encodesBody?: true
  /**
   * Before the route is looked up, so a listener of a group cannot have it. A `Reply` is sent without route and handler; only listeners
   * before this one get their `onResponse`.
   */
  onRequest?(exchange: Exchange): Awaitable<Reply | undefined | void>
  /** A route matched: `exchange.route` and `exchange.request.params` are set. A `Reply` is sent in place of the handler's. */
  onMatch?(exchange: Exchange): Awaitable<Reply | undefined | void>
  /**
   * No route matched: in place of the 404 or 405 a `Reply` is sent, the first one of all listeners. `allow` are the methods that routes of this
   * path take; without any the response would be a 404. A listener of a group cannot have it.
   */
  onMiss?(exchange: Exchange, allow: readonly string[]): Awaitable<Reply | undefined | void>
  /**
   * Around the handler, after guards and validation. Returns a `Reply`, or nothing for the one that `next()` gave. What it throws becomes an
   * error response.
   */
  around?(exchange: Exchange, next: Next): Awaitable<Reply | undefined | void>
  /**
   * Something was thrown: `exchange.failure` is set. All of these run; the first `Reply` is sent in place of the error response. The error is
   * logged and shown in the profile either way.
   */
  onError?(exchange: Exchange): Awaitable<Reply | undefined | void>
  /** There is a reply. Change its headers, or return another one. */
  onResponse?(exchange: Exchange, reply: Reply): Awaitable<Reply | undefined | void>
  /** The response has left, or never could. Nobody waits for this. */
  onTerminate?(exchange: Exchange, reply: Reply): Awaitable<void>
}
