// Explains why each route did not match a request.

import type { HttpRequest } from '../http/request.ts'
import { decodePath } from './decode-path.ts'
import { pathComparer, type PathComparer } from './path-distance.ts'
import { RouteEntry } from './route-entry.ts'
import { findMatches } from './tree-search.ts'
import { addToTree, TreeNode } from './route-tree.ts'
import { maxSteps, type Budget } from './run-program.ts'
import { Route } from './route.ts'
import { matchHost, meetsCondition } from './url-matcher.ts'

/** Why a route did not match. `slash`: only the trailing slash differs. */
type MissReason = 'path' | 'slash' | 'requirement' | 'host' | 'condition' | 'scheme' | 'method'

/** One route's outcome. */
export interface TraceStep {
  readonly route: Route
  /** `almost`: the path fits, something else does not. */
  readonly level: 'no' | 'almost' | 'match'
  /** `null` for the route that matched. */
  readonly reason: MissReason | null
  /** For people: `Requirement for "id" does not match (\d+)`. */
  readonly text: string
  /** The parameter whose requirement failed. */
  readonly param: string | null
}

/** The routes in the order in which they are asked, up to the one that matches. */
export function explainMatch(routes: Iterable<Route>, context: HttpRequest): readonly TraceStep[] {
  const steps: TraceStep[] = []
  const decoded = decodePath(context.path)
  const path = decoded === '' ? '/' : decoded
  const budget = { steps: maxSteps }
  for (const route of routes) {
    const step = path === null ? pathMiss(route, 'path') : explainRoute(route, path, context, budget)
    steps.push(step)
    if (step.level === 'match') break
  }
  return steps
}

/** How many misses to give, and a comparison that was begun before. */
interface RankOptions {
  /** Default: all. */
  readonly limit?: number
  /** Of the decoded path. Default: a new one. */
  readonly compare?: PathComparer
}

/**
 * The misses of a trace, the nearest first: wrong method, scheme, condition, host, requirement, slash, then by likeness of the
 * path. Those that are like the path in nothing follow in the order of the table.
 */
export function rankMisses(
  steps: readonly TraceStep[],
  context: HttpRequest,
  { limit = Infinity, compare = pathComparer(decodePath(context.path) ?? context.path) }: RankOptions = {},
): readonly TraceStep[] {
  const near: { readonly step: TraceStep; readonly index: number; readonly distance: number }[] = []
  const far: TraceStep[] = []
  for (const [index, step] of steps.entries()) {
    if (step.level === 'match') continue
    const distance = distanceOf(step, compare)
    if (distance < farDistance) near.push({ step, index, distance })
    else if (far.length < limit) far.push(step)
  }
  near.sort((one, other) => one.distance - other.distance || one.index - other.index)
  const ranked = near.slice(0, limit).map(({ step }) => step)
  for (const step of far) if (ranked.length < limit) ranked.push(step)
  return ranked
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

function distanceOf({ route, reason }: TraceStep, compare: PathComparer): number {
  const rank = nearness.indexOf(reason)
  return reason === 'path' ? rank + Math.min(compare(route).distance, 1000) : rank / nearness.length
}

/** Distance of a path that is like the pattern in nothing. */
const farDistance = nearness.indexOf('path') + 1000

function explainRoute(route: Route, path: string, context: HttpRequest, budget: Budget): TraceStep {
  if (!startsLike(route, path)) return pathMiss(route, 'path')
  const entry = new RouteEntry(route, 0)
  const candidate = findMatches(treeOf(entry), path, budget)[0]
  if (candidate === undefined) return explainPath(route, path, budget)
  if (matchHost(entry, context, budget) === null) {
    return almost(route, 'host', `Host "${context.host}" does not match the requirement ("${route.host}")`)
  }
  if (!meetsCondition(entry, context)) return almost(route, 'condition', 'Condition does not evaluate to "true"')
  if (!candidate.isOwnForm) return pathMiss(route, 'slash')
  if (route.schemes.length > 0 && !route.schemes.includes(context.scheme)) {
    const schemes = route.schemes.join(', ')
    return almost(route, 'scheme', `Scheme "${context.scheme}" does not match any of the required schemes (${schemes})`)
  }
  if (entry.methods !== null && !entry.methods.includes(context.method)) {
    const methods = route.methods.join(', ')
    return almost(route, 'method', `Method "${context.method}" does not match any of the required methods (${methods})`)
  }
  return { route, level: 'match', reason: null, text: 'Route matches!', param: null }
}

/** Whether the path has the text that the pattern begins with. Most routes of a table have not, and that is all there is to say. */
function startsLike(route: Route, path: string): boolean {
  const first = route.tokens[0]
  if (first?.kind !== 'text') return true
  const { text } = first
  let end = text.length
  while (end > 0 && text[end - 1] === '/') end -= 1
  return path.startsWith(end === text.length ? text : text.slice(0, end))
}

function treeOf(entry: RouteEntry): TreeNode {
  const root = new TreeNode('')
  addToTree(root, entry)
  return root
}

/** Whether the path would fit without requirements, and the first one that keeps it from fitting. */
function explainPath(route: Route, path: string, budget: Budget): TraceStep {
  if (Object.keys(route.requirements).length === 0 || !fitsWith(route, path, {}, budget)) return pathMiss(route, 'path')
  for (const [param, source] of Object.entries(route.requirements)) {
    const isInPath = route.tokens.some((token) => token.kind === 'param' && token.name === param)
    if (isInPath && !fitsWith(route, path, { [param]: source }, budget)) {
      return { ...almost(route, 'requirement', `Requirement for "${param}" does not match (${source})`), param }
    }
  }
  return almost(route, 'requirement', 'Each requirement could match, but not all together')
}

function fitsWith(route: Route, path: string, requirements: Readonly<Record<string, string>>, budget: Budget): boolean {
  const { name, path: pattern, defaults, utf8, handler } = route
  const bare = new Route({ name, path: pattern, defaults, utf8, handler, requirements })
  return findMatches(treeOf(new RouteEntry(bare, 0)), path, budget).some(({ isOwnForm }) => isOwnForm)
}

function pathMiss(route: Route, reason: 'path' | 'slash'): TraceStep {
  return { route, level: 'no', reason, text: `Path "${route.writtenAs}" does not match`, param: null }
}

function almost(route: Route, reason: MissReason, text: string): TraceStep {
  return { route, level: 'almost', reason, text, param: null }
}
