// A route as the matcher looks at it: its path without the trailing slash, its host and methods ready to be compared.

import { countOpen } from './check-together.ts'
import { firstOptionalToken } from './path-pattern.ts'
import type { PatternToken } from './path-pattern.ts'
import { hostExpression } from './route-expression.ts'
import type { Route } from './route.ts'

/** 20 ms or less on the machine this was measured on; eight times as much took 300. */
const maxOpenLength = 2048

/** A route made ready. */
export class RouteEntry {
  readonly route: Route
  /** Place in the table: lower ones are asked first. */
  readonly order: number
  /** Tokens of the path; a slash at the very end is taken off. */
  readonly tokens: readonly PatternToken[]
  readonly hasTrailingSlash: boolean
  /** Whether the path ends in a parameter (a slash may follow it), which then may take a slash at the end for itself. */
  readonly endsInParam: boolean
  readonly firstOptional: number
  /** Longest rest of a path that an expression is asked about, in characters: where two parameters can take each other's
   * characters it takes the square of that. */
  readonly maxTailLength: number
  /** Names of the parameters of the path, in order. */
  readonly names: readonly string[]
  /** The path of a route without parameters, without its trailing slash; `null` for one with parameters. */
  readonly staticPath: string | null
  /** Host to compare with, `null` for a pattern or for any host. */
  readonly hostName: string | null
  readonly hostPattern: RegExp | null
  readonly hostNames: readonly string[]
  /** Methods that are answered, HEAD with GET; `null` for any. */
  readonly methods: readonly string[] | null

  constructor(route: Route, order: number) {
    this.route = route
    this.order = order
    this.hasTrailingSlash = route.path !== '/' && route.path.endsWith('/')
    this.tokens = this.hasTrailingSlash ? withoutLastSlash(route.tokens) : route.tokens
    const last = this.tokens.at(-1)
    this.endsInParam = last?.kind === 'param' && !last.isImportant
    this.firstOptional = this.hasTrailingSlash ? this.tokens.length : firstOptionalToken(route.tokens, route.defaults)
    this.maxTailLength = route.tokens.length > 1 && countOpen(route.tokens) > 1 ? maxOpenLength : Infinity
    this.names = namesOf(route.tokens)
    this.staticPath =
      this.names.length > 0 ? null : this.tokens.map((token) => (token.kind === 'text' ? token.text : '')).join('')
    this.hostNames = namesOf(route.hostTokens)
    this.hostName = route.host === '' || this.hostNames.length > 0 ? null : route.host
    this.hostPattern = this.hostNames.length === 0 ? null : hostExpression(route.hostTokens)
    this.methods = route.methods.length === 0 ? null : answeredMethods(route)
  }
}

const getAndHead: readonly string[] = Object.freeze(['GET', 'HEAD'])

/** Methods of a route as `Allow` lists them: HEAD behind GET. */
export function answeredMethods(route: Route): readonly string[] {
  if (route.methods.length === 1) return route.methods[0] === 'GET' ? getAndHead : route.methods
  return route.methods.flatMap((method) =>
    method === 'GET' && !route.methods.includes('HEAD') ? ['GET', 'HEAD'] : [method],
  )
}

const noNames: readonly string[] = Object.freeze([])

function namesOf(tokens: readonly PatternToken[]): readonly string[] {
  if (tokens.length < 2 && tokens[0]?.kind !== 'param') return noNames
  return tokens.flatMap((token) => (token.kind === 'param' ? [token.name] : []))
}

function withoutLastSlash(tokens: readonly PatternToken[]): PatternToken[] {
  const last = tokens.at(-1)
  if (last?.kind !== 'text') return [...tokens]
  const text = last.text.slice(0, -1)
  return text === '' ? tokens.slice(0, -1) : [...tokens.slice(0, -1), { kind: 'text', text }]
}
