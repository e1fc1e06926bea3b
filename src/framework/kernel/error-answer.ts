// Makes the answer for whatever was thrown, in three levels: the error handler's page, a small static page, constant
// bytes. The level above may throw; the status stays the same (SECURITY R11).

import { Reply } from '../http/reply.ts'
import { errorAnswerFailed } from '../log/lines.ts'
import type { LogSink } from '../log/logger.ts'
import { attempt, type Awaitable } from './awaitable.ts'
import { describeFailure } from './describe-failure.ts'
import type { ErrorResponder } from './error-responder.ts'
import { errorStatus } from './error-status.ts'
import type { Exchange } from './exchange.ts'

/** Asks the responders in order; the last word is constant bytes. */
export class ErrorAnswer {
  readonly #responders: readonly ErrorResponder[]
  readonly #log: LogSink

  constructor(responders: readonly ErrorResponder[], log: LogSink) {
    this.#responders = responders
    this.#log = log
  }

  /** The answer for `exchange.failure`, drawn by a sub-request of its own. Never throws, never rejects. */
  make(exchange: Exchange): Awaitable<Reply> {
    return this.#ask(0, exchange, errorStatus(exchange.failure?.thrown))
  }

  #ask(level: number, exchange: Exchange, statusCode: number): Awaitable<Reply> {
    const responder = this.#responders[level]
    if (responder === undefined) return constantBytes(statusCode)
    return attempt(
      () => this.#respond(responder, exchange, statusCode),
      (thrown) => {
        this.#log.write(errorAnswerFailed({ level: responder.name, ...describeFailure(thrown) }))
        return this.#ask(level + 1, exchange, statusCode)
      },
    )
  }

  async #respond(responder: ErrorResponder, exchange: Exchange, statusCode: number): Promise<Reply> {
    const child = exchange.createChild(responder.name)
    const span = exchange.recording?.startSpan({ name: responder.name, category: 'sub-request' })
    try {
      child.reply = await responder.respond(child, statusCode)
      span?.end()
      return child.reply
    } catch (thrown) {
      span?.end('error')
      throw thrown
    } finally {
      child.recording?.finish()
    }
  }
}

function constantBytes(statusCode: number): Reply {
  const headers = [
    'content-type',
    'text/plain; charset=utf-8',
    'cache-control',
    'no-store',
    'x-content-type-options',
    'nosniff',
  ]
  return new Reply(statusCode, headers, `Error ${statusCode}\n`)
}
