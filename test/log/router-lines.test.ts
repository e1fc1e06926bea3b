// Lines about matched routes: one and the same for requests that ask the same, and none is kept that may hold a secret.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { RequestContext } from '../../src/http/request-context.ts'
import { matchedRoute, MatchedRouteLines } from '../../src/log/router-lines.ts'
import { exchangeOf } from '../support/exchange.ts'
import { fc } from '../support/fast-check.ts'

function contextOf(parts: Partial<RequestContext> = {}): RequestContext {
  return new RequestContext({ ...exchangeOf({}).context, ...parts })
}

describe('MatchedRouteLines', () => {
  it('gives the line before for a request that asks the same', () => {
    const lines = new MatchedRouteLines()
    const first = lines.of('home', {}, contextOf())
    assert.equal(lines.of('home', {}, contextOf()), first)
    assert.notEqual(lines.of('home', {}, contextOf({ path: '/other' })), first)
  })

  it('keeps no line of parameters or a query', () => {
    const lines = new MatchedRouteLines()
    for (const [params, query] of [
      [{ id: '7' }, ''],
      [{}, 'token=hunter2'],
    ] as const) {
      assert.notEqual(lines.of('item', params, contextOf({ query })), lines.of('item', params, contextOf({ query })))
    }
  })

  it('says of any requests in a row what each alone would say', () => {
    const request = fc.record({
      route: fc.constantFrom('home', 'list'),
      params: fc.constantFrom({}, { id: '1' }),
      parts: fc.record({
        method: fc.constantFrom('GET', 'HEAD'),
        scheme: fc.constantFrom('http' as const, 'https' as const),
        host: fc.constantFrom('a.example', 'b.example'),
        port: fc.constantFrom(80, 8000),
        path: fc.constantFrom('/', '/list'),
        query: fc.constantFrom('', '', 'page=2'),
      }),
    })
    fc.assert(
      fc.property(fc.array(request, { maxLength: 12 }), (requests) => {
        const lines = new MatchedRouteLines()
        for (const { route, params, parts } of requests) {
          const context = contextOf(parts)
          const { method, fullUrl } = context
          const alone = matchedRoute({ route, routeParameters: params, requestUri: fullUrl, method })
          assert.deepEqual(lines.of(route, params, context), alone)
        }
      }),
    )
  })
})
