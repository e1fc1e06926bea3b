// The whole life of a request on one screen. Each step is a call with a telling name; the details live behind it. Steps that
// are done at once are followed at once: a promise is made only where a listener or a handler brings one.

import type { Reply } from '../http/reply.ts'
import { andThen, isPromise, type Awaitable } from './awaitable.ts'
import type { ErrorAnswer } from './error-answer.ts'
import type { Exchange } from './exchange.ts'
import type { Handler } from './handler.ts'
import type { MissAnswer } from './miss-answer.ts'
import type { Moments } from './moments.ts'
import { missError, type RouteMiss } from './route-miss.ts'
import type { RouteStep } from './route-step.ts'
import { toReply } from './to-reply.ts'

/** What a kernel is made of. */
export interface KernelParts {
  /** The listeners, by the moment they care for. */
  readonly moments: Moments
  /** Finds the route and its handler, or says why there is none. */
  readonly routeStep: RouteStep
  /** Makes the answer for whatever was thrown. */
  readonly errorAnswer: ErrorAnswer
  /** Answers requests that no route took, where nobody looks at the error. Default: they are errors like any other. */
  readonly missAnswer?: MissAnswer
}

/** Turns exchanges into replies. Knows ports only: no router, page or store of ours. */
export class Kernel {
  readonly #moments: Moments
  readonly #routeStep: RouteStep
  readonly #errorAnswer: ErrorAnswer
  readonly #missAnswer: MissAnswer | undefined

  constructor(parts: KernelParts) {
    this.#moments = parts.moments
    this.#routeStep = parts.routeStep
    this.#errorAnswer = parts.errorAnswer
    this.#missAnswer = parts.missAnswer
  }

  /** Whether somebody cares for the end of a request: if not, `terminate` need not be called. */
  get hasTerminate(): boolean {
    return this.#moments.hasTerminate
  }

  /**
   * Answers a request: puts the reply on the exchange and gives it back. Never throws and never rejects: whatever goes wrong
   * becomes an error answer.
   */
  handle(exchange: Exchange): Awaitable<Exchange> {
    try {
      const early = this.#moments.request(exchange)
      if (!isPromise(early)) return this.#serve(exchange, early)
      return early
        .then((reply) => this.#serve(exchange, reply))
        .catch((thrown: unknown) => this.#fail(exchange, thrown))
    } catch (thrown) {
      return this.#fail(exchange, thrown)
    }
  }

  /** Ends a request whose answer has left, or never could. Nobody waits for it; it never throws. */
  terminate(exchange: Exchange): void {
    this.#moments.terminate(exchange)
  }

  #serve(exchange: Exchange, early: Reply | undefined): Awaitable<Exchange> {
    if (early !== undefined) return answeredWith(early, exchange)
    const handler = this.#routeStep.find(exchange)
    if (typeof handler !== 'function') return this.#miss(exchange, handler)
    const matched = this.#moments.match(exchange)
    if (!isPromise(matched)) return this.#control(exchange, handler)
    return matched.then(() => this.#control(exchange, handler)).catch((thrown: unknown) => this.#fail(exchange, thrown))
  }

  #control(exchange: Exchange, handler: Handler): Awaitable<Exchange> {
    const result = this.#moments.controller(exchange, handler)
    if (!isPromise(result)) return this.#conclude(exchange, result)
    return result.then(
      (value) => this.#conclude(exchange, value),
      (thrown: unknown) => this.#fail(exchange, thrown),
    )
  }

  #conclude(exchange: Exchange, result: unknown): Awaitable<Exchange> {
    try {
      const answered = this.#respond(exchange, toReply(result, exchange))
      return isPromise(answered) ? answered.catch((thrown: unknown) => this.#fail(exchange, thrown)) : answered
    } catch (thrown) {
      return this.#fail(exchange, thrown)
    }
  }

  #respond(exchange: Exchange, reply: Reply): Awaitable<Exchange> {
    exchange.reply = reply
    const replaced = this.#moments.response(exchange, reply)
    if (isPromise(replaced)) return replaced.then((last) => answeredWith(last, exchange))
    return answeredWith(replaced, exchange)
  }

  #miss(exchange: Exchange, miss: RouteMiss): Awaitable<Exchange> {
    if (this.#missAnswer === undefined) throw missError(exchange.context, miss)
    exchange.miss = miss
    let reply: Reply
    try {
      reply = this.#missAnswer.answer(exchange.context, miss)
    } catch {
      return this.#fail(exchange, missError(exchange.context, miss))
    }
    const heard = this.#moments.error(exchange)
    return isPromise(heard) ? heard.then(() => this.#answer(exchange, reply)) : this.#answer(exchange, reply)
  }

  #fail(exchange: Exchange, thrown: unknown): Awaitable<Exchange> {
    exchange.failure = { thrown }
    return andThen(this.#moments.error(exchange), () =>
      andThen(this.#errorAnswer.make(exchange), (reply) => this.#answer(exchange, reply)),
    )
  }

  /** An error answer leaves as it is when a listener of `onResponse` throws. */
  #answer(exchange: Exchange, reply: Reply): Awaitable<Exchange> {
    try {
      const answered = this.#respond(exchange, reply)
      return isPromise(answered) ? answered.catch(() => answeredWith(reply, exchange)) : answered
    } catch {
      return answeredWith(reply, exchange)
    }
  }
}

function answeredWith(reply: Reply, exchange: Exchange): Exchange {
  exchange.reply = reply
  return exchange
}
