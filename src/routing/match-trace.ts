// Says of each route why it did not take a request. Computed only when somebody asks; the matcher knows nothing of it.

import type { RequestContext } from '../http/request-context.ts'
import { decodePath } from './decode-path.ts'
import { findCandidates } from './find-candidates.ts'
import { firstOptionalToken } from './path-pattern.ts'
import { comparePaths } from './path-distance.ts'
import { matchHost, meetsCondition } from './resolve-candidates.ts'
import { RouteEntry } from './route-entry.ts'
import { exactExpression } from './route-expression.ts'
import { addToTree, TreeNode } from './route-tree.ts'
import { Route } from './route.ts'

/** Why a route did not take the request. `slash`: the path differs by the slash at its end only. */
export type MissReason = 'path' | 'slash' | 'requirement' | 'host' | 'condition' | 'scheme' | 'method'

/** What one route said. */
export interface TraceStep {
  readonly route: Route
  /** `almost`: the path fits, something else does not. */
  readonly level: 'no' | 'almost' | 'match'
  /** `null` for the route that took the request. */
  readonly reason: MissReason | null
  /** For people: `Requirement for "id" does not match (\d+)`. */
  readonly text: string
  /** The parameter whose requirement failed. */
  readonly param: string | null
}

/** The routes in the order in which they are asked, up to the one that takes the request. */
export function explainMatch(routes: Iterable<Route>, context: RequestContext): readonly TraceStep[] {
  const steps: TraceStep[] = []
  const decoded = decodePath(context.path)
  const path = decoded === '' ? '/' : decoded
  for (const route of routes) {
    const step = path === null ? pathMiss(route, 'path') : explainRoute(route, path, context)
    steps.push(step)
    if (step.level === 'match') break
  }
  return steps
}

/** The misses of a trace, the nearest first: wrong method, scheme, condition, host, requirement, slash, then by likeness of the path. */
export function rankMisses(steps: readonly TraceStep[], context: RequestContext): readonly TraceStep[] {
  const path = decodePath(context.path) ?? context.path
  return steps
    .filter((step) => step.level !== 'match')
    .map((step, index) => ({ step, index, distance: distanceOf(step, path) }))
    .sort((one, other) => one.distance - other.distance || one.index - other.index)
    .map(({ step }) => step)
}

const nearness: readonly (MissReason | null)[] = [
  null,
  'method',
  'scheme',
  'condition',
  'slash',
  'host',
  'requirement',
  'path',
]

function distanceOf({ route, reason }: TraceStep, path: string): number {
  const rank = nearness.indexOf(reason)
  return reason === 'path' ? rank + Math.min(comparePaths(path, route).distance, 1000) : rank / nearness.length
}

function explainRoute(route: Route, path: string, context: RequestContext): TraceStep {
  const { entry, root } = prepared(route)
  const candidate = findCandidates(root, path)[0]
  if (candidate === undefined) return explainPath(route, path)
  if (matchHost(entry, context.host) === null) {
    return almost(route, 'host', `Host "${context.host}" does not match the requirement ("${route.host}")`)
  }
  if (!meetsCondition(entry, context)) return almost(route, 'condition', 'Condition does not evaluate to "true"')
  if (!candidate.isOwnForm) return pathMiss(route, 'slash')
  if (route.schemes.length > 0 && !route.schemes.includes(context.scheme)) {
    const schemes = route.schemes.join(', ')
    return almost(route, 'scheme', `Scheme "${context.scheme}" does not match any of the required schemes (${schemes})`)
  }
  if (entry.methods !== null && !entry.methods.has(context.method)) {
    const methods = route.methods.join(', ')
    return almost(route, 'method', `Method "${context.method}" does not match any of the required methods (${methods})`)
  }
  return { route, level: 'match', reason: null, text: 'Route matches!', param: null }
}

/** A route as a tree of its own. Kept as long as the route is: a route never changes. */
function prepared(route: Route): { readonly entry: RouteEntry; readonly root: TreeNode } {
  const known = preparedRoutes.get(route)
  if (known !== undefined) return known
  const entry = new RouteEntry(route, 0)
  const root = new TreeNode('')
  addToTree(root, entry)
  const made = { entry, root }
  preparedRoutes.set(route, made)
  return made
}

const preparedRoutes = new WeakMap<Route, { readonly entry: RouteEntry; readonly root: TreeNode }>()

/** Whether the path would fit without requirements, and the first one that keeps it from fitting. */
function explainPath(route: Route, path: string): TraceStep {
  if (isEmpty(route.requirements) || !fitsWith(route, path, {})) return pathMiss(route, 'path')
  for (const [param, source] of Object.entries(route.requirements)) {
    const isInPath = route.tokens.some((token) => token.kind === 'param' && token.name === param)
    if (isInPath && !fitsWith(route, path, { [param]: source })) {
      return { ...almost(route, 'requirement', `Requirement for "${param}" does not match (${source})`), param }
    }
  }
  return almost(route, 'requirement', 'Each requirement could match, but not all together')
}

function isEmpty(requirements: Readonly<Record<string, string>>): boolean {
  return Object.keys(requirements).length === 0
}

function fitsWith(route: Route, path: string, requirements: Readonly<Record<string, string>>): boolean {
  const { name, path: pattern, defaults, utf8, handler } = route
  const bare = new Route({ name, path: pattern, defaults, utf8, handler, requirements })
  return exactExpression(bare.tokens, firstOptionalToken(bare.tokens, bare.defaults)).test(path)
}

function pathMiss(route: Route, reason: 'path' | 'slash'): TraceStep {
  return { route, level: 'no', reason, text: `Path "${route.path}" does not match`, param: null }
}

function almost(route: Route, reason: MissReason, text: string): TraceStep {
  return { route, level: 'almost', reason, text, param: null }
}
