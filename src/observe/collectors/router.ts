// The result of routing. Only a request that no route matched is explained route by route.

import type { Redactor } from '../../base/redact/redactor.ts'
import { placeText } from '../../routing/errors.ts'
import type { Suggestion } from '../../routing/suggest-routes.ts'
import { counted } from '../../base/html/components.ts'
import { type Block, type Blocks, type Line, empty, facts, heading, note, place, table } from '../blocks/blocks.ts'
import { type DescribedPart, keptNote } from '../blocks/described-part.ts'
import type { BuiltInCollector, RouterMiss, RouterTraceEntry } from '../request-record.ts'
import { cutList } from '../profile-parts.ts'
import { parameterFields, type Fields } from './request.ts'

export interface RouterData extends RouterMiss {
  readonly path: string
  readonly method: string
  readonly route: string | null
  readonly pattern: string | null
  readonly definedAt: string | null
  readonly parameters: Fields
}

export function routerCollector(redactor: Redactor): BuiltInCollector<RouterData> {
  return {
    name: 'router',
    collect: ({ request, route, params, isSubRequest, parts }) => {
      if (isSubRequest) return undefined
      return {
        path: redactor.url(request.path),
        method: request.method,
        route: route?.name ?? null,
        pattern: route?.path ?? null,
        definedAt: placeText(route?.definedAt ?? null),
        parameters: parameterFields(params, redactor),
        ...(parts.miss ?? { trace: [], droppedRoutes: 0, suggestions: [] }),
      }
    },
    cut: (data, maxBytes) => {
      const trace = cutList(data.trace, maxBytes)
      return { ...data, trace, droppedRoutes: data.droppedRoutes + data.trace.length - trace.length }
    },
  }
}

/** The matched route, or for a miss every route with its reason, nearest first. */
export const routerPart: DescribedPart<RouterData> = {
  name: 'router',
  title: 'Routing',
  of: 'requests',
  empty: 'This is a sub-request; only its parent was routed.',
  draw: (data) => (data.route === null ? missed(data) : matched(data)),
}

function matched({ route, pattern, definedAt, parameters }: RouterData): Blocks {
  return [
    facts('Matched route', [
      ['Matched route', { recorded: route ?? '' }],
      ...(pattern === null || pattern === route ? [] : [['Pattern', { recorded: pattern }] as const]),
      // Unknown for what another framework registered before us.
      ...(definedAt === null ? [] : [['Defined at', { place: definedAt }] as const]),
    ]),
    ...(parameters.length === 0
      ? []
      : [
          heading('Route parameters'),
          facts(
            'Route parameters',
            parameters.map(([name, value]) => [{ recorded: name }, { recorded: value }]),
          ),
        ]),
  ]
}

/** Routes with another path that are listed. */
const maxOthers = 10

function missed({ method, path, suggestions, trace, droppedRoutes }: RouterData): Blocks {
  return [
    note(['No route matched', { code: `${method} ${path}` }]),
    ...nearbyBlocks(suggestions),
    keptNote(trace.length, droppedRoutes, 'routes'),
    ...askedRoutes(trace, 'closest first', maxOthers),
  ]
}

/** What would work in place of a request that no route takes. */
export function nearbyBlocks(suggestions: readonly Suggestion[]): Blocks {
  return suggestions.length === 0
    ? [empty('No route is close to the requested path.')]
    : [heading('Did you mean'), routeTable('Routes nearby', 'Request', suggestions, suggestionCells)]
}

/** What each route said that was asked. `most`: how many with another path are named. */
export function askedRoutes(trace: readonly RouterTraceEntry[], order: string, most: number): Blocks {
  if (trace.length === 0) return [heading('The application has no routes.')]
  const { near = [], others = [] } = Object.groupBy(trace, ({ outcome }) => (outcome === 'no' ? 'others' : 'near'))
  const folded = traceTable('Routes with a different path', others.slice(0, most))
  const count = `${others.length > most ? `${most} of ` : ''}${counted(others.length, 'route')}`
  return [
    near.length === 0 ? null : heading(`Checked ${counted(trace.length, 'route')}, ${order}`),
    traceTable('Routes with this path', near),
    folded && { kind: 'fold', title: `${count} with a different path, ${order}`, block: folded },
  ]
}

function traceTable(name: string, trace: readonly RouterTraceEntry[]): Block | null {
  return routeTable(name, 'Pattern', trace, ({ route, pattern, outcome, reason }) => [
    [{ recorded: route }, outcome === 'no' ? null : { mark: outcome, tone: outcomeTones[outcome] }],
    // Frameworks whose routes have no names call them `GET /orders`.
    route.endsWith(` ${pattern}`) ? null : { code: pattern },
    outcome === 'no' ? null : { recorded: reason },
  ])
}

const outcomeTones = { match: 'success', almost: 'warning' } as const

function suggestionCells({ routeName, method, url, pattern, reason, kind }: Suggestion): readonly Line[] {
  const target = `${method} ${url ?? pattern}`
  return [
    [{ recorded: routeName }, { mark: kind }],
    // Only what a click can request is a link.
    method === 'GET' && url !== null ? { linked: target, to: url } : { code: target },
    { recorded: reason },
  ]
}

function routeTable<Entry extends { readonly definedAt: string | null }>(
  name: string,
  of: string,
  entries: readonly Entry[],
  cells: (entry: Entry) => readonly Line[],
): Block | null {
  const heads = ['Route', of, 'Why not', 'Defined at']
  const rows = entries.map((entry) => [...cells(entry), place(entry.definedAt)])
  return table(name, 'route', heads, rows)
}
