// The whole life of a request, from top to bottom. Each step is one call; the details are in the functions.

import { asApplication } from '../../base/timing/builtins.ts'
import { Reply } from '../../base/http/reply.ts'
import type { AnyHandlerOptions } from '../../routing/route-definition.ts'
import { isPromise, type Awaitable } from '../../base/members.ts'
import type { ErrorReply } from './error-reply.ts'
import type { Exchange, Failure } from './exchange.ts'
import { type Handler, HandlerResultError, toReply } from './handler.ts'
import { innermost } from './handler-options.ts'
import { inSpan } from '../recording/recording.ts'
import type { ListenerRunner } from './listener.ts'
import type { RouteStep } from './route-step.ts'
import { withinTimeLimit } from './time-limit.ts'
import { validate } from './validate.ts'

interface KernelParts {
  readonly listeners: ListenerRunner
  readonly routeStep: RouteStep
  readonly errorReply: ErrorReply
}

type Next<T> = (value: T) => Awaitable<Exchange>

/** Turns an exchange into a reply. It knows no store, page or profiler. */
export class Kernel {
  readonly #listeners: ListenerRunner
  readonly #routeStep: RouteStep
  readonly #errorReply: ErrorReply
  /** Whether a listener has `onTerminate`: if not, `terminate` need not be called. */
  readonly hasTerminate: boolean

  constructor({ listeners, routeStep, errorReply }: KernelParts) {
    this.#listeners = listeners
    this.#routeStep = routeStep
    this.#errorReply = errorReply
    this.hasTerminate = listeners.hasTerminate
  }

  /** Puts the reply on the exchange, at once where nothing is waited for. Never throws or rejects: what goes wrong becomes an error reply. */
  handle(exchange: Exchange): Awaitable<Exchange> {
    try {
      return this.#goOn(exchange, this.#listeners.firstReply('onRequest', exchange), (early) =>
        early === undefined ? this.#answer(exchange) : sealed(exchange, early),
      )
    } catch (thrown) {
      return this.#failed(exchange, thrown)
    }
  }

  #answer(exchange: Exchange): Awaitable<Exchange> {
    const found = this.#routeStep.find(exchange)
    if (typeof found === 'function') {
      const run = (): Awaitable<Exchange> =>
        this.#goOn(exchange, this.#run(exchange, found), (result) => this.#reply(exchange, toReply(result, exchange)))
      return this.#goOn(exchange, this.#listeners.firstReply('onMatch', exchange), (given) =>
        given === undefined ? run() : this.#reply(exchange, given),
      )
    }
    const allow = found.kind === 'not_found' ? [] : found.allow
    return this.#goOn(exchange, this.#listeners.firstReply('onMiss', exchange, allow), (reply) => {
      if (reply !== undefined) return this.#reply(exchange, reply)
      // Not thrown: nobody is surprised.
      return this.#fail(exchange, this.#routeStep.missed(exchange, found))
    })
  }

  #reply(exchange: Exchange, reply: Reply): Awaitable<Exchange> {
    exchange.reply = reply
    return this.#goOn(exchange, this.#listeners.onResponse(exchange, reply), (last) => sealed(exchange, last))
  }

  #fail(exchange: Exchange, failure: Failure): Awaitable<Exchange> {
    exchange.failure = failure
    return this.#goOn(exchange, this.#listeners.onError(exchange), (own) => {
      const made = own === undefined ? this.#errorReply.make(exchange) : this.#errorReply.note(exchange, own)
      return this.#goOn(exchange, made, (reply) => {
        exchange.reply = reply
        return this.#goOn(exchange, this.#listeners.onErrorResponse(exchange, reply), (last) => sealed(exchange, last))
      })
    })
  }

  /** Goes on with a value at once, and with that of a promise later. */
  #goOn<T>(exchange: Exchange, value: Awaitable<T>, next: Next<T>): Awaitable<Exchange> {
    return isPromise(value) ? this.#later(exchange, value, next) : next(value)
  }

  async #later<T>(exchange: Exchange, value: Promise<T>, next: Next<T>): Promise<Exchange> {
    try {
      return next(await value)
    } catch (thrown) {
      return this.#failed(exchange, thrown)
    }
  }

  #failed(exchange: Exchange, thrown: unknown): Awaitable<Exchange> {
    // An error reply that cannot be made is the host's to replace.
    if (exchange.failure !== undefined) throw thrown
    return this.#fail(exchange, { thrown })
  }

  /** What the handler gives, or what its route and groups put before it. */
  #run(exchange: Exchange, handler: Handler): Awaitable<unknown> {
    const options = exchange.route?.handlerOptions
    if (options === undefined || options.length === 0) return this.#listeners.handler(exchange, handler)
    const work = async (): Promise<Reply> => {
      const refusal = await beforeHandler(exchange, options)
      return toReply(refusal ?? (await this.#listeners.handler(exchange, handler)), exchange)
    }
    const timeoutMs = innermost(options, 'timeoutMs')
    return timeoutMs === undefined ? work() : withinTimeLimit(exchange, timeoutMs, work)
  }

  /** Ends a request whose response has left, or never could. Nobody waits for it; it never throws. */
  terminate(exchange: Exchange): void {
    if (this.hasTerminate) this.#listeners.onTerminate(exchange)
  }
}

function sealed(exchange: Exchange, reply: Reply): Exchange {
  exchange.reply = exchange.sealed(reply)
  return exchange
}

/** Gives the reply of a guard that refuses; `undefined` lets the request through to the handler. Throws what guards and schemas throw. */
async function beforeHandler(exchange: Exchange, options: readonly AnyHandlerOptions[]): Promise<Reply | undefined> {
  const maxBodyBytes = innermost(options, 'maxBodyBytes')
  if (maxBodyBytes !== undefined) exchange.request.body.limitTo(maxBodyBytes)
  for (const one of options) {
    if (one.guard === undefined) continue
    const name = one.guard.name || 'guard'
    const result: unknown = await measured(exchange, `${name} guard`, () =>
      asApplication(() => one.guard?.(exchange as Exchange<never>)),
    )
    if (result instanceof Reply) return result
    if (result !== undefined) throw new HandlerResultError(guardMistake(exchange, name, result))
  }
  const hasSchemas = options.some(({ body, form, query, params }) => body ?? form ?? query ?? params)
  if (hasSchemas) exchange.valid = await measured(exchange, 'schemas validation', () => validate(exchange, options))
  return undefined
}

/** Listed with the listeners in the profile. */
function measured<T>(exchange: Exchange, name: string, work: () => Awaitable<T>): Awaitable<T> {
  return exchange.recording === undefined ? work() : inSpan(exchange.recording, name, 'listener', work)
}

function guardMistake(exchange: Exchange, name: string, result: unknown): string {
  const what = typeof result === 'boolean' || result === null ? String(result) : `a value of type ${typeof result}`
  return (
    `Guard "${name}" of route "${exchange.route?.name ?? ''}" returned ${what}; return nothing to let the request through, ` +
    'or a Reply (json(), redirect(), …) to send it in place of the handler’s, or throw'
  )
}
