// The port between a host and the application: what a host calls for each request. The application implements it; the
// adapter knows nothing else of it.

import type { RequestBody } from '../http/body.ts'
import type { Reply } from '../http/reply.ts'
import type { RequestContext } from '../http/request-context.ts'
import type { Awaitable } from '../kernel/awaitable.ts'
import type { ClientConnection, Exchange, SentAnswer } from '../kernel/exchange.ts'
import type { ForeignAnswer } from './first-send.ts'

/** An answered request; an `Exchange` is one. */
export interface Answered {
  /** The answer. Without one the host answers with constant bytes and status 500. */
  readonly reply: Reply | undefined
}

/** What became of an answer. */
export interface Sent extends SentAnswer {
  /** What the body's stream threw, where that was the reason. */
  readonly error?: unknown
}

/** An application as hosts see it. */
export interface Front<Answer extends Answered = Exchange> {
  /**
   * Answers a request, at once where that is possible. Must not throw or reject; if it does, the host answers with constant
   * bytes. `client` tells whether anybody waits for the answer still.
   */
  handle(context: RequestContext, body: RequestBody, client?: ClientConnection): Awaitable<Answer>
  /** `false` where nobody wants to know what became of an answer: then `terminate` may be left out. Default: `true`. */
  readonly hearsEnds?: boolean
  /**
   * Called before `terminate` for an answer that cannot be sent, because other code that shares the response had answered
   * before. Must not throw.
   */
  answeredElsewhere?(answer: Answer, sent: ForeignAnswer): void
  /** Whether the places of such sends are noted on responses of a server of somebody else's. Default: `false`. */
  readonly watchesSends?: boolean
  /** Names, in lower case, of fields that come last and differ from answer to answer: the rest of a head is known again without them. */
  readonly changingFields?: ReadonlySet<string> | undefined
  /** Called once for each answer, after its last byte left or could leave no more. Must not throw. */
  terminate(answer: Answer, sent: Sent): void
}
