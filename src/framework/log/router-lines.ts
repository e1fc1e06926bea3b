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

const noParameters: Readonly<Record<string, unknown>> = Object.freeze({})

/** Most routes have none: a copy would be one more object for each request. */
function copyOf(parameters: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  for (const _ in parameters) return { ...parameters }
  return noParameters
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
