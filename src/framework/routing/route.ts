// One route: its definition checked, its pattern read into tokens.

import type { HttpRequest } from '../http/request.ts'
import { DefinitionFault, RouteDefinitionError } from './definition-error.ts'
import type { DefinitionPlace } from './definition-error.ts'
import { readPattern, takeInlineParts } from './path-pattern.ts'
import type { ParamDefault, PatternToken } from './path-pattern.ts'
import { quote } from './expression.ts'
import { withoutAnchors } from './requirement.ts'

/**
 * Filled by the layer that runs handlers: `interface RouteHandlerTypes<Params extends object> { handler: Handler<Params> }`.
 * Empty where routing is used alone.
 */
// eslint-disable-next-line typescript/no-empty-object-type, no-unused-vars -- open for declaration merging
export interface RouteHandlerTypes<Params extends object> {}

/** A handler of a route with these parameters: the kernel's, or any function of `{ params }` where routing is used alone. */
export type RouteHandler<Params extends object> =
  RouteHandlerTypes<Params> extends { readonly handler: infer Handler }
    ? Handler
    : (exchange: { readonly params: Params }) => unknown

/** Any handler, as a route keeps it. */
export type AnyRouteHandler = (...args: never[]) => unknown

/** Decides by anything about the request, once path, host and requirements match. One that throws counts as `false`. */
export type RouteCondition = (context: HttpRequest) => boolean

/** A path, or a path for each locale: `{ en: '/about-us', fr: '/a-propos' }`. */
export type RoutePath = string | Readonly<Record<string, string>>

/** Everything about a route but its name, path, methods and handler. */
export interface RouteOptions {
  /** Host pattern, `{shop}.example.org`. Default: any host. */
  readonly host?: string
  /** `https`, `http`. GET and HEAD of another scheme are sent to the first one. Default: any scheme. */
  readonly schemes?: readonly string[]
  /** JavaScript expressions that a parameter must match as a whole, by name. Default: one segment. */
  readonly requirements?: Readonly<Record<string, string>>
  /** Values of parameters that are left out, by name. Other names are passed to the handler as they are. */
  readonly defaults?: Readonly<Record<string, ParamDefault>>
  /** Higher priorities go first; within one priority the order of definition counts. Default: 0. */
  readonly priority?: number
  readonly condition?: RouteCondition
  /** Allows characters outside ASCII in path, host and requirements. Default: false. */
  readonly utf8?: boolean
  /**
   * Which methods are sent to the route's own form when only the trailing slash or the scheme is wrong: `safe`: GET and HEAD
   * with 301; `all`: every method with 308; `none`: the request is not taken. Default: `safe`.
   */
  readonly redirect?: 'safe' | 'all' | 'none'
  /**
   * Whether debug keeps the beginning of request bodies that the handler reads, for the error page and the profiler: secrets
   * are masked, 64 KB are kept at most. Outside debug nothing is kept. Default: false.
   */
  readonly captureBody?: boolean
}

/** What all routes of a group share. */
export interface GroupOptions {
  /** Put before the names: `blog_`. */
  readonly name?: string
  /** Put before the paths: `/blog`. A route of the path `''` is the prefix itself, one of `/` the prefix with a slash. */
  readonly path?: string
  /** Host of the routes that name none. */
  readonly host?: string
  /** Requirements and defaults; those of a route go before them. */
  readonly requirements?: Readonly<Record<string, string>>
  readonly defaults?: Readonly<Record<string, ParamDefault>>
}

/** A route as it is handed to the constructor; one path, no locale record. */
export interface RouteParts extends RouteOptions {
  readonly name: string
  readonly path: string
  readonly methods?: readonly string[]
  readonly handler: AnyRouteHandler
  /** The path as people know it, where that is another form: `/orders/:id`. Default: the path. */
  readonly writtenAs?: string
  /** Locale of this path of a localized route. */
  readonly locale?: string
  /** Tells where the route is defined. Default: unknown. */
  readonly definedAt?: () => DefinitionPlace | null
}

/** A checked route. Immutable. */
export class Route {
  /** Name that logs and URLs use: `product`. */
  readonly name: string
  /** Name within its collection: the name, with the locale for a localized route: `about.fr`. */
  readonly key: string
  /** Locale of this path, `null` for a route that is not localized. */
  readonly locale: string | null
  /** Pattern without inline requirements and defaults: `/products/{slug}`. */
  readonly path: string
  /** The path as people know it. */
  readonly writtenAs: string
  /** Upper case; empty for any method. */
  readonly methods: readonly string[]
  /** Lower case; empty for any scheme. */
  readonly schemes: readonly string[]
  /** Host pattern, empty for any host. */
  readonly host: string
  readonly requirements: Readonly<Record<string, string>>
  readonly defaults: Readonly<Record<string, ParamDefault>>
  readonly priority: number
  readonly condition: RouteCondition | null
  readonly utf8: boolean
  readonly redirect: 'safe' | 'all' | 'none'
  /** Whether debug keeps what the handler reads of the body. */
  readonly captureBody: boolean
  readonly handler: AnyRouteHandler
  /** Name of the handler function, or of the route where the function has none. */
  readonly handlerName: string
  /** The path cut into text and parameters. */
  readonly tokens: readonly PatternToken[]
  readonly hostTokens: readonly PatternToken[]
  /** Names of the parameters of host and path, host first. */
  readonly paramNames: readonly string[]
  /** The definition, to build the route again under a prefix. */
  readonly parts: RouteParts

  /** Throws a `RouteDefinitionError` that shows the spot. */
  constructor(parts: RouteParts) {
    const path = takeInlineParts(parts.path)
    const host = takeInlineParts(parts.host ?? '')
    const locale = localeParts(parts.locale)
    this.parts = parts
    this.name = parts.name
    this.locale = parts.locale ?? null
    this.key = parts.locale === undefined ? parts.name : `${parts.name}.${parts.locale}`
    // A parameter with one possible value is text.
    const pattern = path.pattern.replaceAll('{_locale}', (param) => parts.locale ?? param)
    this.path = `/${pattern.trim().replace(/^\/+/, '')}`
    this.writtenAs = parts.writtenAs ?? this.path
    this.host = host.pattern
    this.methods = wordsOf(parts.methods, (method) => method.toUpperCase())
    this.schemes = wordsOf(parts.schemes, (scheme) => scheme.toLowerCase())
    this.requirements = withoutAllAnchors(joined(parts.requirements, path.requirements, host.requirements, locale.rule))
    this.defaults = joined(parts.defaults, path.defaults, host.defaults, locale.value)
    this.priority = parts.priority ?? 0
    this.condition = parts.condition ?? null
    this.utf8 = parts.utf8 ?? false
    this.redirect = parts.redirect ?? 'safe'
    this.captureBody = parts.captureBody ?? false
    this.handler = parts.handler
    this.handlerName = parts.handler.name === '' ? parts.name : parts.handler.name
    const { requirements, utf8 } = this
    try {
      checkWords(this)
      this.tokens = readPattern(this.path, { boundary: '/', requirements, utf8 })
      this.hostTokens = readPattern(this.host, { boundary: '.', requirements, utf8 })
      this.paramNames = [...new Set([...paramNames(this.hostTokens), ...paramNames(this.tokens)])]
    } catch (error) {
      if (error instanceof DefinitionFault) throw new RouteDefinitionError(this.key, error.mistake, this.definedAt)
      throw error
    }
  }

  /** Where it is defined, for people; `null` where unknown. */
  get definedAt(): DefinitionPlace | null {
    return this.parts.definedAt?.() ?? null
  }
}

/** A locale is a parameter with one possible value. */
function localeParts(locale: string | undefined): { value?: Record<string, string>; rule?: Record<string, string> } {
  if (locale === undefined) return {}
  return { value: { _locale: locale }, rule: { _locale: quote(locale) } }
}

const none: Readonly<Record<string, never>> = Object.freeze({})

/** Merges records; later ones win. Routes share the empty one. */
function joined<Value>(
  ...records: readonly (Readonly<Record<string, Value>> | undefined)[]
): Readonly<Record<string, Value>> {
  const entries = records.flatMap((record) => Object.entries(record ?? none))
  return entries.length === 0 ? none : Object.fromEntries(entries)
}

const noWords: readonly string[] = Object.freeze([])

function wordsOf(given: readonly string[] | undefined, normalize: (word: string) => string): readonly string[] {
  return given === undefined || given.length === 0 ? noWords : [...new Set(given.map(normalize))]
}

function withoutAllAnchors(given: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  if (given === none) return given
  return Object.fromEntries(Object.entries(given).map(([name, source]) => [name, withoutAnchors(source)]))
}

function paramNames(tokens: readonly PatternToken[]): string[] {
  return tokens.flatMap((token) => (token.kind === 'param' ? [token.name] : []))
}

function checkWords(route: Route): void {
  if (route.name === '') throw new DefinitionFault('a route needs a name.', route.path)
  for (const method of route.methods) {
    if (!/^[!#$%&'*+.^_`|~0-9A-Z-]+$/.test(method)) throw new DefinitionFault('this is not an HTTP method.', method)
  }
  for (const scheme of route.schemes) {
    if (!/^[a-z][a-z0-9+.-]*$/.test(scheme)) throw new DefinitionFault('this is not a URL scheme.', scheme)
  }
}
