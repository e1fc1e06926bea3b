// Did you mean: the routes nearest to a request that matched none, each with what is wrong and the URL that would work.

import type { HttpRequest } from '../base/http/request.ts'
import { decodePath, encodePath } from './url-encoding.ts'
import { placeText } from './errors.ts'
import { type Difference, type TraceStep, pathComparer, type PathComparer, type PathComparison } from './match-trace.ts'
import { allowedMethods } from './route-tree.ts'
import type { Route } from './route.ts'

/** A near route. Debug only: it names routes. */
export interface Suggestion {
  readonly routeName: string
  /** Its pattern: `/products/{slug}`. */
  readonly pattern: string
  readonly kind: Difference | 'method' | 'host' | 'scheme'
  /** One sentence for people: `Parameter "id" is "abc", but must match \d+.` */
  readonly reason: string
  /** Method and URL that would work, where one can be named: `GET`, `/products`. */
  readonly method: string
  readonly url: string | null
  /** File and line of the definition, relative to the project: `app/routes.ts:12`; `null` if unknown. */
  readonly definedAt: string | null
}

const maxPathLength = 2048
const maxSegments = 64
const maxSuggestions = 3
/** A wrong letter counts about 1. */
const maxDistance = 3

/**
 * Near routes of a trace (`explainMatch`), the nearest first; empty if nothing is near, or a route takes the request. `compare`: a
 * comparison of the decoded path that was begun before.
 */
export function suggestFrom(steps: readonly TraceStep[], context: HttpRequest, compare?: PathComparer): Suggestion[] {
  const path = decodePath(context.path)
  // No route has such a path.
  if (path === null || path === '*' || path.length > maxPathLength || path.split('/').length > maxSegments) return []
  const comparer = compare ?? pathComparer(path)
  if (steps.some((step) => step.level === 'match')) return []
  const found: NearRoute[] = []
  for (const step of steps) {
    const near = nearRoute(step, path, context, comparer)
    if (near !== null && near.distance <= maxDistance) found.push(near)
  }
  // Sorting keeps the order of the table among equals.
  found.sort((one, other) => one.distance - other.distance)
  return found.slice(0, maxSuggestions).map(({ suggestion }) => suggestion())
}

interface NearRoute {
  readonly distance: number
  /** Made for those that are given only. */
  readonly suggestion: () => Suggestion
}

function nearRoute(step: TraceStep, path: string, context: HttpRequest, compare: PathComparer): NearRoute | null {
  const { route } = step
  const near = (
    distance: number,
    kind: Suggestion['kind'],
    reason: string,
    wanted: string | null = path,
  ): NearRoute => ({
    distance,
    suggestion: () => {
      const [first = context.method] = route.methods
      const method = answersMethod(route, context.method) ? context.method : first
      const definedAt = placeText(route.definedAt)
      const url = wanted === null ? null : urlOf(route, context, wanted)
      return { routeName: route.name, pattern: route.writtenAs, kind, reason, method, url, definedAt }
    },
  })
  switch (step.reason) {
    case 'method': {
      const allowed = allowedMethods(route).join(', ')
      // A route for preflights takes OPTIONS on every path.
      return allowed === 'OPTIONS' ? null : near(0.05, 'method', `This path takes ${allowed}, not ${context.method}.`)
    }
    case 'scheme':
      return near(0.06, 'scheme', `This path takes ${route.schemes.join(' or ')}, not ${context.scheme}.`)
    case 'host':
      return near(0.15, 'host', `This path is served for the host "${route.host}", not for "${context.host}".`)
    case 'condition':
    case null:
      return null
    case 'slash':
    case 'requirement':
    case 'path': {
      const compared = compare(route)
      if (compared.difference === null || compared.distance === Infinity) return null
      const wrongMethod = answersMethod(route, context.method) ? 0 : 0.4
      const distance = compared.distance + wrongMethod + hostDistance(route, context)
      return near(distance, compared.difference, reasonOf(compared, route), compared.path)
    }
    default:
      return step.reason satisfies never
  }
}

function reasonOf({ difference, sent, wanted, param }: PathComparison, { writtenAs }: Route): string {
  switch (difference) {
    case 'requirement':
      // A regular expression that another framework has for a path has no names.
      return `${writtenAs.includes(param ?? '') ? `Parameter "${param}"` : 'The part of the path'} is "${sent}", but must match ${wanted}.`
    case 'prefix':
      return `The path begins with "${wanted}".`
    case 'case':
      return `"${wanted}" is written with other capital letters than "${sent}".`
    case 'plural':
      return `It is "${wanted}", not "${sent}".`
    case 'slash':
      return wanted.endsWith('/') ? 'The path ends with a slash.' : 'The path has no slash at its end.'
    case 'doubled-slash':
      return sent.includes('//') ? 'The path has a doubled slash.' : 'The route has a doubled slash.'
    case 'typo':
    case null:
      return `"${sent}" looks like "${wanted}".`
    default:
      return difference satisfies never
  }
}

function answersMethod(route: Route, method: string): boolean {
  return route.methods.length === 0 || allowedMethods(route).includes(method)
}

function hostDistance(route: Route, context: HttpRequest): number {
  return route.host === '' || route.host.includes('{') || route.host === context.host ? 0 : 0.4
}

/** A URL on the same host as a path; another host or scheme in full. `null` if the host has parameters. */
function urlOf(route: Route, context: HttpRequest, path: string): string | null {
  const encoded = encodePath(path)
  const scheme =
    route.schemes.length === 0 || route.schemes.includes(context.scheme) ? context.scheme : route.schemes[0]
  const isOwnHost = route.host === '' || route.host === context.host
  if (scheme === context.scheme && isOwnHost) return encoded.startsWith('//') ? `/.${encoded}` : encoded
  if (!isOwnHost && route.host.includes('{')) return null
  const host = isOwnHost ? context.host : route.host
  return `${scheme}://${host}${encoded}`
}
