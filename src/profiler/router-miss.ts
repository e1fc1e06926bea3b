// Why no route matched a request: asked of the route table in the main thread.

import type { HttpRequest } from '../framework/http/request.ts'
import type { Suggestion } from '../framework/routing/suggest-routes.ts'

/** One route's answer to the request. */
export interface RouterTraceEntry {
  readonly route: string
  readonly pattern: string
  /** `almost`: all but the method, the scheme or the condition fits. */
  readonly outcome: 'match' | 'almost' | 'no'
  /** One sentence for people. */
  readonly reason: string
  /** `app/routes.ts:12`; `null` where unknown. */
  readonly definedAt: string | null
}

/** Why no route matched. */
export interface RouterMiss {
  /** Nearest first. */
  readonly trace: readonly RouterTraceEntry[]
  /** Routes of the trace that were not kept, the farthest ones. */
  readonly droppedRoutes: number
  readonly suggestions: readonly Suggestion[]
}

/** Explains why no route matched. */
export interface RouterExplainer {
  /** Nearest first. */
  explain(context: HttpRequest): readonly RouterTraceEntry[]
  suggest(context: HttpRequest): readonly Suggestion[]
}

/** Routes of a trace to keep, the nearest ones. */
const maxTrace = 500

export function explainMiss(explainer: RouterExplainer, context: HttpRequest): RouterMiss {
  const trace = explainer.explain(context)
  return {
    trace: trace.slice(0, maxTrace),
    droppedRoutes: Math.max(0, trace.length - maxTrace),
    suggestions: explainer.suggest(context),
  }
}
