// How the route table answered. The reasons of every route are gathered only for a request that no route took: for a match
// they would cost each request more than they tell.

import type { HttpRequest } from '../../framework/http/request.ts'
import type { Redactor } from '../../framework/redact/redactor.ts'
import { placeText } from '../../framework/routing/definition-error.ts'
import type { Suggestion } from '../../framework/routing/suggest-routes.ts'
import type { RecordCollector } from '../request-record.ts'
import { cutList } from './cut-list.ts'

/** What one route said to the request. */
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

/** Facts of routing. */
export interface RouterData {
  readonly path: string
  readonly method: string
  readonly route: string | null
  readonly pattern: string | null
  readonly definedAt: string | null
  readonly parameters: readonly (readonly [name: string, value: string])[]
  /** Nearest first; empty for a request that a route took. */
  readonly trace: readonly RouterTraceEntry[]
  /** Routes of the trace that were not kept, the farthest ones. */
  readonly droppedRoutes: number
  readonly suggestions: readonly Suggestion[]
}

/** Where the reasons come from. */
export interface RouterExplainer {
  /** Nearest first. */
  explain(context: HttpRequest): readonly RouterTraceEntry[]
  suggest(context: HttpRequest): readonly Suggestion[]
}

/** Routes of a trace that are kept at most, the nearest ones. */
const maxTrace = 500

/** Gathers what routing said. */
export function routerCollector(explainer: RouterExplainer, redactor: Redactor): RecordCollector<RouterData> {
  return {
    name: 'router',
    reads: [],
    // The route table cannot be copied to another thread.
    staysHere: ({ route, parent }) => route === undefined && parent === undefined,
    collect: ({ context, route, params, parent }) => {
      if (parent !== undefined) return undefined
      const isUnmatched = route === undefined
      const trace = isUnmatched ? explainer.explain(context) : []
      return {
        path: redactor.text(context.path),
        method: context.method,
        route: route?.name ?? null,
        pattern: route?.path ?? null,
        definedAt: placeText(route?.definedAt ?? null),
        parameters: Object.entries(redactor.record(params)).map(([name, value]) => [name, textOf(value)]),
        trace: trace.slice(0, maxTrace),
        droppedRoutes: Math.max(0, trace.length - maxTrace),
        suggestions: isUnmatched ? explainer.suggest(context) : [],
      }
    },
    cut: (data, maxBytes) => {
      const trace = cutList(data.trace, maxBytes)
      return { ...data, trace, droppedRoutes: data.droppedRoutes + data.trace.length - trace.length }
    },
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
