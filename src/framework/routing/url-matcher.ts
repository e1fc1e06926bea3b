// Finds the route of a request. Sends the client to the route's own form where only a slash or the scheme is wrong.

import type { RequestContext } from '../http/request-context.ts'
import { CompiledMatcher } from './compiled-matcher.ts'
import type { FindPlainly } from './compiled-matcher.ts'
import { decodedValue, decodePath } from './decode-path.ts'
import { trimSlashes } from './find-candidates.ts'
import type { MatchResult } from './match-result.ts'
import { isRedirected, resolveCandidates } from './resolve-candidates.ts'
import type { Resolution } from './resolve-candidates.ts'
import type { RouteCollection } from './route-collection.ts'
import { RouteTable } from './route-table.ts'

/** How requests are matched. */
export interface UrlMatcherOptions {
  /** Whether to send requests to a route's own form. Default: true. */
  readonly redirects?: boolean
  /** Whether to run generated code; environments that forbid `Function` do without by themselves. Default: true. */
  readonly generatesCode?: boolean
  /** Ports of the schemes, for redirects to another scheme. Defaults: 80 and 443. */
  readonly httpPort?: number
  readonly httpsPort?: number
}

/** Finds routes. Builds its table when first asked, and again after the collection has changed. */
export class UrlMatcher {
  readonly #routes: RouteCollection
  readonly #options: Required<UrlMatcherOptions>
  #compiled: CompiledMatcher | null = null
  #plain: FindPlainly = () => notFound
  #version = -1

  constructor(routes: RouteCollection<object & Readonly<Record<string, string>>>, options: UrlMatcherOptions = {}) {
    this.#routes = routes
    this.#options = { redirects: true, generatesCode: true, httpPort: 80, httpsPort: 443, ...options }
  }

  /** The route of a request, the place to send it to, or why there is none. Never throws. */
  find(context: RequestContext): MatchResult {
    if (this.#version !== this.#routes.version) this.#build()
    return this.#compiled === null ? this.#plain(context) : this.#compiled.find(context)
  }

  #build(): void {
    const table = new RouteTable(this.#routes)
    this.#plain = (context) => this.#findPlainly(table, context)
    this.#compiled = this.#options.generatesCode ? compile(table, this.#plain) : null
    this.#version = this.#routes.version
  }

  #findPlainly(table: RouteTable, context: RequestContext): MatchResult {
    const { scheme } = context
    const first = this.#resolve(table, context, context.path, scheme)
    if (first.kind === 'match') return found(first)
    if (first.kind === 'none' && first.allow.size > 0) return { kind: 'method_not_allowed', allow: [...first.allow] }
    if (!this.#options.redirects) return notFound
    if (first.kind === 'none' && first.schemes.size > 0)
      return this.#toScheme(table, context, context.path, first.schemes)
    const other = otherSlash(context.path)
    if (other === null) return notFound
    const second = this.#resolve(table, context, other, scheme)
    if (second.kind === 'match') return this.#redirect(context, second, other, scheme)
    if (second.kind === 'none' && second.schemes.size > 0) return this.#toScheme(table, context, other, second.schemes)
    return notFound
  }

  #resolve(table: RouteTable, context: RequestContext, path: string, scheme: string): Resolution {
    const decoded = decodePath(path)
    const candidates = decoded === null ? [] : table.candidates(decoded === '' ? '/' : decoded)
    return resolveCandidates(candidates, { context, scheme, redirects: this.#options.redirects })
  }

  #toScheme(table: RouteTable, context: RequestContext, path: string, schemes: ReadonlySet<string>): MatchResult {
    const [scheme = context.scheme] = schemes
    const resolution = this.#resolve(table, context, path, scheme)
    return resolution.kind === 'match' ? this.#redirect(context, resolution, path, scheme) : notFound
  }

  #redirect(
    context: RequestContext,
    { candidate }: Resolution & { kind: 'match' },
    path: string,
    scheme: string,
  ): MatchResult {
    const { route } = candidate.entry
    if (!isRedirected(candidate.entry, context.method)) return notFound
    const target = safeTarget(context.query === '' ? path : `${path}?${context.query}`)
    const isLocal = scheme === context.scheme && !target.startsWith('//')
    const location = isLocal ? target : `${this.#origin(context, scheme)}${target}`
    return { kind: 'redirect', route, location, status: route.redirect === 'all' ? 308 : 301 }
  }

  #origin(context: RequestContext, scheme: string): string {
    if (scheme === context.scheme) return `${scheme}://${context.authority}`
    const port = scheme === 'https' ? this.#options.httpsPort : this.#options.httpPort
    return `${scheme}://${context.host}${port === (scheme === 'https' ? 443 : 80) ? '' : `:${port}`}`
  }
}

/** `null` where the environment forbids to make code from text. */
function compile(table: RouteTable, findPlainly: FindPlainly): CompiledMatcher | null {
  try {
    return new CompiledMatcher(table, findPlainly)
  } catch (error) {
    if (error instanceof EvalError) return null
    throw error
  }
}

const notFound: MatchResult = Object.freeze({ kind: 'not_found' })

function found({ candidate, hostValues }: Resolution & { kind: 'match' }): MatchResult {
  const { entry, names, values } = candidate
  const params: Record<string, unknown> = Object.assign(Object.create(null) as object, entry.route.defaults)
  hostValues.forEach((value, index) => setParam(params, entry.hostNames[index], value))
  values.forEach((value, index) => setParam(params, names[index], value))
  return { kind: 'match', route: entry.route, params: asParams(params) }
}

function setParam(params: Record<string, unknown>, name: string | undefined, value: string | undefined): void {
  if (name !== undefined && value !== undefined) params[name] = decodedValue(value)
}

/** Values of a path are strings; defaults are what the definition says, which the handler's type tells by the pattern. */
function asParams(params: Record<string, unknown>): Readonly<Record<string, string>> {
  return params as Record<string, string>
}

/** The path with a slash more or less at its end, `null` where that is the same. */
function otherSlash(path: string): string | null {
  const trimmed = trimSlashes(path)
  if (trimmed === '/' || trimmed === '') return null
  return trimmed === path ? `${path}/` : trimmed
}

/** What browsers would read as another host (a backslash) or cannot stand in a header is written encoded. */
function safeTarget(target: string): string {
  return target.replaceAll(/[\0-\x20\x7f\\]|[^\0-\xff]+/g, (part) => encodeURIComponent(part.toWellFormed()))
}
