// CORS as a plugin: which other origins may read responses, by their scripts in a browser (Fetch standard, section 3.2).

import type { Plugin } from '../options.ts'
import { empty, Reply, addVary } from '../../base/http/reply.ts'
import type { HttpRequest } from '../../base/http/request.ts'
import type { Awaitable } from '../../base/members.ts'
import { exchangeKey, type Exchange, type ExchangeKey } from '../../http/kernel/exchange.ts'
import type { Listener } from '../../http/kernel/listener.ts'
import { setupWarning } from '../../base/log/lines.ts'
import { checkOptions, flag, listOf, wholeNumberRule, type OptionRule } from '../../base/options/check-options.ts'

/** Says whether an origin, `https://shop.example`, may read responses. */
export type OriginCheck = (origin: string, request: HttpRequest) => Awaitable<boolean>

/** What `cors` takes. */
export interface CorsOptions {
  /**
   * Who may read: origins as browsers send them, `https://shop.example`, patterns from `^` to `$`, or a function; `*` for everybody. The origin
   * `null` of files and sandboxes is a question for a function only.
   */
  readonly origins: '*' | readonly (string | RegExp)[] | OriginCheck
  /** Whether requests may have cookies. Not with `*`. Default: no. */
  readonly credentials?: boolean
  /** Methods that may be used. Default: GET, HEAD, POST, PUT, PATCH, DELETE. */
  readonly methods?: readonly string[]
  /** Request headers that may be sent. Default: those that the browser asks for. */
  readonly requestHeaders?: readonly string[]
  /** Response headers that scripts may read in addition to the usual ones. Default: none. */
  readonly exposedHeaders?: readonly string[]
  /** How long a browser need not ask again, in seconds. Default: the browser's, 5 seconds. */
  readonly maxAgeSeconds?: number
  /** Only paths that begin with this: `/api/`. Default: all paths. */
  readonly prefix?: string
}

const owner = 'cors()'
const token = /^[\w!#$%&'*+.^`|~-]+$/
const tokens: OptionRule = listOf('a list of names', (name) => typeof name === 'string' && token.test(name))
/** Longer than any origin. */
const maxOriginLength = 300

/** The origin of a request that may read its response. */
const grant: ExchangeKey<string> = exchangeKey('cors')
const usualMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** Makes the plugin. Name it first, also before `maintenance()`: then scripts can read each response, errors and 503 too. */
export function cors(options: CorsOptions): Plugin {
  checkOptions<CorsOptions>(owner, options, {
    origins: {
      allowed: "'*', a list of origins and patterns, or a function",
      fits: (value) => value === '*' || Array.isArray(value) || typeof value === 'function',
    },
    credentials: flag,
    methods: tokens,
    requestHeaders: tokens,
    exposedHeaders: tokens,
    maxAgeSeconds: wholeNumberRule,
    prefix: { allowed: 'a path such as /api/', fits: (value) => typeof value === 'string' && value.startsWith('/') },
  })
  const { origins, credentials = false, prefix = '/' } = options
  if (origins === undefined)
    throw new TypeError(`Option "origins" of ${owner} is missing; allowed: '*', a list or a function`)
  if (origins === '*' && credentials) {
    throw new TypeError(
      `Option "credentials" of ${owner} cannot be true for the origins '*': browsers refuse that; list the origins`,
    )
  }
  const name = `cors ${prefix}`
  return {
    name,
    listeners: [listenerOf(options, prefix)],
    start({ plugins, log }) {
      const names = plugins.map((plugin) => plugin.name)
      if (!names.slice(0, names.indexOf(name)).includes('maintenance')) return
      log.write(
        setupWarning({
          warning: 'Scripts of other origins cannot read the maintenance page: name cors() before maintenance().',
        }),
      )
    },
  }
}

function listenerOf(options: CorsOptions, prefix: string): Listener {
  const { origins } = options
  const isAllowed = originCheck(origins)
  const concerns = ({ path }: HttpRequest): boolean => path.startsWith(prefix)
  return {
    name: `cors ${prefix}`,

    async onRequest(exchange) {
      const { request } = exchange
      const origin = request.header('origin')
      if (origin === undefined || !concerns(request)) return undefined
      const mayRead = origin.length <= maxOriginLength && (await isAllowed(origin, request))
      if (mayRead) exchange.set(grant, origin)
      else exchange.log.debug('The origin {origin} may not read responses: it is not one of cors().', { origin })
      if (request.method !== 'OPTIONS' || request.header('access-control-request-method') === undefined)
        return undefined
      return readable(mayRead ? preflight(request, options) : empty({ status: 403 }), exchange, options)
    },

    onResponse(exchange, reply) {
      return concerns(exchange.request) ? readable(reply, exchange, options) : undefined
    },
  }
}

/** A copy of the reply that says who may read it: the application may send the same reply to others. */
function readable(reply: Reply, exchange: Exchange, { origins, credentials, exposedHeaders = [] }: CorsOptions): Reply {
  const copy = new Reply(reply.status, [...reply.headers], reply.body)
  if (origins !== '*') addVary(copy, 'Origin')
  const origin = origins === '*' ? '*' : exchange.get(grant)
  if (origin === undefined) return copy
  copy.setHeader('access-control-allow-origin', origin)
  if (credentials === true) copy.setHeader('access-control-allow-credentials', 'true')
  if (exposedHeaders.length > 0) copy.setHeader('access-control-expose-headers', exposedHeaders.join(', '))
  return copy
}

/** What a browser asks before it sends a request that a form could not send. */
function preflight(
  request: HttpRequest,
  { methods = usualMethods, requestHeaders, maxAgeSeconds }: CorsOptions,
): Reply {
  const reply = empty({ headers: { 'access-control-allow-methods': methods.join(', ') } })
  const asked = request.headers['access-control-request-headers'] ?? ''
  const allowed =
    requestHeaders ??
    asked
      .split(',')
      .map((name) => name.trim())
      .filter((name) => token.test(name))
  if (allowed.length > 0) reply.setHeader('access-control-allow-headers', allowed.join(', '))
  if (requestHeaders === undefined) addVary(reply, 'Access-Control-Request-Headers')
  if (maxAgeSeconds !== undefined) reply.setHeader('access-control-max-age', String(maxAgeSeconds))
  return reply
}

/** Throws a TypeError for an origin or pattern that would never match, or would match too much. */
function originCheck(origins: CorsOptions['origins']): OriginCheck {
  if (origins === '*') return () => true
  if (typeof origins === 'function') return origins
  const exact = new Set<string>()
  const patterns: RegExp[] = []
  for (const origin of origins) {
    if (origin instanceof RegExp) patterns.push(wholePattern(origin))
    else exact.add(wholeOrigin(origin))
  }
  return (origin) => exact.has(origin) || (origin !== 'null' && patterns.some((pattern) => pattern.test(origin)))
}

function wholeOrigin(origin: string): string {
  if (origin === '*')
    throw new TypeError(`Option "origins" of ${owner} has "*" in its list; write origins: '*', or leave it out`)
  const url = typeof origin === 'string' ? URL.parse(origin) : null
  if (url !== null && url.origin === origin) return origin
  const hint = url === null || url.origin === 'null' ? '' : ` Did you mean "${url.origin}"?`
  throw new TypeError(
    `Option "origins" of ${owner} has ${JSON.stringify(origin)}.${hint} Allowed: origins as browsers send them, such as "https://shop.example" or "http://localhost:5173"`,
  )
}

function wholePattern(pattern: RegExp): RegExp {
  if (!pattern.source.startsWith('^') || !pattern.source.endsWith('$')) {
    throw new TypeError(
      `Option "origins" of ${owner} has ${String(pattern)}, which also matches a part of another origin; write it from ^ to $`,
    )
  }
  // Whole also where one alternative of several is not; with these flags a pattern would remember the request before.
  return new RegExp(`^(?:${pattern.source})$`, pattern.flags.replaceAll(/[gmy]/g, ''))
}
