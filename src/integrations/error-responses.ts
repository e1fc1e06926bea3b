// Errors of requests that a framework handles: kept for the profile, and drawn as the error page at once, while the head waits.

import { preferredFormat } from '../framework/http/accept.ts'
import { NotFoundHttpError } from '../framework/http/http-error.ts'
import type { HttpRequest } from '../framework/http/request.ts'
import type { Reply } from '../framework/http/reply.ts'
import type { Exchange } from '../framework/kernel/exchange.ts'
import { missError, withFrames } from '../framework/kernel/route-step.ts'
import { MethodNotAllowedError } from '../framework/routing/errors.ts'
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

/**
 * The error of a path that the framework knows no route for, in the words of our own: near routes and methods are explained by it. Without
 * stack frames, which would be ours.
 */
export function missOf(request: HttpRequest, status: number, { routes }: Profiling): Error {
  routes.refresh()
  const found = new UrlMatcher(routes.tableOf(request)).find(request)
  return withFrames(0, () => {
    // A route for preflights takes OPTIONS on every path.
    const isWrongMethod = found.kind === 'method_not_allowed' && found.allow.some((method) => method !== 'OPTIONS')
    if (!isWrongMethod) return missError(request, { kind: 'not_found' })
    const wrongMethod = missError(request, found)
    if (status === 405) return wrongMethod
    const cause = new MethodNotAllowedError(request.method, request.path, found.allow)
    return new NotFoundHttpError(wrongMethod.message, { cause })
  })
}

/** Keeps the error of a request for its profile, and writes its line. */
export function keepError(exchange: Exchange, status: number, { errors, notes }: Profiling): void {
  notes.guard('An error', () => {
    const { handler, frames } = errors()
    handler.respondNow(exchange, status, { frames, renderer: null })
  })
}

/** The error page as a sub-request. Keeps the error, too. `null` if it cannot be drawn. */
export function drawError(exchange: Exchange, status: number, { errors, notes }: Profiling): Reply | null {
  const made = notes.guard('The error page', errors)
  if (made === undefined) return null
  const { handler, frames, renderer } = made
  const child = exchange.createChild(handler.name)
  const span = exchange.recording?.startSpan({ name: handler.name, category: 'sub-request' })
  child.reply =
    notes.guard('The error page', () => handler.respondNow(child, status, { frames, renderer })) ?? undefined
  span?.end(child.reply === undefined ? 'error' : 'ok')
  child.recording?.finish()
  return child.reply ?? null
}
