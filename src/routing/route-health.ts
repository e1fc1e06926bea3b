// Finds duplicate routes, and routes that an earlier one hides.

import { type DefinitionPlace, placeText } from './errors.ts'
import { findMatches, type PathMatch, allowedMethods, RouteEntry, addToTree, TreeNode } from './route-tree.ts'
import type { RouteCollection } from './route-collection.ts'
import type { RouteNames } from './route-definition.ts'
import { compileExpression, isWholeMatch } from './program.ts'
import type { Route } from './route.ts'

/** What is wrong with a route. */
export interface RouteProblem {
  /**
   * `duplicate-name`: a later route with the same name replaced this one. `duplicate`: the same path, host and methods twice.
   * `unreachable`: an earlier route matches every request of this one. `shadowed`: an earlier one matches some of its methods.
   */
  readonly kind: 'duplicate-name' | 'duplicate' | 'unreachable' | 'shadowed'
  /** The route that loses. */
  readonly route: Route
  /** The route that wins. */
  readonly by: Route
  /** For people, with both places. */
  readonly message: string
}

/** All findings, in the order of the table. */
export function checkRoutes(routes: RouteCollection<RouteNames, string>): readonly RouteProblem[] {
  const problems = routes.replaced().map(([earlier, later]) => problem('duplicate-name', earlier, later))
  const root = new TreeNode('')
  for (const [order, route] of routes.all().entries()) {
    const entry = new RouteEntry(route, order)
    const earlier = findEarlier(root, entry)
    if (earlier !== null) problems.push(earlier)
    addToTree(root, entry)
  }
  return problems
}

/** The earlier route that takes what this one should, by a path that this one is sure to take. */
function findEarlier(root: TreeNode, entry: RouteEntry): RouteProblem | null {
  const { route } = entry
  const path = samplePath(entry)
  if (path === null) return null
  for (const candidate of findMatches(root, path)) {
    const by = candidate.entry.route
    if (!isAlwaysBefore(candidate, entry)) continue
    const own = allowedMethods(route)
    const others = allowedMethods(by)
    const isWhole = others.length === 0 || (own.length > 0 && own.every((method) => others.includes(method)))
    const isSame = by.path === route.path && isSameRequirements(by, route)
    if (isWhole) return problem(isSame && isSameList(own, others) ? 'duplicate' : 'unreachable', route, by)
    if (own.some((method) => others.includes(method))) return problem('shadowed', route, by)
  }
  return null
}

/** Whether the earlier route asks for nothing that the later one does not ask for too. */
function isAlwaysBefore({ entry, isOwnForm }: PathMatch, later: RouteEntry): boolean {
  const by = entry.route
  const { route } = later
  const isWider = by.host === '' || by.host === route.host
  const isSchemeWider = by.schemes.length === 0 || isSameList(by.schemes, route.schemes)
  return by.condition === null && isOwnForm && isWider && isSchemeWider && isPathWider(entry, later)
}

/** Every parameter of the earlier path matches what the later one has in its place. */
function isPathWider(earlier: RouteEntry, later: RouteEntry): boolean {
  if (isSamePattern(earlier, later)) return true
  const isFree = earlier.tokens.every((token) => token.kind === 'text' || !token.isRequired)
  // A sample value only shows the match of all others if the later route has no requirement either, or no parameter.
  return isFree && later.tokens.every((token) => token.kind === 'text' || (!token.isRequired && token.stops === '/'))
}

function isSamePattern(one: RouteEntry, other: RouteEntry): boolean {
  const shape = ({ tokens }: RouteEntry): string =>
    JSON.stringify(tokens.map((token) => (token.kind === 'text' ? token.text : [token.separator, token.source])))
  return shape(one) === shape(other)
}

/** A path of the route, with a value for each parameter that no text is likely to be; `null` where requirements forbid it. */
function samplePath({ route, tokens, hasTrailingSlash }: RouteEntry): string | null {
  let path = ''
  for (const token of tokens) {
    if (token.kind === 'text') path += token.text
    else {
      const value = token.isRequired ? sampleValue(token.source) : '\u{f8ff}'
      if (value === null) return null
      path += token.separator + value
    }
  }
  return hasTrailingSlash ? `${path}/` : path === '' ? '/' : route.path === '/' ? '/' : path
}

const samples: readonly string[] = '\u{f8ff} 7 77 2024 zq zq-7 ZQ en 0f0f0f0f zq/zq 2024-07-07 zq.zq'.split(' ')

function sampleValue(source: string): string | null {
  const program = compileExpression(source)
  const word = /^[\w-]+/.exec(source)?.[0]
  return [...samples, ...(word === undefined ? [] : [word])].find((sample) => isWholeMatch(program, sample)) ?? null
}

function isSameRequirements(one: Route, other: Route): boolean {
  return JSON.stringify(one.requirements) === JSON.stringify(other.requirements)
}

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((item) => other.includes(item))
}

function problem(kind: RouteProblem['kind'], route: Route, by: Route): RouteProblem {
  const own = `"${route.key}" (${route.path}${at(route.definedAt)})`
  const other = `"${by.key}" (${by.path}${at(by.definedAt)})`
  return { kind, route, by, message: sentence(kind, own, other) }
}

function sentence(kind: RouteProblem['kind'], own: string, other: string): string {
  switch (kind) {
    case 'duplicate-name':
      return `Route ${own} is replaced by ${other}, which has the same name.`
    case 'duplicate':
      return `Route ${own} is never reached: ${other} is the same.`
    case 'unreachable':
      return `Route ${own} is never reached: ${other} comes first and matches all its requests.`
    case 'shadowed':
      return `Route ${own} is partly hidden: ${other} comes first for some of its methods.`
    default:
      return kind satisfies never
  }
}

function at(place: DefinitionPlace | null): string {
  const text = placeText(place)
  return text === null ? '' : `, ${text}`
}
