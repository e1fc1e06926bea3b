import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { RouteStep } from '../../../src/http/kernel/route-step.ts'
import { UrlMatcher } from '../../../src/routing/url-matcher.ts'
import { exchangeOf, LineList } from '../../support/exchange.ts'
import { RuleCounts } from './support/vector-rules.ts'
import { collectionOf, readVectors } from './support/vectors.ts'
import type { VectorRoute } from './support/vectors.ts'

interface Failure {
  readonly status: number
  readonly message: string
  readonly headers: Readonly<Record<string, string>>
  readonly inner: { readonly message: string }
}

interface Matched {
  readonly log: {
    readonly context: { readonly route: string; readonly route_parameters: Readonly<Record<string, unknown>> }
  }
}

/** A whole request. */
interface HttpRequest {
  readonly method: string
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly https?: boolean
  readonly uri?: string
  readonly baseUrl?: string
  readonly pathInfo?: string
  readonly outcome: Failure | Matched
}

describe('routing a whole request of the vectors', () => {
  const file = readVectors<{ routes: readonly VectorRoute[]; requests: readonly HttpRequest[] }>('http.json')
  const step = new RouteStep(new UrlMatcher(collectionOf(file.routes)))
  const rules = new RuleCounts()

  it('ends with the status, messages, Allow header or route of the original', (context) => {
    assert.equal(file.requests.length, 147)
    for (const request of file.requests) {
      if (isForAdapter(request)) rules.count('left to the adapter: bad hosts, the target *')
      else assert.deepEqual(route(request), expectation(request, rules), JSON.stringify(request))
    }
    context.diagnostic(`deliberate differences: ${String(rules)}`)
  })

  function route(request: HttpRequest): object {
    const sink = new LineList()
    const exchange = exchangeOf(partsOf(request), sink)
    const found = step.find(exchange)
    if (typeof found !== 'function') {
      const error = step.missed(exchange, found).thrown
      assert.ok(error.cause instanceof Error)
      const allow = error.headers[error.headers.findIndex((name) => name.toLowerCase() === 'allow') + 1]
      const allowed = error.statusCode === 405 ? { allow } : {}
      const inner = error.statusCode === 404 ? { inner: error.cause.message } : {}
      return { status: error.statusCode, message: error.message, ...inner, ...allowed }
    }
    const [line] = sink.lines
    return {
      route: exchange.route?.name,
      isLogged: line?.message !== undefined,
      params: { ...exchange.request.params },
    }
  }
})

/** What the adapter refuses, or reads otherwise, never gets to routing: bad hosts and the target `*`. */
function isForAdapter({ headers, target, outcome }: HttpRequest): boolean {
  const isBadHost = !/^(?:[a-z0-9.-]+|\[[0-9a-f:]+\])(?::\d+)?$/i.test(headers['host'] ?? '')
  return isBadHost || target === '*' || ('status' in outcome && outcome.status === 400)
}

function partsOf({ method, target, headers, https = false }: HttpRequest): Parameters<typeof exchangeOf>[0] {
  const scheme = https ? 'https' : 'http'
  const [host = '', port = https ? '443' : '80'] = (headers['host'] ?? '').split(/:(?=\d+$)/)
  const local = target.replace(/^https?:\/\/[^/]*/, '').replace(/#.*$/, '')
  const [path = '', query = ''] = local.split(/\?(.*)/s)
  const rawHeaders = Object.entries(headers).flat()
  return { method, target, path, query, scheme, host: host.toLowerCase(), port: Number(port), rawHeaders }
}

function expectation(request: HttpRequest, rules: RuleCounts): object {
  const { method, outcome, baseUrl = '' } = request
  const { path = '', scheme = 'http', host = '', port = 80 } = partsOf(request) ?? {}
  const url = `${scheme}://${host}${port === (scheme === 'https' ? 443 : 80) ? '' : `:${port}`}${path}`
  const referer = request.headers['referer'] ?? ''
  const from = referer === '' ? '' : ` (from "${referer}")`
  const missing = {
    status: 404,
    message: `No route found for "${method} ${url}"${from}`,
    inner: `No routes found for "${path}/"`,
  }
  if (baseUrl !== '') {
    rules.count('file names are ordinary paths')
    return missing
  }
  if ('log' in outcome) {
    if (method !== method.toUpperCase()) {
      rules.count('methods are case-sensitive')
      return refused(`${method} ${url}`, 'GET, HEAD')
    }
    const {
      _route,
      _controller,
      path: _path,
      permanent,
      scheme: _scheme,
      httpPort,
      httpsPort,
      ...params
    } = outcome.log.context.route_parameters
    void [_route, _path, permanent, _scheme, httpPort, httpsPort]
    const isRedirect = _controller !== undefined
    return { route: outcome.log.context.route, isLogged: !isRedirect, params: isRedirect ? {} : params }
  }
  if (outcome.status === 405) {
    const allow = Object.entries(outcome.headers).find(([name]) => name.toLowerCase() === 'allow')?.[1] ?? ''
    const isGet = /(^|, )GET(, |$)/.test(allow) && !allow.includes('HEAD')
    if (isGet) rules.count('Allow lists HEAD behind GET')
    return refused(`${method} ${url}`, isGet ? allow.replace('GET', 'GET, HEAD') : allow)
  }
  const { message, inner } = outcome
  if (inner.message !== `${missing.inner}.`) rules.count('the inner message appends a slash')
  if (referer === '0') rules.count('a Referer of 0 is not empty')
  else if (method === method.toUpperCase()) assert.equal(message, missing.message)
  return missing
}

function refused(request: string, allow: string): object {
  return { status: 405, message: `No route found for "${request}": Method Not Allowed (Allow: ${allow})`, allow }
}
