// What error page and profiler are told of the route table: reasons and near routes. The profiler's own routes are left out,
// because nobody who looks for a page of the application means them.

import type { RequestContext } from '../http/request-context.ts'
import type { RouterExplainer, RouterTraceEntry } from '../profiler/collectors/router.ts'
import { placeText } from '../routing/defined-at.ts'
import { explainMatch, rankMisses } from '../routing/match-trace.ts'
import { suggestRoutes } from '../routing/suggest-routes.ts'
import type { Suggestion } from '../routing/suggestion.ts'
import type { AnyRoutes } from './options.ts'

/** Explains a route table, made before the profiler's routes are added to a copy of it. */
export class RouterView implements RouterExplainer {
  readonly #routes: AnyRoutes

  constructor(routes: AnyRoutes) {
    this.#routes = routes
  }

  /** Why every route let a request pass, nearest first. */
  explain(context: RequestContext): readonly RouterTraceEntry[] {
    return rankMisses(explainMatch(this.#routes, context), context).map(({ route, level, text }) => ({
      route: route.key,
      pattern: route.path,
      outcome: level,
      reason: text,
      definedAt: placeText(route.definedAt),
    }))
  }

  /** Near routes of a request that no route took, nearest first. */
  suggest(context: RequestContext): readonly Suggestion[] {
    return suggestRoutes(this.#routes, context)
  }
}
