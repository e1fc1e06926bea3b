// Looks the request up in the route table and notes what was found on the exchange.

import { Reply } from '../http/reply.ts'
import type { RequestContext } from '../http/request-context.ts'
import { matchedRoute } from '../log/router-lines.ts'
import type { MatchResult } from '../routing/match-result.ts'
import type { Exchange } from './exchange.ts'
import type { Handler } from './handler.ts'
import type { RouteMiss } from './route-miss.ts'

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

  /** Sets route, params and handler name on the exchange and gives the handler, or says why there is none. */
  find(exchange: Exchange): Handler | RouteMiss {
    const { context } = exchange
    const result = this.#router.find(context)
    switch (result.kind) {
      case 'match':
        exchange.route = result.route
        exchange.params = result.params
        exchange.handlerName = result.route.handlerName
        if (exchange.log.wants('info', 'router')) {
          exchange.log.write(
            matchedRoute({
              route: result.route.name,
              routeParameters: result.params,
              requestUri: context.fullUrl,
              method: context.method,
            }),
          )
        }
        return result.route.handler as Handler
      case 'redirect':
        exchange.route = result.route
        exchange.handlerName = 'redirect to the route’s own form'
        return () => new Reply(result.status, ['location', result.location], null)
      case 'not_found':
      case 'method_not_allowed':
        return result
    }
  }
}
