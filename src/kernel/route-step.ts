// Looks the request up in the route table, notes what was found on the exchange, and turns a miss into the HTTP error
// of the contract (SPEC 2 and 3).

import { MethodNotAllowedHttpError, NotFoundHttpError } from '../http/http-error.ts'
import { Reply } from '../http/reply.ts'
import type { RequestContext } from '../http/request-context.ts'
import { matchedRoute } from '../log/lines.ts'
import { MethodNotAllowedError, ResourceNotFoundError } from '../routing/errors.ts'
import type { MatchResult } from '../routing/match-result.ts'
import type { Exchange } from './exchange.ts'
import type { Handler } from './handler.ts'

/** The port behind which the route table is asked. Never throws. */
export interface Router {
  find(context: RequestContext): MatchResult
}

/** Step 2 of a request: from path to handler. */
export class RouteStep {
  readonly #router: Router

  constructor(router: Router) {
    this.#router = router
  }

  /** Sets route, params and handler name on the exchange. Throws a 404 or 405 error that wraps the routing error. */
  find(exchange: Exchange): Handler {
    const { context } = exchange
    const result = this.#router.find(context)
    switch (result.kind) {
      case 'match':
        exchange.route = result.route
        exchange.params = result.params
        exchange.handlerName = result.route.handlerName
        exchange.log.write(
          matchedRoute({
            route: result.route.name,
            routeParameters: result.params,
            requestUri: context.fullUrl,
            method: context.method,
          }),
        )
        return result.route.handler as Handler
      case 'redirect':
        exchange.route = result.route
        exchange.handlerName = 'redirect to the route’s own form'
        return () => new Reply(result.status, ['location', result.location], null)
      case 'not_found':
        throw notFound(context)
      case 'method_not_allowed':
        throw methodNotAllowed(context, result.allow)
    }
  }
}

function notFound(context: RequestContext): NotFoundHttpError {
  const referer = context.header('referer')
  const from = referer === undefined || referer === '' ? '' : ` (from "${referer}")`
  return new NotFoundHttpError(`No route found for "${context.method} ${context.url}"${from}`, {
    cause: new ResourceNotFoundError(context.path),
  })
}

function methodNotAllowed(context: RequestContext, allow: readonly string[]): MethodNotAllowedHttpError {
  const message = `No route found for "${context.method} ${context.url}": Method Not Allowed (Allow: ${allow.join(', ')})`
  return new MethodNotAllowedHttpError(allow, message, {
    cause: new MethodNotAllowedError(context.method, context.path, allow),
  })
}
