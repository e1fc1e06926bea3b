// A route as the matcher looks at it: its path without the trailing slash, its host and methods ready to be compared.

import type { ParamValue } from '../http/request.ts'
import { firstOptionalToken, type PatternToken } from './path-pattern.ts'
import { compilePattern, type Program } from './program.ts'
import type { Route } from './route.ts'

/** A route made ready. */
export class RouteEntry {
  readonly route: Route
  /** Lower ones are asked first. */
  readonly order: number
  /** Whether it is asked before every route with parameters, and takes any number of slashes at the end of its path. */
  readonly isFirst: boolean
  /** Tokens of the path, without a slash at the very end. */
  readonly tokens: readonly PatternToken[]
  readonly hasTrailingSlash: boolean
  /** Whether the path ends in a parameter, which may take a slash at the end for itself. */
  readonly endsInParam: boolean
  readonly firstOptional: number
  /** Names of the parameters of the path, in order. */
  readonly names: readonly string[]
  /** Host to compare with, `null` for a pattern or for any host. */
  readonly hostName: string | null
  readonly hostPattern: Program | null
  readonly hostNames: readonly string[]
  /** Methods that the route responds to, HEAD with GET; `null` for any. */
  readonly methods: readonly string[] | null
  /** The defaults as parameters, for a path that sets none. */
  readonly defaults: Readonly<PathValues>
  readonly hasDefaults: boolean
  /** Names of the parameters that are numbers. */
  readonly numbers: readonly string[]

  constructor(route: Route, order: number, isFirst = false) {
    this.route = route
    this.order = order
    this.isFirst = isFirst
    this.hasTrailingSlash = route.path !== '/' && route.path.endsWith('/')
    this.tokens = this.hasTrailingSlash ? withoutLastSlash(route.tokens) : route.tokens
    const last = this.tokens.at(-1)
    this.endsInParam = last?.kind === 'param' && !last.isImportant
    this.firstOptional = this.hasTrailingSlash ? this.tokens.length : firstOptionalToken(route.tokens, route.defaults)
    this.names = namesOf(route.tokens)
    this.hostNames = namesOf(route.hostTokens)
    this.hostName = route.host === '' || this.hostNames.length > 0 ? null : route.host
    this.hostPattern =
      this.hostNames.length === 0 ? null : compilePattern(inLowerCase(route.hostTokens), { flags: 'is' })
    this.methods = route.methods.length === 0 ? null : allowedMethods(route)
    this.defaults = Object.freeze(Object.assign(new PathValues(), route.defaults))
    this.numbers = route.numbers
    this.hasDefaults = Object.keys(route.defaults).length > 0
  }
}

/** Parameters by name. It has no prototype that a name could meet: `toString`, `__proto__`. */
export class PathValues {
  [name: string]: ParamValue
  static {
    Reflect.deleteProperty(this.prototype, 'constructor')
    Object.setPrototypeOf(this.prototype, null)
  }
}

const getAndHead: readonly string[] = Object.freeze(['GET', 'HEAD'])

/** Methods of a route as `Allow` lists them: HEAD behind GET. */
export function allowedMethods(route: Route): readonly string[] {
  if (route.methods.length === 1) return route.methods[0] === 'GET' ? getAndHead : route.methods
  return route.methods.flatMap((method) =>
    method === 'GET' && !route.methods.includes('HEAD') ? ['GET', 'HEAD'] : [method],
  )
}

const noNames: readonly string[] = Object.freeze([])

function namesOf(tokens: readonly PatternToken[]): readonly string[] {
  const names = tokens.flatMap((token) => (token.kind === 'param' ? [token.name] : []))
  return names.length === 0 ? noNames : names
}

function withoutLastSlash(tokens: readonly PatternToken[]): PatternToken[] {
  const last = tokens.at(-1)
  if (last?.kind !== 'text') return [...tokens]
  const text = last.text.slice(0, -1)
  return text === '' ? tokens.slice(0, -1) : [...tokens.slice(0, -1), { kind: 'text', text }]
}

function inLowerCase(tokens: readonly PatternToken[]): PatternToken[] {
  return tokens.map((token) => (token.kind === 'text' ? { ...token, text: token.text.toLowerCase() } : token))
}
