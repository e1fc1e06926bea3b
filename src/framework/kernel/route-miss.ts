// A request that no route took: what the table said, and the error of the contract that says it to people (SPEC 2 and 3).

import { MethodNotAllowedHttpError, NotFoundHttpError, type HttpError } from '../http/http-error.ts'
import type { RequestContext } from '../http/request-context.ts'
import { MethodNotAllowedError, ResourceNotFoundError } from '../routing/errors.ts'
import type { MatchResult } from '../routing/match-result.ts'

/** Why no route took a request: no path, or not with this method. */
export type RouteMiss = Extract<MatchResult, { kind: 'not_found' | 'method_not_allowed' }>

/** Status of the answer: 404 or 405. */
export function missStatus(miss: RouteMiss): 404 | 405 {
  return miss.kind === 'not_found' ? 404 : 405
}

/** The message of the HTTP error, with the URL and the referer as sent. */
export function missMessage(context: RequestContext, miss: RouteMiss): string {
  const message = `No route found for "${context.method} ${context.url}"`
  if (miss.kind === 'method_not_allowed') return `${message}: Method Not Allowed (Allow: ${miss.allow.join(', ')})`
  const referer = context.header('referer')
  return referer === undefined || referer === '' ? message : `${message} (from "${referer}")`
}

/** The HTTP error that wraps the routing error. Costs a stack for each of the two: make it where somebody looks at it. */
export function missError(context: RequestContext, miss: RouteMiss): HttpError {
  const message = missMessage(context, miss)
  if (miss.kind === 'not_found')
    return new NotFoundHttpError(message, { cause: new ResourceNotFoundError(context.path) })
  const cause = new MethodNotAllowedError(context.method, context.path, miss.allow)
  return new MethodNotAllowedHttpError(miss.allow, message, { cause })
}
