// Makes URLs of route names and parameters, such that they lead back to the route.

import { nearWords } from '../base/options/check-options.ts'
import { InvalidParamError, MissingParamsError, UnknownRouteError } from './errors.ts'
import { firstOptionalToken, type ParamToken, type PatternToken } from './path-pattern.ts'
import type { RequiredParamNames, UrlParams, RouteNames } from './route-definition.ts'
import { compileExpression, type Program, isWholeMatch } from './program.ts'
import type { RouteCollection } from './route-collection.ts'
import type { Route } from './route.ts'
import { encodeFragment, encodePath, encodeQuery, relativePath, textOf } from './url-encoding.ts'

/** Where URLs are made from: the request's own place, or what links in mails begin with. */
interface UrlBase {
  readonly scheme: string
  /** Host name without port. */
  readonly host: string
  /** Port of `scheme`. Default: the scheme's own. */
  readonly port?: number
  /** Path of the page that relative links are for. Default: `/`. */
  readonly path?: string
}

/** How a URL is written. */
export type UrlType = 'absolute_path' | 'absolute_url' | 'network_path' | 'relative_path'

/** Settings for one URL. */
interface UrlOptions {
  /** Default: `absolute_path`; another host or scheme makes it longer by itself. */
  readonly type?: UrlType
  /** Behind `#`. Default: none, or the default `_fragment` of the route. */
  readonly fragment?: string
}

/** Settings for all URLs of one generator. */
export interface UrlGeneratorOptions {
  /**
   * What happens when a value does not meet its requirement. `true`: an `InvalidParamError`; `false`: the URL is empty;
   * `null`: values are not looked at. Default: `true`.
   */
  readonly strict?: boolean | null
  /** Locale of localized routes where neither parameters nor `params` name one. Default: none. */
  readonly locale?: string
  /** Values for parameters that a call leaves out. Default: none. */
  readonly params?: Readonly<Record<string, unknown>>
  /** Path that the application is mounted under, encoded: `/shop`. Default: empty. */
  readonly basePath?: string
  /** Ports of the schemes. Defaults: the base's own port for its scheme, else 80 and 443. */
  readonly httpPort?: number
  readonly httpsPort?: number
}

/** Parameters of a named route; may be left out when none is required. Further ones go to the query. */
type UrlArguments<Pattern extends string> = [RequiredParamNames<Pattern>] extends [never]
  ? [params?: UrlParams<Pattern> & Extra, options?: UrlOptions]
  : [params: UrlParams<Pattern> & Extra, options?: UrlOptions]

type Extra = Readonly<Record<string, unknown>>

/** Names to choose from; any name for a collection of which nothing is known. */
type NameIn<Names extends RouteNames> = [keyof Names] extends [never] ? string : keyof Names & string

type ArgumentsIn<Names extends RouteNames, Name extends string> = Name extends keyof Names
  ? UrlArguments<Names[Name]>
  : [params?: Extra, options?: UrlOptions]

/** Makes URLs for the routes of a collection. */
export class UrlGenerator<Names extends RouteNames = {}> {
  readonly #routes: RouteCollection<Names, string>
  readonly #base: UrlBase
  readonly #options: UrlGeneratorOptions
  readonly #programs = new Map<string, Program>()

  constructor(routes: RouteCollection<Names, string>, base: UrlBase, options: UrlGeneratorOptions = {}) {
    this.#routes = routes
    this.#base = base
    this.#options = options
  }

  /**
   * The URL of a route. Throws `UnknownRouteError`, `MissingParamsError` and, when strict, `InvalidParamError`.
   * `url('product', { slug: 'tea', page: 2 })` gives `/products/tea?page=2`.
   */
  url<Name extends NameIn<Names>>(name: Name, ...[params, options]: ArgumentsIn<Names, Name>): string {
    return this.generate(name, params ?? {}, options)
  }

  /** The same for names that are only known at run time. */
  generate(name: string, given: Readonly<Record<string, unknown>> = {}, options: UrlOptions = {}): string {
    const route = this.#findRoute(name, given)
    const params = withLocale(route, given)
    const merged = new Map(Object.entries({ ...route.defaults, ...this.#options.params, ...params }))
    const missing = route.paramNames.filter((param) => !merged.has(param))
    if (missing.length > 0) throw new MissingParamsError(name, route.path, missing, Object.keys(params))
    const path = this.#path(route, name, merged)
    const host =
      path === null || route.host === '' ? this.#base.host : this.#text(route, name, merged, route.hostTokens)
    if (path === null || host === null) return ''
    const extra = extraParams(route, params)
    const query = encodeQuery(extra)
    const fragment = options.fragment ?? valueText(params['_fragment'] ?? route.defaults['_fragment'] ?? '')
    const url = this.#place(route, host, encodePath(path === '' ? '/' : path), options.type ?? 'absolute_path')
    return url + (query === '' ? '' : `?${query}`) + (fragment === '' ? '' : `#${encodeFragment(fragment)}`)
  }

  /** A localized route by the locale of the call, then of the settings; `fr_CA` also finds `fr`. */
  #findRoute(name: string, params: Readonly<Record<string, unknown>>): Route {
    const asked = params['_locale'] ?? this.#options.params?.['_locale']
    let locale = asked === undefined || asked === null || asked === '' ? (this.#options.locale ?? '') : valueText(asked)
    while (locale !== '') {
      const localized = this.#routes.route(`${name}.${locale}`)
      if (localized?.locale === locale && localized.name === name) return localized
      locale = locale.slice(0, Math.max(0, locale.indexOf('_')))
    }
    const route = this.#routes.route(name)
    if (route !== undefined) return route
    throw new UnknownRouteError(
      name,
      nearWords(name, new Set([...this.#routes].flatMap(({ name, key }) => [name, key]))),
    )
  }

  /** The path, from its end: parameters that equal their default are left out as long as nothing follows them. */
  #path(route: Route, name: string, params: ReadonlyMap<string, unknown>): string | null {
    const firstOptional = firstOptionalToken(route.tokens, route.defaults)
    let kept = route.tokens.length
    while (kept > firstOptional) {
      const token = route.tokens[kept - 1]
      if (token?.kind !== 'param' || !isDefault(params.get(token.name), route.defaults[token.name])) break
      kept -= 1
    }
    return this.#text(route, name, params, route.tokens.slice(0, kept))
  }

  /** Tokens with values put in; `null` if a value does not fit and the generator is not strict. */
  #text(
    route: Route,
    name: string,
    params: ReadonlyMap<string, unknown>,
    tokens: readonly PatternToken[],
  ): string | null {
    let text = ''
    for (const token of tokens) {
      if (token.kind === 'text') text += token.text
      else {
        const value = valueText(params.get(token.name))
        if (!this.#meets(route, token, value)) {
          if (this.#options.strict === false) return null
          throw new InvalidParamError(name, { name: token.name, value, expected: token.source })
        }
        text += token.separator + value
      }
    }
    return text
  }

  /** Ignores case and what is around the value. */
  #meets(route: Route, token: ParamToken, value: string): boolean {
    if (this.#options.strict === null) return true
    const key = `${route.key}\0${token.name}\0${token.source}`
    let program = this.#programs.get(key)
    if (program === undefined) {
      // With the flag `i` JavaScript lets \p{Lu} take small letters too.
      program = compileExpression(token.source, /\\[pP]\{/.test(token.source) ? 's' : 'is', false)
      this.#programs.set(key, program)
    }
    return isWholeMatch(program, value)
  }

  /** Puts scheme and host in front, if they are asked for or differ from those of the base. */
  #place(route: Route, host: string, path: string, type: UrlType): string {
    const base = this.#base
    const isOtherScheme = route.schemes.length > 0 && !route.schemes.includes(base.scheme)
    const scheme = isOtherScheme ? (route.schemes[0] ?? base.scheme) : base.scheme
    const needsUrl = type === 'absolute_url' || isOtherScheme
    const needsHost = needsUrl || type === 'network_path' || host !== base.host
    const own = (this.#options.basePath ?? '') + path
    if (!needsHost) return type === 'relative_path' ? relativePath(base.path ?? '/', path) : safePath(own)
    const isSpecial = scheme === 'http' || scheme === 'https' || scheme === ''
    if (host === '' && isSpecial) return safePath(own)
    return `${needsUrl && scheme !== '' ? `${scheme}:` : ''}//${host}${this.#port(scheme)}${own}`
  }

  #port(scheme: string): string {
    if (scheme !== 'http' && scheme !== 'https') return ''
    const own = this.#base.scheme === scheme ? this.#base.port : undefined
    const usual = scheme === 'https' ? 443 : 80
    const port = (scheme === 'https' ? this.#options.httpsPort : this.#options.httpPort) ?? own ?? usual
    return port === usual ? '' : `:${port}`
  }
}

/** Text after two slashes at the beginning would be read as a host. */
function safePath(path: string): string {
  return /^\/{2,}[^/]/.test(path) ? `/.${path}` : path
}

function withLocale(route: Route, given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (route.locale === null) return given
  if (route.paramNames.includes('_locale')) return { ...given, _locale: given['_locale'] ?? route.locale }
  const { _locale, ...others } = given
  return others
}

function isDefault(value: unknown, standard: unknown): boolean {
  return value === null || value === undefined || valueText(value) === valueText(standard)
}

/** What is neither a parameter nor the same as a default goes to the query. */
function extraParams(route: Route, params: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(params).filter(([name, value]) => {
      if (name === '_fragment' || route.paramNames.includes(name)) return false
      return !Object.hasOwn(route.defaults, name) || !isLooselySame(value, route.defaults[name])
    }),
  )
}

/** `1`, `'1'` and `true` are one value in a URL. */
function isLooselySame(value: unknown, standard: unknown): boolean {
  if (typeof value === 'boolean' || typeof standard === 'boolean') return Boolean(value) === Boolean(standard)
  return valueText(value) === valueText(standard)
}

/** A value as text in a path: `true` is 1, `false` and nothing are empty. */
function valueText(value: unknown): string {
  if (value === null || value === undefined || value === false) return ''
  return value === true ? '1' : textOf(value)
}
