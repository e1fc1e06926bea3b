// Finds the route of a request. Sends the client to the route's own form where only a slash or the scheme is wrong.

import type { HttpRequest, ParamValue } from '../base/http/request.ts'
import { decodedValue, decodePath } from './url-encoding.ts'
import type { RouteCollection } from './route-collection.ts'
import {
  PathValues,
  RouteEntry,
  addToTree,
  noDefaults,
  noOrder,
  TreeNode,
  type Span,
  findMatches,
  trimmedLength,
  walkTree,
  type TreeSearch,
} from './route-tree.ts'
import type { Route } from './route.ts'
import { maxSteps, runProgram, type Budget } from './program.ts'

/** The outcome of a look-up. A value, not an exception: an unmatched path is ordinary. */
export type MatchResult =
  | {
      readonly kind: 'match'
      readonly route: Route
      /** Decoded values of path and host, with the route's defaults. */
      readonly params: Readonly<Record<string, ParamValue>>
    }
  | {
      readonly kind: 'redirect'
      readonly route: Route
      /** The route's own form: path and query, or an absolute URL for another scheme. Never starts with `//`. */
      readonly location: string
      readonly status: 301 | 308
    }
  | {
      readonly kind: 'not_found'
      /** Whether the search was cut short, because it would have taken too long for this path. */
      readonly isCutShort?: true
    }
  | {
      readonly kind: 'method_not_allowed'
      /** Methods that the path allows, for the `Allow` header, in the order of the table. */
      readonly allow: readonly string[]
    }

/** How requests are matched. */
interface UrlMatcherOptions {
  /** Whether to send requests to a route's own form. Default: true. */
  readonly redirects?: boolean
}

/** Finds routes. Builds its table on first use, and again after the collection has changed. */
export class UrlMatcher {
  readonly #routes: RouteCollection
  readonly #redirects: boolean
  #root = new TreeNode('')
  #version = -1

  constructor(routes: RouteCollection<object & Readonly<Record<string, string>>>, options: UrlMatcherOptions = {}) {
    this.#routes = routes
    this.#redirects = options.redirects ?? true
  }

  /** The route of a request, the place to send it to, or why there is none. Never throws. */
  find(context: HttpRequest): MatchResult {
    if (this.#version !== this.#routes.version) {
      this.#root = buildTree(this.#routes.all())
      this.#version = this.#routes.version
    }
    const { path, scheme } = context
    const first = this.#ask(context, path, scheme, maxSteps)
    if (first === null) return notFound
    if (first.steps < 0) return cutShort
    if (first.match !== null) return first.match
    const allow = wordsOf(first, 'methods')
    if (allow !== null) return { kind: 'method_not_allowed', allow }
    if (!this.#redirects) return notFound
    const schemes = wordsOf(first, 'schemes')
    if (schemes !== null) return this.#toScheme(context, path, first, schemes)
    const other = first.reachedEnd ? otherSlash(path) : null
    const second = other === null ? null : this.#ask(context, other, scheme, first.steps)
    if (other === null || second === null) return notFound
    if (second.steps < 0) return cutShort
    if (second.match !== null) return this.#redirect(context, second.match.route, other, scheme)
    const otherSchemes = wordsOf(second, 'schemes')
    return otherSchemes === null ? notFound : this.#toScheme(context, other, second, otherSchemes)
  }

  /** `null` for a path that cannot be decoded. It is decoded only if that can make a difference. */
  #ask(context: HttpRequest, sent: string, scheme: string, steps: number, path?: string): Question | null {
    const asked = path ?? (sent === '' ? '/' : sent)
    const question: Question = {
      path: asked,
      percent: path === undefined ? 'unknown' : 'none',
      trimmedLength: trimmedLength(asked),
      limit: noOrder,
      reachedEnd: false,
      steps,
      visit: askRoute,
      context,
      scheme,
      redirects: this.#redirects,
      match: null,
      near: null,
    }
    walkTree(question, this.#root)
    if (question.percent !== 'found') return question
    const decoded = decodePath(sent)
    return decoded === null ? null : this.#ask(context, sent, scheme, steps, decoded)
  }

  #toScheme(context: HttpRequest, path: string, { steps }: Question, schemes: readonly string[]): MatchResult {
    const [scheme = context.scheme] = schemes
    const match = this.#ask(context, path, scheme, steps)?.match ?? null
    return match === null ? notFound : this.#redirect(context, match.route, path, scheme)
  }

  #redirect(context: HttpRequest, route: Route, path: string, scheme: string): MatchResult {
    if (!isRedirected(route, context.method)) return notFound
    const target = safeTarget(context.rawQuery === '' ? path : `${path}?${context.rawQuery}`)
    const isLocal = scheme === context.scheme && !target.startsWith('//')
    // Another scheme has its usual port.
    const authority = scheme === context.scheme ? context.authority : context.host
    const location = isLocal ? target : `${scheme}://${authority}${target}`
    return { kind: 'redirect', route, location, status: route.redirect === 'all' ? 308 : 301 }
  }
}

const notFound: MatchResult = Object.freeze({ kind: 'not_found' })
const noValues: readonly string[] = Object.freeze([])
const cutShort: MatchResult = Object.freeze({ kind: 'not_found', isCutShort: true })

/** A route that matches but for its methods, or but for its schemes; and the one before it. */
interface NearMiss {
  readonly entry: RouteEntry
  readonly lacks: 'methods' | 'schemes'
  readonly before: NearMiss | null
}

/** Asks the routes that match a path whether they match the rest of the request too. */
interface Question extends TreeSearch {
  readonly context: HttpRequest
  readonly scheme: string
  readonly redirects: boolean
  /** `null` behind a limit: the first route that fits has the other slash at its end, and sends the request there. */
  match: (MatchResult & { kind: 'match' }) | null
  near: NearMiss | null
}

function askRoute(this: Question, entry: RouteEntry, isOwnForm: boolean, last: Span | null): boolean {
  const { route, methods } = entry
  const { context, redirects } = this
  const { method } = context
  const hostValues = matchHost(entry, context, this)
  if (hostValues === null || !meetsCondition(entry, context)) return false
  if (!isOwnForm) {
    const isTaken = methods === null || methods.includes(method === 'HEAD' ? 'GET' : method)
    if (!isTaken || !redirects || !isRedirected(route, method)) return false
    this.match = null
    return true
  }
  if (route.schemes.length > 0 && !route.schemes.includes(this.scheme)) {
    if (redirects && isRedirected(route, method)) this.near = { entry, lacks: 'schemes', before: this.near }
    return false
  }
  if (methods !== null && methods[0] !== method && !methods.includes(method)) {
    this.near = { entry, lacks: 'methods', before: this.near }
    return false
  }
  const isFixed = last === null && hostValues === noValues
  this.match = isFixed ? entry.fixedMatch : { kind: 'match', route, params: paramsOf(this, entry, hostValues, last) }
  return true
}

function paramsOf(
  question: Question,
  { defaults, hostNames, names, route }: RouteEntry,
  hostValues: readonly string[],
  last: Span | null,
): Readonly<Record<string, ParamValue>> {
  const params = defaults === noDefaults ? new PathValues() : Object.assign(new PathValues(), defaults)
  for (let index = 0; index < hostValues.length; index += 1) params[hostNames[index] ?? ''] = hostValues[index] ?? ''
  if (last !== null) setParams(params, names, last, question)
  for (const name of route.numbers) readNumber(params, name)
  return params
}

/** The first one first. Gives how many there are. */
function setParams(params: PathValues, names: readonly string[], span: Span, question: Question): number {
  const { start, end, before } = span
  const index = before === null ? 0 : setParams(params, names, before, question)
  if (start < 0) return index + 1
  const value = question.path.slice(start, end)
  params[names[index] ?? ''] = question.path === question.context.path ? value : decodedValue(value)
  return index + 1
}

/** Nothing in the place of a number is `null`. */
function readNumber(params: PathValues, name: string): void {
  const value = params[name]
  if (typeof value === 'string') params[name] = value === '' ? null : Number(value)
}

/**
 * The tree. A route without parameters is asked first, unless an earlier route with parameters matches its path. Then it makes no
 * difference for its own path, but it takes any number of slashes at the end.
 */
function buildTree(routes: readonly Route[]): TreeNode {
  const root = new TreeNode('')
  for (const [index, route] of routes.entries()) {
    const isFirst = isFirstRoute(root, route)
    addToTree(root, new RouteEntry(route, isFirst ? index : routes.length + index, isFirst))
  }
  return root
}

function isFirstRoute(root: TreeNode, { path, tokens }: Route): boolean {
  const own = path === '/' ? path : path.replace(/\/$/, '')
  if (tokens.some(({ kind }) => kind === 'param') || trimmedLength(own) < own.length) return false
  return [own, `${own}/`].every((form) => findMatches(root, form).every(({ entry }) => entry.isFirst))
}

/** Methods or schemes that the request would need, in the order of the table; `null` if that is not what it lacks. */
function wordsOf({ near, limit }: Question, lacks: NearMiss['lacks']): readonly string[] | null {
  if (near === null || limit < noOrder) return null
  if (near.before === null && near.lacks === lacks && lacks === 'methods') return near.entry.methods
  const entries: RouteEntry[] = []
  for (let miss: NearMiss | null = near; miss !== null; miss = miss.before)
    if (miss.lacks === lacks) entries.push(miss.entry)
  entries.sort((one, other) => one.order - other.order)
  const words = entries.flatMap(({ methods, route }) => (lacks === 'schemes' ? route.schemes : (methods ?? [])))
  return words.length === 0 ? null : [...new Set(words)]
}

/** Whether a request of this method is sent to the route's own form when it is near. */
function isRedirected(route: Route, method: string): boolean {
  if (route.redirect === 'none') return false
  return route.redirect === 'all' || method === 'GET' || method === 'HEAD'
}

/** Values of the host's parameters, or `null` for another host. */
export function matchHost(
  { hostName, hostPattern }: RouteEntry,
  request: HttpRequest,
  budget: Budget,
): readonly string[] | null {
  if (hostName === null && hostPattern === null) return noValues
  const name = request.host.toLowerCase()
  if (hostPattern === null) return hostName === name ? noValues : null
  const slots = runProgram(hostPattern, name, 0, name.length, budget)
  if (slots === null) return null
  return Array.from({ length: slots.length / 2 }, (_, index) => name.slice(slots[2 * index], slots[2 * index + 1]))
}

/** Whether the route's condition holds. One that throws does not: finding a route never throws. */
export function meetsCondition({ route }: RouteEntry, context: HttpRequest): boolean {
  if (route.condition === null) return true
  try {
    return route.condition(context)
  } catch {
    return false
  }
}

/** The path with a slash more or less at its end, `null` for the root. */
function otherSlash(path: string): string | null {
  const length = trimmedLength(path)
  if (length <= 1 && (path === '' || path.startsWith('/'))) return null
  return length === path.length ? `${path}/` : path.slice(0, length)
}

/** Encodes what browsers would read as another host (a backslash), and what a header cannot hold. */
function safeTarget(target: string): string {
  return target.replaceAll(/[\0-\x20\x7f\\]|[^\0-\xff]+/g, (part) => encodeURIComponent(part.toWellFormed()))
}
