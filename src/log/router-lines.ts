// Lines about routes, one function each, as in `lines.ts`.

import type { LogLine } from './logger.ts'

/** A route took the request (SPEC 5.4). The parameters are copied: a handler may change its own. */
export function matchedRoute(facts: {
  route: string
  routeParameters: Readonly<Record<string, unknown>>
  requestUri: string
  method: string
}): LogLine {
  return {
    level: 'info',
    channel: 'router',
    message: `Matched route "{route}".`,
    context: {
      route: facts.route,
      route_parameters: copyOf(facts.routeParameters),
      request_uri: facts.requestUri,
      method: facts.method,
    },
    isOwn: true,
  }
}

/** What a line about a matched route says of the request. */
export interface MatchedRequest {
  readonly method: string
  readonly scheme: string
  readonly host: string
  readonly port: number
  readonly path: string
  readonly query: string
  /** The whole URL, put together when it is asked for. */
  readonly fullUrl: string
}

/** Makes the lines of requests in a row: of the same route and URL they are one and the same line. */
export class MatchedRouteLines {
  #last: LogLine | undefined
  #route = ''
  #method = ''
  #scheme = ''
  #host = ''
  #port = 0
  #path = ''

  /** The line of a request. Of one with parameters or a query nothing is kept: they may hold secrets. */
  of(route: string, parameters: Readonly<Record<string, unknown>>, request: MatchedRequest): LogLine {
    if (request.query !== '' || !isEmpty(parameters)) return lineOf(route, parameters, request)
    if (this.#last !== undefined && this.#isLast(route, request)) return this.#last
    this.#route = route
    this.#method = request.method
    this.#scheme = request.scheme
    this.#host = request.host
    this.#port = request.port
    this.#path = request.path
    this.#last = lineOf(route, parameters, request)
    return this.#last
  }

  #isLast(route: string, { method, scheme, host, port, path }: MatchedRequest): boolean {
    return (
      route === this.#route &&
      path === this.#path &&
      method === this.#method &&
      host === this.#host &&
      port === this.#port &&
      scheme === this.#scheme
    )
  }
}

function lineOf(
  route: string,
  routeParameters: Readonly<Record<string, unknown>>,
  { method, fullUrl }: MatchedRequest,
): LogLine {
  return matchedRoute({ route, routeParameters, requestUri: fullUrl, method })
}

const noParameters: Readonly<Record<string, unknown>> = Object.freeze({})

/** Most routes have none: a copy would be one more object for each request. */
function copyOf(parameters: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return isEmpty(parameters) ? noParameters : { ...parameters }
}

function isEmpty(parameters: Readonly<Record<string, unknown>>): boolean {
  for (const _ in parameters) return false
  return true
}

/** A route that cannot be what its author meant; the message names it, the one before it, and both places. */
export function routeProblem(facts: { kind: string; message: string; route: string; by: string }): LogLine {
  return {
    level: 'warn',
    channel: 'router',
    message: '{message}',
    context: { message: facts.message, kind: facts.kind, route: facts.route, by: facts.by },
  }
}
