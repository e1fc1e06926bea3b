// Ends a request that has no reply in time.

import { clearTimeout, setTimeout } from '../../base/timing/builtins.ts'
import { discard, type Reply } from '../../base/http/reply.ts'
import { HttpError, nameError } from '../../base/http/http-error.ts'
import { failedAfterTimeout } from '../../base/log/lines.ts'
import { describeFailure } from './describe-failure.ts'
import type { Exchange } from './exchange.ts'

/**
 * There was no reply within `timeoutMs`: a 503, or a 408 if the client is still sending the body (RFC 9110, section 15.5.9).
 * It is the reason of `exchange.signal` then.
 */
export class HandlerTimeoutError extends HttpError {}
nameError(HandlerTimeoutError)

/** The reply of `work`. Throws a `HandlerTimeoutError` after the limit; a later reply is dropped, a later failure logged. */
export async function withinTimeLimit(
  exchange: Exchange,
  timeoutMs: number,
  work: () => Promise<Reply>,
): Promise<Reply> {
  const limit = Promise.withResolvers<never>()
  const replying = work()
  const timer = setTimeout(() => {
    const error = lateError(exchange, timeoutMs)
    limit.reject(error)
    replying.then(
      (reply) => discard(reply.body),
      (later: unknown) => reportLater(exchange, error, later),
    )
    exchange.abort(error)
  }, timeoutMs)
  try {
    return await Promise.race([replying, limit.promise])
  } finally {
    clearTimeout(timer)
  }
}

function lateError({ request, route, handlerName }: Exchange, timeoutMs: number): HandlerTimeoutError {
  const limit = `within ${timeoutMs} ms (timeoutMs of route "${route?.name ?? ''}")`
  if (request.body.isArriving) return new HandlerTimeoutError(408, `The body did not arrive ${limit}`)
  return new HandlerTimeoutError(503, `Handler "${handlerName}" gave no reply ${limit}`)
}

/** Errors that the abort itself causes say nothing new. */
function reportLater(exchange: Exchange, timeout: HandlerTimeoutError, later: unknown): void {
  const failure = describeFailure(later)
  if (later === timeout || failure.errorClass === 'AbortError') return
  exchange.log.write(failedAfterTimeout({ handler: exchange.handlerName, ...failure }))
}
