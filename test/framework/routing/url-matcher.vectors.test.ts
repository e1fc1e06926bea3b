import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { MatchResult } from '../../../src/routing/url-matcher.ts'
import { RouteDefinitionError } from '../../../src/routing/errors.ts'
import { UrlMatcher } from '../../../src/routing/url-matcher.ts'
import {
  allowHead,
  countCharacters,
  keepInnerSlash,
  refuseMalformed,
  RuleCounts,
  writeForJavaScript,
} from './support/vector-rules.ts'
import { collectionOf, makeContext, matchFiles } from './support/vectors.ts'
import type { VectorOutcome, VectorRequest } from './support/vectors.ts'

describe('UrlMatcher on the vectors', () => {
  const rules = new RuleCounts()
  let asked = 0

  for (const file of matchFiles()) {
    it(`answers like the original: ${file.name}`, () => {
      const routes = collectionOf(file.routes.map((route) => writeForJavaScript(route, rules)))
      if (file.order !== undefined)
        assert.deepEqual(
          routes.all().map((route) => route.name),
          file.order,
        )
      const redirecting = new UrlMatcher(routes)
      const plain = new UrlMatcher(routes, { redirects: false })
      for (const request of file.requests) {
        asked += 1
        check(redirecting, request, countCharacters(file, request, request.outcome, rules))
        check(plain, request, countCharacters(file, request, request.plain ?? request.outcome, rules))
      }
    })
  }

  it('was asked every request of the vectors', (context) => {
    assert.equal(asked, 2161)
    context.diagnostic(`deliberate differences: ${rules}`)
  })

  function check(matcher: UrlMatcher, request: VectorRequest, outcome: VectorOutcome): void {
    const find = (path: string): MatchResult => matcher.find(contextOf({ ...request, path }))
    const result = describeResult(find(request.path), request)
    const standIn = keepInnerSlash(request, find, rules)
    const expected =
      standIn === null
        ? describeOutcome(allowHead(refuseMalformed(request, outcome, rules), rules))
        : describeResult(standIn, request)
    assert.deepEqual(result, expected, `${request.method} ${request.scheme}://${request.host}${request.path}`)
  }
})

describe('UrlMatcher on requirements of the vectors that only PCRE understands', () => {
  const refused = matchFiles()
    .flatMap((file) => file.routes)
    .filter((route) => writeForJavaScript(route, new RuleCounts()) !== route)

  for (const route of refused) {
    it(`refuses ${JSON.stringify(route.requirements)} and shows the spot`, () => {
      assert.throws(
        () => collectionOf([route]),
        (error) => error instanceof RouteDefinitionError && /\n {2}.*\n {2} *\^\n/.test(error.message),
      )
    })
  }
})

function contextOf(request: VectorRequest): ReturnType<typeof makeContext> {
  const { method, scheme, host, path, query = '' } = request
  return makeContext({ method, scheme, host: host.toLowerCase(), path, query })
}

/** A redirect is compared by where it leads. */
function describeResult(result: MatchResult, request: VectorRequest): object {
  switch (result.kind) {
    case 'match':
      return { kind: 'match', route: result.route.name, params: { ...result.params } }
    case 'redirect': {
      assert.doesNotMatch(result.location, /^\/[/\\]/)
      const base = `${request.scheme}://${request.host.toLowerCase()}`
      const to = result.location.startsWith('/') ? base + result.location : result.location
      return { kind: 'redirect', route: result.route.name, to, status: result.status }
    }
    case 'method_not_allowed':
      return { kind: 'method_not_allowed', allow: result.allow }
    default:
      return { kind: result.kind }
  }
}

function describeOutcome(outcome: VectorOutcome): object {
  switch (outcome.kind) {
    case 'match':
      return { kind: 'match', route: outcome.route, params: outcome.params }
    case 'redirect':
      return { kind: 'redirect', route: outcome.route, to: outcome.to, status: outcome.status }
    case 'method_not_allowed':
      return { kind: 'method_not_allowed', allow: outcome.allow }
    default:
      return { kind: outcome.kind }
  }
}
