// One route: its definition checked, its pattern read into tokens.

import { DefinitionFault, RouteDefinitionError, type DefinitionPlace } from './errors.ts'
import { readPattern, takeInlineParts, type ParamDefault, type PatternToken, withoutAnchors } from './path-pattern.ts'
import { quote } from './regex-syntax.ts'
import { handlerOptionsOf } from './route-definition.ts'
import type { AnyHandlerOptions, AnyRouteHandler, RouteCondition, RouteOptions } from './route-definition.ts'

/** The argument of the constructor; one path, no locale record. */
export interface RouteParts extends RouteOptions<never> {
  readonly name: string
  readonly path: string
  readonly methods?: readonly string[]
  readonly handler: AnyRouteHandler
  /** The path as people know it, where that is another form: `/orders/:id`. Default: the path. */
  readonly writtenAs?: string
  /** Name in profiles, where several routes share one: `/orders`. Default: the name. */
  readonly recordedAs?: string
  /** Locale of this path of a localized route. */
  readonly locale?: string
  /** Options around the handler that its groups give, the outermost group first. Default: none. */
  readonly groupOptions?: readonly AnyHandlerOptions[]
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
  /** Name in profiles. */
  readonly recordedAs: string
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
  /** Whether debug keeps bodies; `undefined` for what holds for all routes. */
  readonly captureBody: boolean | undefined
  readonly handler: AnyRouteHandler
  /** Options around the handler: those of its groups, the outermost first, then its own. Empty if nobody gives any. */
  readonly handlerOptions: readonly AnyHandlerOptions[]
  /** Name of the handler function, or of the route if the function has none. */
  readonly handlerName: string
  /** Names of the parameters that handlers get as numbers: `{id<int>}`. */
  readonly numbers: readonly string[]
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
    this.recordedAs = parts.recordedAs ?? parts.name
    this.host = host.pattern
    this.methods = wordsOf(parts.methods, (method) => method.toUpperCase())
    this.schemes = wordsOf(parts.schemes, (scheme) => scheme.toLowerCase())
    this.requirements = withoutAllAnchors(joined(parts.requirements, path.requirements, host.requirements, locale.rule))
    this.numbers = [...path.numbers, ...host.numbers]
    const defaults = joined(parts.defaults, path.defaults, host.defaults, locale.value)
    this.defaults = this.numbers.length === 0 ? defaults : withNumbers(defaults, this.numbers)
    this.priority = parts.priority ?? 0
    this.condition = parts.condition ?? null
    this.utf8 = parts.utf8 ?? false
    this.redirect = parts.redirect ?? 'safe'
    this.captureBody = parts.captureBody
    this.handler = parts.handler
    this.handlerOptions = handlerOptionsOf(parts, parts.groupOptions)
    this.handlerName = parts.handler.name === '' ? parts.name : parts.handler.name
    const { requirements, utf8 } = this
    try {
      checkWords(this)
      checkNumbers(this)
      this.tokens = readPattern(this.path, { boundary: '/', requirements, utf8 })
      this.hostTokens = readPattern(this.host, { boundary: '.', requirements, utf8 })
      this.paramNames = [...new Set([...paramNames(this.hostTokens), ...paramNames(this.tokens)])]
    } catch (error) {
      if (error instanceof DefinitionFault) throw new RouteDefinitionError(this.key, error.mistake, this.definedAt)
      throw error
    }
  }

  /** Where it is defined, for people; `null` if unknown. */
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

function withNumbers(
  defaults: Readonly<Record<string, ParamDefault>>,
  numbers: readonly string[],
): Readonly<Record<string, ParamDefault>> {
  return Object.fromEntries(
    Object.entries(defaults).map(([name, value]) => {
      const isDigits = typeof value === 'string' && /^\d{1,15}$/.test(value)
      return [name, isDigits && numbers.includes(name) ? Number(value) : value]
    }),
  )
}

function checkNumbers({ numbers, defaults, path }: Route): void {
  for (const name of numbers) {
    const value = defaults[name]
    if (value === undefined || value === null || typeof value === 'number') continue
    throw new DefinitionFault(`the default of "${name}" is not a number: ${JSON.stringify(value)}.`, path)
  }
}

/** Names of the parameters in a pattern, in order. */
export function paramNames(tokens: readonly PatternToken[]): readonly string[] {
  const names = tokens.flatMap((token) => (token.kind === 'param' ? [token.name] : []))
  return names.length === 0 ? noWords : names
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
