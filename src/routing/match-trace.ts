// Explains why each route did not match a request: how far the path is from its pattern, segment by segment, and what it would have to be.

import type { HttpRequest } from '../base/http/request.ts'
import { decodePath } from './url-encoding.ts'
import { RouteEntry, findMatches, addToTree, TreeNode } from './route-tree.ts'
import type { Budget, Program } from './program.ts'
import { maxSteps, compileExpression, compilePattern, isWholeMatch, runProgram } from './program.ts'
import { Route } from './route.ts'
import { matchHost, meetsCondition } from './url-matcher.ts'
import { editDistance } from '../base/options/check-options.ts'

/** Why a route did not match. `slash`: only the trailing slash differs. */
type MissReason = 'path' | 'slash' | 'requirement' | 'host' | 'condition' | 'scheme' | 'method'

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
  return steps
    .filter(({ level }) => level !== 'match')
    .map((step) => ({ step, distance: distanceOf(step, compare) }))
    .sort((one, other) => one.distance - other.distance)
    .slice(0, limit)
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

function distanceOf({ route, reason }: TraceStep, compare: PathComparer): number {
  const rank = nearness.indexOf(reason)
  return reason === 'path' ? rank + Math.min(compare(route).distance, 1000) : rank / nearness.length
}

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

/** What a segment, or the whole, differs by. */
export type Difference = 'typo' | 'case' | 'plural' | 'requirement' | 'prefix' | 'slash' | 'doubled-slash'

export interface PathComparison {
  /** 0 for the same; about 1 for a wrong letter; Infinity for nothing in common. */
  readonly distance: number
  /** What weighs most, `null` for no difference. */
  readonly difference: Difference | null
  /** What differs, as sent and as it should be; for a requirement the value and the expression. */
  readonly sent: string
  readonly wanted: string
  /** Name of the parameter that failed its requirement. */
  readonly param: string | null
  /** The path that the route would take, `null` if a value is missing for it. */
  readonly path: string | null
}

const tooFar: PathComparison = { distance: Infinity, difference: null, sent: '', wanted: '', param: null, path: null }

export type PathComparer = (route: Route) => PathComparison

/** Compares a decoded path with many routes, with each of them once. */
export function pathComparer(path: string): PathComparer {
  const sent = segmentsOf(path)
  const known = new Map<Route, PathComparison>()
  const budget = { steps: maxSteps }
  return (route) => {
    let compared = known.get(route)
    if (compared === undefined) known.set(route, (compared = compare(path, sent, route, budget)))
    return compared
  }
}

function compare(path: string, sent: readonly string[], route: Route, budget: Budget): PathComparison {
  const pattern = segmentsOf(route.path)
  const optional = optionalSegments(route, pattern)
  // Neither a segment too many nor more than a prefix of two too few.
  if (sent.length > pattern.length || pattern.length - optional - sent.length > 2) return tooFar
  let best = tooFar
  for (let length = pattern.length - optional; length <= pattern.length; length += 1) {
    if (sent.length > length) continue
    const shown = length === pattern.length ? pattern : pattern.slice(0, length)
    const compared =
      sent.length === length ? compareSegments(sent, shown, route, budget) : comparePrefix(sent, shown, route, budget)
    if (compared.distance < best.distance) best = compared
  }
  return compareSlashes(path, best, route)
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '')
}

/** Segments at the end that consist of an optional parameter only. */
function optionalSegments(route: Route, pattern: readonly string[]): number {
  let count = 0
  for (const segment of pattern.toReversed()) {
    const name = /^\{([\w\u0080-\uffff]+)\}$/.exec(segment)?.[1]
    if (name === undefined || !Object.hasOwn(route.defaults, name)) break
    count += 1
  }
  return count
}

function compareSegments(
  sent: readonly string[],
  pattern: readonly string[],
  route: Route,
  budget: Budget,
): PathComparison {
  if (sent.length !== pattern.length) return tooFar
  const compared: PathComparison[] = []
  for (const [index, segment] of pattern.entries()) {
    const part = compareSegment(sent[index] ?? '', segment, route, budget)
    if (part.distance === Infinity) return tooFar
    compared.push(part)
  }
  const distance = compared.reduce((sum, part) => sum + part.distance, 0)
  const isUnlike =
    pattern.length > 0 && compared.every((part, index) => part.distance > 0 || isParam(pattern[index] ?? ''))
  const worst = compared.reduce((most, part) => (part.distance > most.distance ? part : most), {
    ...tooFar,
    distance: 0,
  })
  const path = compared.some((part) => part.path === null) ? null : `/${compared.map((part) => part.path).join('/')}`
  // One word of one is a different page when most of it differs; among others that fit it is a slip.
  return { ...worst, distance: isUnlike ? distance * 1.25 : distance, path }
}

function compareSegment(sent: string, pattern: string, route: Route, budget: Budget): PathComparison {
  if (pattern.includes('{')) return compareParam(sent, pattern, route, budget)
  const same = { sent, wanted: pattern, param: null, path: pattern }
  if (sent === pattern) return { ...same, distance: 0, difference: null }
  const one = sent.toLowerCase()
  const other = pattern.toLowerCase()
  if (one === other) return { ...same, distance: 0.3, difference: 'case' }
  if (isPlural(one, other)) return { ...same, distance: 0.5, difference: 'plural' }
  const limit = Math.max(1, Math.floor(Math.max(sent.length, pattern.length) / 3))
  const distance = editDistance(one, other, limit)
  return distance > limit ? tooFar : { ...same, distance, difference: 'typo' }
}

/** A segment that holds parameters: fits when it meets their requirements. */
function compareParam(sent: string, pattern: string, route: Route, budget: Budget): PathComparison {
  const { strict, loose, params } = readSegment(pattern, route)
  if (isWholeMatch(strict, sent, budget)) {
    return { distance: 0, difference: null, sent, wanted: pattern, param: null, path: sent }
  }
  const slots = runProgram(loose, sent, 0, sent.length, budget)
  if (slots === null) return tooFar
  const values = params.map((_, index) => sent.slice(slots[2 * index], slots[2 * index + 1]))
  const failed = params.findIndex(({ program }, index) => !isWholeMatch(program, values[index] ?? '', budget))
  const { name, source } = params[failed] ?? params[0] ?? { name: '', source: '' }
  const facts = { difference: 'requirement', sent: values[failed] ?? sent, wanted: source } as const
  return { ...facts, distance: 0.8, param: name, path: null }
}

interface ParamSegment {
  /** With the requirements, and with anything in their place. */
  readonly strict: Program
  readonly loose: Program
  readonly params: readonly { readonly name: string; readonly source: string; readonly program: Program }[]
}

function readSegment(pattern: string, route: Route): ParamSegment {
  const sources = new Map(route.tokens.flatMap((token) => (token.kind === 'param' ? [[token.name, token.source]] : [])))
  const parts = pattern.split(/\{!?([\w\u0080-\uffff]+)\}/)
  const whole = (sourceOf: (name: string) => string): Program =>
    compilePattern(
      parts.map((part, index) =>
        index % 2 === 0 ? { kind: 'text', text: part } : { kind: 'param', separator: '', source: sourceOf(part) },
      ),
    )
  const source = (name: string): string => sources.get(name) ?? '[^/]+'
  const names = parts.filter((_, index) => index % 2 === 1)
  const params = names.map((name) => ({ name, source: source(name), program: compileExpression(source(name)) }))
  return { strict: whole(source), loose: whole(() => '[^/]+?'), params }
}

/** The path without what it is mounted under: `/users` for `/api/users`. */
function comparePrefix(
  sent: readonly string[],
  pattern: readonly string[],
  route: Route,
  budget: Budget,
): PathComparison {
  const missing = pattern.length - sent.length
  if (missing < 1 || missing > 2 || sent.length === 0) return tooFar
  const prefix = pattern.slice(0, missing)
  const rest = pattern.slice(missing)
  if (prefix.some((segment) => segment.includes('{')) || rest.every((segment) => isParam(segment))) return tooFar
  const compared = compareSegments(sent, rest, route, budget)
  // Only what fits as it is counts here.
  if (compared.distance > 0) return tooFar
  const path = compared.path === null ? null : `/${prefix.join('/')}${compared.path}`
  return {
    distance: 0.6 + 0.2 * missing,
    difference: 'prefix',
    sent: '',
    wanted: `/${prefix.join('/')}`,
    param: null,
    path,
  }
}

/** Adds what slashes cost: doubled ones, and one more or less at the end. */
function compareSlashes(path: string, compared: PathComparison, route: Route): PathComparison {
  if (compared.distance === Infinity) return compared
  const wantsSlash = route.path !== '/' && route.path.endsWith('/')
  const isWritten = route.path.includes('//')
  const ended = compared.path !== null && wantsSlash && compared.path !== '/' ? `${compared.path}/` : compared.path
  const fixed = isWritten ? (route.path.includes('{') ? null : route.path) : ended
  const isDoubled = path.includes('//') !== isWritten
  const hasSlash = path.length > 1 && path.endsWith('/')
  const isWrongEnd = hasSlash !== wantsSlash && fixed !== path
  const cost = (isDoubled ? 0.2 : 0) + (isWrongEnd ? 0.1 : 0)
  const difference = compared.difference ?? (isDoubled ? 'doubled-slash' : isWrongEnd ? 'slash' : null)
  const facts = compared.difference === null ? { sent: path, wanted: fixed ?? route.path } : {}
  return { ...compared, ...facts, distance: compared.distance + cost, difference, path: fixed }
}

function isParam(segment: string): boolean {
  return /^\{!?[\w\u0080-\uffff]+\}$/.test(segment)
}

function isPlural(one: string, other: string): boolean {
  if (Math.abs(one.length - other.length) > 2 || (one[0] !== other[0] && one.length > 1 && other.length > 1))
    return false
  const forms = (word: string): string[] => [
    `${word}s`,
    `${word}es`,
    ...(word.endsWith('y') ? [`${word.slice(0, -1)}ies`] : []),
  ]
  return forms(one).includes(other) || forms(other).includes(one)
}
