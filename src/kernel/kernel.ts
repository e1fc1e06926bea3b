// The whole life of a request on one screen. Each step is a call with a telling name; the details live behind it.

import type { Reply } from '../http/reply.ts'
import { andThen, attempt, type Awaitable } from './awaitable.ts'
import type { ErrorAnswer } from './error-answer.ts'
import type { Exchange } from './exchange.ts'
import type { Moments } from './moments.ts'
import type { RouteStep } from './route-step.ts'
import { toReply } from './to-reply.ts'

/** What a kernel is made of. */
export interface KernelParts {
  /** The listeners, by the moment they care for. */
  readonly moments: Moments
  /** Finds the route and its handler, or throws an HTTP error. */
  readonly routeStep: RouteStep
  /** Makes the answer for whatever was thrown. */
  readonly errorAnswer: ErrorAnswer
}

/** Turns exchanges into replies. Knows ports only: no router, page or store of ours. */
export class Kernel {
  readonly #moments: Moments
  readonly #routeStep: RouteStep
  readonly #errorAnswer: ErrorAnswer

  constructor(parts: KernelParts) {
    this.#moments = parts.moments
    this.#routeStep = parts.routeStep
    this.#errorAnswer = parts.errorAnswer
  }

  /** Answers a request. Never throws and never rejects: whatever goes wrong becomes an error answer. */
  handle(exchange: Exchange): Awaitable<Reply> {
    return attempt(
      () => andThen(this.#moments.request(exchange), (early) => early ?? this.#serve(exchange)),
      (thrown) => this.#fail(exchange, thrown),
    )
  }

  /** Ends a request whose answer has left, or never could. Nobody waits for it; it never throws. */
  terminate(exchange: Exchange): void {
    this.#moments.terminate(exchange)
  }

  #serve(exchange: Exchange): Awaitable<Reply> {
    const handler = this.#routeStep.find(exchange)
    return andThen(this.#moments.match(exchange), () =>
      andThen(this.#moments.controller(exchange, handler), (result) => this.#respond(exchange, toReply(result, exchange))),
    )
  }

  #fail(exchange: Exchange, thrown: unknown): Awaitable<Reply> {
    exchange.failure = { thrown }
    return andThen(this.#moments.error(exchange), () =>
      andThen(this.#errorAnswer.make(exchange), (reply) =>
        attempt(
          () => this.#respond(exchange, reply),
          () => reply,
        ),
      ),
    )
  }

  #respond(exchange: Exchange, reply: Reply): Awaitable<Reply> {
    exchange.reply = reply
    return andThen(this.#moments.response(exchange, reply), (replaced) => {
      exchange.reply = replaced ?? reply
      return exchange.reply
    })
  }
}
