// What error page, profiler and command line are told of the route table: its routes, reasons, near routes and findings. The
// profiler's own routes are left out, because nobody who looks for a page of the application means them.

import type { RouteAttempt, RouteAttempts } from '../errors/error-view.ts'
import { decodePath } from '../routing/url-encoding.ts'
import { http } from '../base/http/node-http.ts'
import { HttpRequest } from '../base/http/request.ts'
import type { RouterExplainer } from './make-record.ts'
import type { RouterTraceEntry } from '../observe/request-record.ts'
import { placeText } from '../routing/errors.ts'
import type { TraceStep, PathComparer } from '../routing/match-trace.ts'
import { explainMatch, rankMisses, pathComparer } from '../routing/match-trace.ts'
import { checkRoutes } from '../routing/route-health.ts'
import type { Route } from '../routing/route.ts'
import { suggestFrom, type Suggestion } from '../routing/suggest-routes.ts'
import { UrlMatcher } from '../routing/url-matcher.ts'
import { quoted } from '../base/redact/cut-text.ts'
import type {
  RouteFacts,
  RouteFinding,
  RouteTableSource,
  RouteTrial,
  RouteTrialProblem,
  TrialBase,
} from './query/route-table.ts'
import type { AnyRoutes } from '../routing/route-collection.ts'
import { readHost, readTarget } from '../http/node/app-request.ts'
import { nearWords } from '../base/options/check-options.ts'

/** Explains a route table, made before the profiler's routes are added to a copy of it. */
export class RouterView implements RouterExplainer, RouteTableSource {
  readonly #routes: AnyRoutes
  readonly #routesOf: (request: HttpRequest) => AnyRoutes
  readonly #matcher: UrlMatcher
  readonly #traces = new WeakMap<HttpRequest, KnownTrace>()

  /** `routesOf` gives the routes that a request may mean. Default: all. */
  constructor(routes: AnyRoutes, routesOf: (request: HttpRequest) => AnyRoutes = () => routes) {
    this.#routes = routes
    this.#routesOf = routesOf
    this.#matcher = new UrlMatcher(routes)
  }

  /** Why every route let a request pass, nearest first. */
  explain(context: HttpRequest): readonly RouterTraceEntry[] {
    const { steps, compare } = this.#trace(context)
    return rankMisses(steps, context, { compare }).map(traceEntry)
  }

  /** Why the nearest routes let a request pass, for the error page: `maxAttempts` of them, and how many there are. */
  attempts(context: HttpRequest): RouteAttempts {
    const { steps, compare } = this.#trace(context)
    const nearest = rankMisses(steps, context, { compare, limit: maxAttempts })
    return { nearest: nearest.map(attemptOf), total: steps.length }
  }

  /** Near routes of a request that matched none, nearest first. */
  suggest(context: HttpRequest): readonly Suggestion[] {
    const { steps, compare } = this.#trace(context)
    return suggestFrom(steps, context, compare)
  }

  /** Every route, in the order in which they are asked. */
  list(): readonly RouteFacts[] {
    return this.#routes.all().map(routeFacts)
  }

  /** Duplicates, shadowed and unreachable routes. */
  findings(): readonly RouteFinding[] {
    return checkRoutes(this.#routes).map(({ kind, message, route, by }) => ({
      kind,
      message,
      route: routeFacts(route),
      by: routeFacts(by),
    }))
  }

  /** What the table says to a request as typed. */
  try(method: string, url: string, base: TrialBase): RouteTrial | RouteTrialProblem {
    const request = readRequestToTry(method, url, base)
    return request instanceof HttpRequest ? this.#try(request) : request
  }

  /** The error page asks for attempts and suggestions of one request, the profile for both once more. */
  #trace(context: HttpRequest): KnownTrace {
    const routes = this.#routesOf(context)
    const known = this.#traces.get(context)
    if (known?.version === routes.version) return known
    const steps = explainMatch(routes, context)
    const compare = pathComparer(decodePath(context.path) ?? context.path)
    const made = { steps, compare, version: routes.version }
    this.#traces.set(context, made)
    return made
  }

  #try(request: HttpRequest): RouteTrial {
    const result = this.#matcher.find(request)
    const isMatch = result.kind === 'match'
    return {
      method: request.method,
      url: request.fullUrl,
      path: request.path,
      outcome: result.kind,
      route: isMatch || result.kind === 'redirect' ? routeFacts(result.route) : null,
      params: isMatch ? { ...result.params } : {},
      redirect: result.kind === 'redirect' ? { status: result.status, location: result.location } : null,
      allow: result.kind === 'method_not_allowed' ? result.allow : [],
      trace: isMatch ? explainMatch(this.#routes, request).map(traceEntry) : this.explain(request),
      suggestions: isMatch || result.kind === 'redirect' ? [] : this.suggest(request),
    }
  }
}

/** Routes that the error page lists at most. */
const maxAttempts = 50

interface KnownTrace {
  readonly steps: readonly TraceStep[]
  readonly compare: PathComparer
  /** Of the table. */
  readonly version: number
}

function attemptOf({ route, level, reason: missed, text }: TraceStep): RouteAttempt {
  const pathText = missed === 'slash' ? 'Only the slash at its end differs' : 'The path does not match'
  const reason = level === 'no' ? pathText : text
  const { methods, writtenAs: path, key: name, host, definedAt } = route
  return { methods, path, host, name, isNear: level === 'almost', reason, definedAt: placeText(definedAt) }
}

function traceEntry({ route, level, text }: TraceStep): RouterTraceEntry {
  return {
    route: route.key,
    pattern: route.writtenAs,
    outcome: level,
    reason: text,
    definedAt: placeText(route.definedAt),
  }
}

function routeFacts(route: Route): RouteFacts {
  return {
    name: route.key,
    locale: route.locale,
    methods: route.methods,
    path: route.writtenAs,
    recordedAs: route.recordedAs,
    host: route.host,
    schemes: route.schemes,
    requirements: route.requirements,
    defaults: route.defaults,
    priority: route.priority,
    hasCondition: route.condition !== null,
    handler: route.handlerName,
    definedAt: placeText(route.definedAt),
  }
}

const maxLength = 8192

/** The request, or one sentence that says what is wrong and what is allowed. Paths stay as typed, but for what no client sends as it is. */
function readRequestToTry(method: string, url: string, base: TrialBase): HttpRequest | RouteTrialProblem {
  const sentMethod = method.trim().toUpperCase()
  if (!http.METHODS.includes(sentMethod)) return { problem: methodProblem(method) }
  const target = encodeForSending(withoutFragment(url.trim()))
  if (target.length > maxLength) return { problem: `The URL is longer than ${maxLength} characters.` }
  const parts = readTarget(target)
  if (parts === null || (parts.path === '*' && sentMethod !== 'OPTIONS')) return { problem: urlProblem(url) }
  const place = parts.authority === null ? base : readPlace(target, parts.authority)
  if (place === null) return { problem: urlProblem(url) }
  const { path, query } = parts
  const { scheme, host, port } = place
  const facts = {
    method: sentMethod,
    target,
    path,
    query,
    scheme,
    host,
    port,
    peerAddress: '127.0.0.1',
    clientAddress: '127.0.0.1',
  }
  const { authority } = new HttpRequest({ ...facts, rawHeaders: [] })
  return new HttpRequest({ ...facts, rawHeaders: ['Host', authority] })
}

function readPlace(target: string, authority: string): TrialBase | null {
  const scheme = target.slice(0, 6).toLowerCase() === 'https:' ? 'https' : 'http'
  const read = readHost(authority)
  return read === null ? null : { scheme, host: read.host, port: read.port ?? (scheme === 'https' ? 443 : 80) }
}

/** The part after `#` is never sent. */
function withoutFragment(url: string): string {
  const hash = url.indexOf('#')
  return hash < 0 ? url : url.slice(0, hash)
}

/** Blanks, controls and letters outside ASCII leave a client percent-encoded. */
function encodeForSending(url: string): string {
  return url.replaceAll(/[^\x21-\x7e]+/g, (part) => encodeURIComponent(part.toWellFormed()))
}

function methodProblem(method: string): string {
  const near = nearWords(method.trim(), http.METHODS, 1)
  const advice = near.length === 0 ? '' : ` Did you mean ${near[0]}?`
  return `${quoted(method)} is not an HTTP method. Use a name such as GET or POST.${advice}`
}

function urlProblem(url: string): string {
  return `${quoted(url)} is not a URL. Use http://host/path, https://host/path or a path that starts with a slash.`
}
