// What comes before a handler: the limit of the body, guards, schemas.

import { Reply } from '../http/reply.ts'
import type { AnyHandlerOptions } from '../routing/route-options.ts'
import type { Exchange } from './exchange.ts'
import { HandlerResultError } from './handler.ts'
import { inSpan } from './in-span.ts'
import { innermost } from './innermost.ts'
import { validate } from './validate.ts'
import type { Awaitable } from './awaitable.ts'

/** Gives the reply of a guard that refuses; `undefined` lets the request through to the handler. Throws what guards and schemas throw. */
export async function beforeHandler(
  exchange: Exchange,
  options: readonly AnyHandlerOptions[],
): Promise<Reply | undefined> {
  const maxBodyBytes = innermost(options, 'maxBodyBytes')
  if (maxBodyBytes !== undefined) exchange.request.body.limitTo(maxBodyBytes)
  for (const one of options) {
    if (one.guard === undefined) continue
    const name = one.guard.name || 'guard'
    const result: unknown = await measured(exchange, `${name} guard`, () => one.guard?.(exchange as Exchange<never>))
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
