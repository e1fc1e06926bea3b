// Looks the request up in the route table.

import { Reply } from '../../base/http/reply.ts'
import { matchedRoute, searchCutShort } from '../../base/log/lines.ts'
import { cutText } from '../../base/redact/cut-text.ts'
import type { UrlMatcher } from '../../routing/url-matcher.ts'
import type { Route } from '../../routing/route.ts'
import type { Exchange, MatchedRoute } from './exchange.ts'
import type { Handler } from './handler.ts'
import { Miss, type RouteMiss } from './miss.ts'

/** From a request to its handler. */
export class RouteStep {
  readonly #router: Pick<UrlMatcher, 'find'>
  readonly #missFrames: number

  /** `missFrames`: how many stack frames the errors of a 404 and 405 have. Default 0: they cost less, and nobody sees them. */
  constructor(router: Pick<UrlMatcher, 'find'>, missFrames = 0) {
    this.#router = router
    this.#missFrames = missFrames
  }

  /** Sets route, params and handler name on the exchange; gives the handler, or what the table says if no route matches. */
  find(exchange: Exchange): Handler | RouteMiss {
    const { request } = exchange
    const result = this.#router.find(request)
    switch (result.kind) {
      case 'match': {
        const { route, params } = result
        exchange.route = route
        // The handler’s type knows them better: its path names them.
        request.params = params
        exchange.handlerName = route.handlerName
        if (exchange.log.wants('info', 'router')) {
          const { fullUrl: requestUri, method } = request
          exchange.log.write(matchedRoute({ route: route.name, routeParameters: params, requestUri, method }))
        }
        return route.handler as Handler
      }
      case 'redirect':
        exchange.route = withoutOptions(result.route)
        exchange.handlerName = 'redirect to the route’s own form'
        return () => new Reply(result.status, ['location', result.location], null)
      case 'not_found':
        if (result.isCutShort)
          exchange.log.write(searchCutShort({ method: request.method, path: cutText(request.path, 200) }))
        return result
      case 'method_not_allowed':
        return result
    }
  }

  /** The failure of a request that matched no route. */
  missed({ request }: Exchange, found: RouteMiss): Miss {
    return new Miss(request, found, this.#missFrames)
  }
}

/** A redirect is not the handler, so nothing runs around it. */
function withoutOptions({ name, path, definedAt, captureBody }: Route): MatchedRoute {
  return { name, path, definedAt, captureBody }
}
