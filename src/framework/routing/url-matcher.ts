// Finds the route of a request. Sends the client to the route's own form where only a slash or the scheme is wrong.

import type { HttpRequest } from '../http/request.ts'
import { decodedValue, decodePath } from './decode-path.ts'
import type { RouteCollection } from './route-collection.ts'
import { allowedMethods, PathValues, RouteEntry } from './route-entry.ts'
import { addToTree, TreeNode } from './route-tree.ts'
import type { Route } from './route.ts'
import { findMatches, followText, TreeSearch, trimmedLength } from './tree-search.ts'
import type { MatchVisitor } from './tree-search.ts'

/** The outcome of a look-up. A value, not an exception: an unmatched path is ordinary. */
export type MatchResult =
  | {
      readonly kind: 'match'
      readonly route: Route
      /** Decoded values of path and host, with the route's defaults. */
      readonly params: Readonly<Record<string, string>>
    }
  | {
      readonly kind: 'redirect'
      readonly route: Route
      /** The route's own form: path and query, or an absolute URL for another scheme. Never starts with `//`. */
      readonly location: string
      readonly status: 301 | 308
    }
  | { readonly kind: 'not_found' }
  | {
      readonly kind: 'method_not_allowed'
      /** Methods that the path allows, for the `Allow` header, in the order of the table. */
      readonly allow: readonly string[]
    }

/** How requests are matched. */
export interface UrlMatcherOptions {
  /** Whether to send requests to a route's own form. Default: true. */
  readonly redirects?: boolean
  /** Ports of the schemes, for redirects to another scheme. Defaults: 80 and 443. */
  readonly httpPort?: number
  readonly httpsPort?: number
}

/** Finds routes. Builds its table on first use, and again after the collection has changed. */
export class UrlMatcher {
  readonly #routes: RouteCollection
  readonly #options: Required<UrlMatcherOptions>
  #table = new MatchTable([])
  #version = -1

  constructor(routes: RouteCollection<object & Readonly<Record<string, string>>>, options: UrlMatcherOptions = {}) {
    this.#routes = routes
    this.#options = { redirects: true, httpPort: 80, httpsPort: 443, ...options }
  }

  /** The route of a request, the place to send it to, or why there is none. Never throws. */
  find(context: HttpRequest): MatchResult {
    if (this.#version !== this.#routes.version) {
      this.#table = new MatchTable(this.#routes.all())
      this.#version = this.#routes.version
    }
    const { path, scheme } = context
    const first = this.#ask(context, path, scheme)
    if (first === null) return notFound
    if (first.match !== null) return first.match
    if (!first.hasOtherForm && first.otherMethods !== null)
      return { kind: 'method_not_allowed', allow: wordsOf(first.otherMethods, allowedMethods) }
    if (!this.#options.redirects) return notFound
    if (!first.hasOtherForm && first.otherSchemes !== null) return this.#toScheme(context, path, first.otherSchemes)
    const other = first.reachedEnd ? otherSlash(path) : null
    const second = other === null ? null : this.#ask(context, other, scheme)
    if (other === null || second === null) return notFound
    if (second.match !== null) return this.#redirect(context, second.match.route, other, scheme)
    if (second.hasOtherForm || second.otherSchemes === null) return notFound
    return this.#toScheme(context, other, second.otherSchemes)
  }

  /** `null` where no route begins like the path. */
  #ask(context: HttpRequest, sent: string, scheme: string): Question | null {
    const path = sent === '' ? '/' : decodePath(sent)
    if (path === null) return null
    const length = trimmedLength(path)
    const hasSlash = length < path.length
    const fixed = this.#table.fixed.get(hasSlash ? path.slice(0, length) : path)
    let question: Question | null = null
    if (fixed !== undefined) {
      question = new Question(context, scheme, this.#options.redirects, path !== sent)
      question.reachedEnd = true
      for (const entry of fixed) {
        if (question.visit(entry, noNames, noNames, entry.hasTrailingSlash === hasSlash)) return question
      }
    }
    const start = followText(this.#table.root, path)
    if (start === null) return question
    question ??= new Question(context, scheme, this.#options.redirects, path !== sent)
    const search = new TreeSearch(path, question)
    search.walk(start, start.depth, 0)
    question.reachedEnd ||= search.reachedEnd
    return question
  }

  #toScheme(context: HttpRequest, path: string, routes: readonly RouteEntry[]): MatchResult {
    const [scheme = context.scheme] = wordsOf(routes, ({ schemes }) => schemes)
    const match = this.#ask(context, path, scheme)?.match ?? null
    return match === null ? notFound : this.#redirect(context, match.route, path, scheme)
  }

  #redirect(context: HttpRequest, route: Route, path: string, scheme: string): MatchResult {
    if (!isRedirected(route, context.method)) return notFound
    const target = safeTarget(context.rawQuery === '' ? path : `${path}?${context.rawQuery}`)
    const isLocal = scheme === context.scheme && !target.startsWith('//')
    const location = isLocal ? target : `${this.#origin(context, scheme)}${target}`
    return { kind: 'redirect', route, location, status: route.redirect === 'all' ? 308 : 301 }
  }

  #origin(context: HttpRequest, scheme: string): string {
    if (scheme === context.scheme) return `${scheme}://${context.authority}`
    const port = scheme === 'https' ? this.#options.httpsPort : this.#options.httpPort
    return `${scheme}://${context.host}${port === (scheme === 'https' ? 443 : 80) ? '' : `:${port}`}`
  }
}

const notFound: MatchResult = Object.freeze({ kind: 'not_found' })
const noNames: readonly string[] = Object.freeze([])

/** Asks the routes that match a path whether they match the rest of the request too. */
class Question implements MatchVisitor {
  match: (MatchResult & { kind: 'match' }) | null = null
  /** Whether the first route that fits has the other slash at its end, and sends the request there. */
  hasOtherForm = false
  /** Routes that match but for the method, or but for the scheme. */
  otherMethods: RouteEntry[] | null = null
  otherSchemes: RouteEntry[] | null = null
  reachedEnd = false
  readonly #context: HttpRequest
  readonly #scheme: string
  readonly #redirects: boolean
  readonly #isEncoded: boolean

  constructor(context: HttpRequest, scheme: string, redirects: boolean, isEncoded: boolean) {
    this.#context = context
    this.#scheme = scheme
    this.#redirects = redirects
    this.#isEncoded = isEncoded
  }

  visit(
    entry: RouteEntry,
    names: readonly string[],
    values: readonly (string | undefined)[],
    isOwnForm: boolean,
  ): boolean {
    const { route, methods } = entry
    const { method, host } = this.#context
    const hostValues = matchHost(entry, host)
    if (hostValues === null || !meetsCondition(entry, this.#context)) return false
    const takesMethod = methods === null || methods.includes(method)
    if (!isOwnForm) {
      if (!takesMethod || !this.#redirects || !isRedirected(route, method)) return false
      this.match = null
      this.hasOtherForm = true
      return true
    }
    if (route.schemes.length > 0 && !route.schemes.includes(this.#scheme)) {
      if (this.#redirects && isRedirected(route, method)) (this.otherSchemes ??= []).push(entry)
      return false
    }
    if (!takesMethod) {
      ;(this.otherMethods ??= []).push(entry)
      return false
    }
    this.match = { kind: 'match', route, params: this.#params(entry, hostValues, names, values) }
    this.hasOtherForm = false
    return true
  }

  #params(
    entry: RouteEntry,
    hostValues: readonly (string | undefined)[],
    names: readonly string[],
    values: readonly (string | undefined)[],
  ): Readonly<Record<string, string>> {
    if (names.length === 0 && hostValues.length === 0) return entry.defaults
    const params = entry.hasDefaults ? Object.assign(new PathValues(), entry.defaults) : new PathValues()
    for (const [index, name] of entry.hostNames.entries()) params[name] = hostValues[index] ?? ''
    for (let index = 0; index < names.length; index += 1) {
      const name = names[index]
      const value = values[index]
      if (name !== undefined && value !== undefined) params[name] = this.#isEncoded ? decodedValue(value) : value
    }
    return params
  }
}

/**
 * The routes: those without parameters by their path, all others in a tree. The tree is asked second; a route without parameters is
 * in it where an earlier route with parameters matches its path.
 */
class MatchTable {
  readonly fixed = new Map<string, RouteEntry[]>()
  readonly root = new TreeNode('', 0)

  constructor(routes: readonly Route[]) {
    for (const [order, route] of routes.entries()) {
      const entry = new RouteEntry(route, order)
      const path = this.#fixedPath(entry)
      if (path === null) addToTree(this.root, entry)
      else {
        const same = this.fixed.get(path)
        if (same === undefined) this.fixed.set(path, [entry])
        else same.push(entry)
      }
    }
  }

  /** The path without a slash at its end, or `null` for a route of the tree. */
  #fixedPath({ tokens }: RouteEntry): string | null {
    const [token] = tokens
    if (tokens.length > 1 || token?.kind === 'param') return null
    const path = token?.text ?? '/'
    if (trimmedLength(path) < path.length) return null
    const isFree = findMatches(this.root, path).length === 0 && findMatches(this.root, `${path}/`).length === 0
    return isFree ? path : null
  }
}

/** What the routes say, without repetition, in the order of the table. */
function wordsOf(entries: readonly RouteEntry[], words: (route: Route) => readonly string[]): readonly string[] {
  const first = entries[0]
  if (first !== undefined && entries.length === 1) return words(first.route)
  const inOrder = entries.toSorted((one, other) => one.order - other.order)
  return [...new Set(inOrder.flatMap(({ route }) => words(route)))]
}

/** Whether a request of this method is sent to the route's own form when it is near. */
function isRedirected(route: Route, method: string): boolean {
  if (route.redirect === 'none') return false
  return route.redirect === 'all' || method === 'GET' || method === 'HEAD'
}

/** Values of the host's parameters, or `null` for another host. */
export function matchHost(entry: RouteEntry, host: string): readonly (string | undefined)[] | null {
  const { hostName, hostPattern } = entry
  if (hostName === null && hostPattern === null) return noNames
  const name = host.toLowerCase()
  if (hostPattern !== null) return hostPattern.exec(name)?.slice(1) ?? null
  return hostName === name ? noNames : null
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
