// Makes the reply for whatever was thrown: the error handler's page, else a small static page, else constant bytes. A level may
// throw; the next one takes over with the same status (SECURITY R11).

import { types } from 'node:util'
import { protectiveHeaders } from '../../base/http/header-fields.ts'
import { Reply } from '../../base/http/reply.ts'
import { responderFailed } from '../../base/log/lines.ts'
import { isPromise, type Awaitable, membersOf } from '../../base/members.ts'
import { describeFailure } from './describe-failure.ts'
import type { Exchange } from './exchange.ts'
import { unreadMiss } from './route-step.ts'

export interface ErrorResponder {
  /** For people: `error handler`. */
  readonly name: string
  /**
   * `exchange.failure` holds what was thrown. Of a recorded request `exchange` is a sub-request, and `exchange.parent` the request that
   * failed. If it throws, the next responder is asked.
   */
  respond(exchange: Exchange, statusCode: number): Awaitable<Reply>
  /** Notes a failure that a listener has responded to with this status. Default: nothing is noted. */
  noteHandled?(exchange: Exchange, statusCode: number): Promise<void>
}

/** Asks the responders in order. */
export class ErrorReply {
  readonly #responders: readonly ErrorResponder[]

  constructor(responders: readonly ErrorResponder[]) {
    this.#responders = responders
  }

  /** The reply for `exchange.failure`. Never rejects. */
  make(exchange: Exchange): Awaitable<Reply> {
    const { failure } = exchange
    const statusCode = unreadMiss(failure)?.statusCode ?? errorStatus(failure?.thrown)
    const ask = (responder: ErrorResponder): Awaitable<Reply> =>
      exchange.recording === undefined
        ? responder.respond(exchange, statusCode)
        : askInSubRequest(responder, exchange, statusCode)
    return this.#first(exchange, ask, () => constantBytes(statusCode))
  }

  /** Notes `exchange.failure`, to which a listener has responded, and gives its reply. Never rejects. */
  note(exchange: Exchange, reply: Reply): Awaitable<Reply> {
    const ask = async (responder: ErrorResponder): Promise<void> => responder.noteHandled?.(exchange, reply.status)
    return this.#first(exchange, ask, () => reply)
  }

  /** The first reply that a responder gives, else the last resort; what one throws is logged, and the next one is asked. */
  #first(
    exchange: Exchange,
    ask: (responder: ErrorResponder) => Awaitable<Reply | void>,
    lastResort: () => Reply,
    index = 0,
  ): Awaitable<Reply> {
    const responder = this.#responders[index]
    if (responder === undefined) return lastResort()
    const settled = (reply: Reply | void): Awaitable<Reply> => {
      exchange.recording?.resume()
      return reply ?? this.#first(exchange, ask, lastResort, index + 1)
    }
    const failed = (thrown: unknown): Awaitable<Reply> => {
      const trace = traceOf(exchange.failure?.thrown)
      exchange.log.write(responderFailed({ responder: responder.name, ...describeFailure(thrown), failed: trace }))
      return settled()
    }
    exchange.recording?.pause()
    try {
      const asked = ask(responder)
      return isPromise(asked) ? asked.then(settled, failed) : settled(asked)
    } catch (thrown) {
      return failed(thrown)
    }
  }
}

/** SPEC 2.5: the responder to a recorded request runs as a sub-request with its own token. */
async function askInSubRequest(responder: ErrorResponder, exchange: Exchange, statusCode: number): Promise<Reply> {
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

/** What the responder was asked to show, so that it is logged anyway. Never throws. */
function traceOf(thrown: unknown): string[] {
  const { errorClass, message } = describeFailure(thrown)
  try {
    const stack = types.isNativeError(thrown) ? String(thrown.stack).split('\n') : []
    const calls = stack.filter((line) => line.startsWith('    at ')).slice(0, 20)
    return [`${errorClass}: ${message}`, ...calls.map((line) => line.slice(2))]
  } catch {
    return [`${errorClass}: ${message}`]
  }
}

function constantBytes(statusCode: number): Reply {
  const headers = ['content-type', 'text/plain; charset=utf-8', ...protectiveHeaders]
  return new Reply(statusCode, headers, `Error ${statusCode}\n`)
}

/** The 4xx or 5xx that an error carries as `statusCode` or `status`; else 500. Reads each once and never throws. */
function errorStatus(thrown: unknown): number {
  try {
    if (typeof thrown !== 'object' || thrown === null) return 500
    const { statusCode, status } = membersOf(thrown)
    if (isErrorStatus(statusCode)) return statusCode
    return isErrorStatus(status) ? status : 500
  } catch {
    return 500
  }
}

function isErrorStatus(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 400 && value <= 599
}
