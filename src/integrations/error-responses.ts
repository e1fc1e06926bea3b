// Errors of requests that a framework handles: kept for the profile, and drawn as the error page at once, while the head waits.

import { preferredFormat } from '../framework/http/accept.ts'
import { MethodNotAllowedHttpError, NotFoundHttpError } from '../framework/http/http-error.ts'
import type { HttpRequest } from '../framework/http/request.ts'
import type { Reply } from '../framework/http/reply.ts'
import type { Exchange } from '../framework/kernel/exchange.ts'
import { missError, withFrames } from '../framework/kernel/route-step.ts'
import { UrlMatcher } from '../framework/routing/url-matcher.ts'
import type { Profiling } from './start-profiling.ts'

/** The page that a client names and prefers; `null` if it names none, as with `*` alone. */
export function namedPage(accept: string | undefined): 'html' | 'markdown' | null {
  // Reading what is preferred takes longer than all the rest of a decision, and most requests name no page.
  const named = accept?.match(/\b(?:text\/html|application\/xhtml\+xml|text\/markdown)\b/gi) ?? []
  if (named.length === 0) return null
  const format = preferredFormat(accept)
  if (format === 'html') return named.some((name) => !/markdown/i.test(name)) ? 'html' : null
  return format === 'markdown' ? 'markdown' : null
}

/** The error of a path that the framework knows no route for: near routes and methods are explained by it. Without stack frames, which would be ours. */
export function missOf(request: HttpRequest, status: number, { routes }: Profiling): Error {
  routes.refresh()
  const found = new UrlMatcher(routes.tableOf(request)).find(request)
  return withFrames(0, () => {
    // A route for preflights takes OPTIONS on every path.
    const isWrongMethod = found.kind === 'method_not_allowed' && found.allow.some((method) => method !== 'OPTIONS')
    const { message } = missError(request, isWrongMethod ? found : { kind: 'not_found' })
    const isRefused = isWrongMethod && status === 405
    return isRefused ? new MethodNotAllowedHttpError(found.allow, message) : new NotFoundHttpError(message)
  })
}

/** Keeps the error of a request for its profile, and writes its line. */
export function keepError(exchange: Exchange, status: number, { errors, notes }: Profiling): void {
  notes.guard('An error', () => {
    const { handler, frames } = errors()
    handler.respondNow(exchange, status, { frames, renderer: null })
  })
}

/** The error page. Keeps the error, too. `null` if it cannot be drawn. */
export function drawError(exchange: Exchange, status: number, { errors, notes }: Profiling): Reply | null {
  return (
    notes.guard('The error page', () => {
      const tools = errors()
      return tools.handler.respondNow(exchange, status, tools)
    }) ?? null
  )
}
