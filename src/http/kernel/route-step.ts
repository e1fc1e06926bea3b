// Looks the request up in the route table. Where no route matched, its error, in the words of the contract, is made when somebody
// reads it.

import { Reply } from '../../base/http/reply.ts'
import { matchedRoute, searchCutShort, type ThrownFacts } from '../../base/log/lines.ts'
import { cutText } from '../../base/redact/cut-text.ts'
import type { UrlMatcher, MatchResult } from '../../routing/url-matcher.ts'
import type { Route } from '../../routing/route.ts'
import type { Exchange, MatchedRoute, Failure } from './exchange.ts'
import type { Handler } from './handler.ts'
import { MethodNotAllowedHttpError, NotFoundHttpError, type HttpError } from '../../base/http/http-error.ts'
import type { HttpRequest } from '../../base/http/request.ts'
import { MethodNotAllowedError, ResourceNotFoundError } from '../../routing/errors.ts'

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

  missed({ request }: Exchange, found: RouteMiss): Miss {
    return new Miss(request, found, this.#missFrames)
  }
}

/** A redirect is not the handler, so nothing runs around it. */
function withoutOptions({ name, path, definedAt, captureBody }: Route): MatchedRoute {
  return { name, path, definedAt, captureBody }
}

/** What the table says to a request that matched no route. */
type RouteMiss = Extract<MatchResult, { kind: 'not_found' | 'method_not_allowed' }>

/** The failure of such a request, and what its error would say as long as nobody has read it. */
export class Miss implements Failure, ThrownFacts {
  readonly #request: HttpRequest
  readonly #found: RouteMiss
  #error: HttpError | undefined

  /** `frames`: how many stack frames the error has. With some it is made at once: later ones would be of other code. */
  constructor(request: HttpRequest, found: RouteMiss, frames: number) {
    this.#request = request
    this.#found = found
    this.#error = frames === 0 ? undefined : this.#make(frames)
  }

  get thrown(): HttpError {
    this.#error ??= this.#make(0)
    return this.#error
  }

  #make(frames: number): HttpError {
    return withFrames(frames, () => missError(this.#request, this.#found))
  }

  /** Whether somebody has read the error, and may have changed it. */
  get isRead(): boolean {
    return this.#error !== undefined
  }

  get errorClass(): string {
    return (this.#found.kind === 'not_found' ? NotFoundHttpError : MethodNotAllowedHttpError).name
  }

  get message(): string {
    return messageOf(this.#request, this.#found)
  }

  get statusCode(): number {
    return this.#found.kind === 'not_found' ? 404 : 405
  }

  /** Header fields of the response, flat. */
  get headers(): readonly string[] {
    return this.#found.kind === 'not_found' ? [] : ['Allow', listed(this.#found.allow)]
  }
}

/** The miss of a failure whose error nobody has read. */
export function unreadMiss(failure: Failure | undefined): Miss | undefined {
  return failure instanceof Miss && !failure.isRead ? failure : undefined
}

/** The HTTP error of a miss (SPEC 2.4, 3.1). */
export function missError(request: HttpRequest, found: RouteMiss): HttpError {
  const { method, path } = request
  const message = messageOf(request, found)
  if (found.kind === 'not_found') return new NotFoundHttpError(message, { cause: new ResourceNotFoundError(path) })
  const cause = new MethodNotAllowedError(method, path, found.allow)
  return new MethodNotAllowedHttpError(found.allow, message, { cause })
}

/** SPEC 2.2, 3.1. */
function messageOf(request: HttpRequest, found: RouteMiss): string {
  const message = `No route found for "${request.method} ${request.url}"`
  if (found.kind === 'method_not_allowed') return `${message}: Method Not Allowed (Allow: ${listed(found.allow)})`
  const referer = request.header('referer') ?? ''
  return referer === '' ? message : `${message} (from "${referer}")`
}

/** `GET, HEAD`. For so few words `join()` takes twice as long. */
function listed(methods: readonly string[]): string {
  let words = ''
  for (const method of methods) words += words === '' ? method : `, ${method}`
  return words
}

/** Makes errors with so many stack frames. */
export function withFrames<Made>(count: number, make: () => Made): Made {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = count
  try {
    return make()
  } finally {
    Error.stackTraceLimit = limit
  }
}
