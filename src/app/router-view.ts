// What error page, profiler and command line are told of the route table: its routes, reasons, near routes and findings. The
// profiler's own routes are left out, because nobody who looks for a page of the application means them.

import { RequestContext } from '../http/request-context.ts'
import type { RouterExplainer, RouterTraceEntry } from '../profiler/collectors/router.ts'
import { placeText } from '../routing/defined-at.ts'
import { explainMatch, rankMisses, type TraceStep } from '../routing/match-trace.ts'
import { checkRoutes } from '../routing/route-health.ts'
import type { Route } from '../routing/route.ts'
import { suggestRoutes } from '../routing/suggest-routes.ts'
import type { Suggestion } from '../routing/suggestion.ts'
import { UrlMatcher } from '../routing/url-matcher.ts'
import type {
  RouteFacts,
  RouteFinding,
  RouteTableSource,
  RouteTrial,
  RouteTrialProblem,
  TrialBase,
} from '../web-profiler/routes-page-source.ts'
import type { AnyRoutes } from './options.ts'
import { readRequestToTry } from './request-to-try.ts'

/** Explains a route table, made before the profiler's routes are added to a copy of it. */
export class RouterView implements RouterExplainer, RouteTableSource {
  readonly #routes: AnyRoutes
  readonly #matcher: UrlMatcher

  constructor(routes: AnyRoutes) {
    this.#routes = routes
    this.#matcher = new UrlMatcher(routes, { generatesCode: false })
  }

  /** Why every route let a request pass, nearest first. */
  explain(context: RequestContext): readonly RouterTraceEntry[] {
    return rankMisses(explainMatch(this.#routes, context), context).map(traceEntry)
  }

  /** Near routes of a request that no route took, nearest first. */
  suggest(context: RequestContext): readonly Suggestion[] {
    return suggestRoutes(this.#routes, context)
  }

  /** Every route, in the order in which they are asked. */
  list(): readonly RouteFacts[] {
    return this.#routes.all().map(routeFacts)
  }

  /** Duplicates, shadowed and unreachable routes. */
  findings(): readonly RouteFinding[] {
    return checkRoutes(this.#routes).map(({ kind, message, route, by }) => ({
      kind,
      message,
      route: routeFacts(route),
      by: routeFacts(by),
    }))
  }

  /** What the table says to a request as typed. */
  try(method: string, url: string, base: TrialBase): RouteTrial | RouteTrialProblem {
    const request = readRequestToTry(method, url, base)
    return request instanceof RequestContext ? this.#try(request) : request
  }

  #try(request: RequestContext): RouteTrial {
    const result = this.#matcher.find(request)
    const isMatch = result.kind === 'match'
    return {
      method: request.method,
      url: request.fullUrl,
      path: request.path,
      outcome: result.kind,
      route: isMatch || result.kind === 'redirect' ? routeFacts(result.route) : null,
      params: isMatch ? { ...result.params } : {},
      redirect: result.kind === 'redirect' ? { status: result.status, location: result.location } : null,
      allow: result.kind === 'method_not_allowed' ? result.allow : [],
      trace: isMatch ? explainMatch(this.#routes, request).map(traceEntry) : this.explain(request),
      suggestions: isMatch || result.kind === 'redirect' ? [] : this.suggest(request),
    }
  }
}

function traceEntry({ route, level, text }: TraceStep): RouterTraceEntry {
  return {
    route: route.key,
    pattern: route.path,
    outcome: level,
    reason: text,
    definedAt: placeText(route.definedAt),
  }
}

function routeFacts(route: Route): RouteFacts {
  return {
    name: route.key,
    methods: route.methods,
    path: route.path,
    host: route.host,
    schemes: route.schemes,
    requirements: route.requirements,
    defaults: route.defaults,
    priority: route.priority,
    hasCondition: route.condition !== null,
    handler: route.handlerName,
    definedAt: placeText(route.definedAt),
  }
}
