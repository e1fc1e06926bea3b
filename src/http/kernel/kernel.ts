// The whole life of a request, from top to bottom. Each step is one call; the details are in the functions.

import { asApplication } from '../../base/timing/builtins.ts'
import { Reply } from '../../base/http/reply.ts'
import type { AnyHandlerOptions } from '../../routing/route-options.ts'
import { isPromise, type Awaitable } from '../../base/awaitable.ts'
import type { ErrorReply } from './error-reply.ts'
import type { Exchange } from './exchange.ts'
import { type Handler, HandlerResultError, toReply } from './handler.ts'
import { inSpan } from './in-span.ts'
import { innermost } from './handler-options.ts'
import type { ListenerRunner } from './listener-runner.ts'
import type { RouteStep } from './route-step.ts'
import { withinTimeLimit } from './time-limit.ts'
import { validate } from './validate.ts'

/** What a kernel works with. */
interface KernelParts {
  readonly listeners: ListenerRunner
  readonly routeStep: RouteStep
  readonly errorReply: ErrorReply
}

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

  /** Puts the reply on the exchange. Never rejects: whatever goes wrong becomes an error reply. */
  async handle(exchange: Exchange): Promise<Exchange> {
    try {
      const asked = this.#listeners.onRequest(exchange)
      const early = isPromise(asked) ? await asked : asked
      if (early !== undefined) {
        exchange.reply = exchange.sealed(early)
        return exchange
      }
      const found = this.#routeStep.find(exchange)
      if (typeof found === 'function') {
        const given = this.#listeners.onMatch(exchange)
        exchange.reply = (isPromise(given) ? await given : given) ?? toReply(await this.#run(exchange, found), exchange)
      } else {
        const given = this.#listeners.onMiss(exchange, found.kind === 'not_found' ? noMethods : found.allow)
        exchange.reply = isPromise(given) ? await given : given
        // Not thrown: nobody is surprised.
        if (exchange.reply === undefined) exchange.failure = this.#routeStep.missed(exchange, found)
      }
      if (exchange.reply !== undefined) {
        const last = this.#listeners.onResponse(exchange, exchange.reply)
        exchange.reply = exchange.sealed(isPromise(last) ? await last : last)
        return exchange
      }
    } catch (thrown) {
      exchange.failure = { thrown }
    }
    const given = this.#listeners.onError(exchange)
    const own = isPromise(given) ? await given : given
    const made = own === undefined ? this.#errorReply.make(exchange) : this.#errorReply.note(exchange, own)
    exchange.reply = isPromise(made) ? await made : made
    const last = this.#listeners.onErrorResponse(exchange, exchange.reply)
    exchange.reply = exchange.sealed(isPromise(last) ? await last : last)
    return exchange
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
    if (this.hasTerminate) void this.#listeners.onTerminate(exchange)
  }
}

const noMethods: readonly string[] = []

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
