// Route tables of an unusual size (SECURITY F32): ten thousand fixed paths, ten thousand with parameters, a thousand clashes
// of methods. How fast they are is measured by `npm run bench:routing`.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { RouteCollection, text } from '../../src/index.ts'
import type { MatchResult } from '../../src/routing/url-matcher.ts'
import { UrlMatcher } from '../../src/routing/url-matcher.ts'
import { makeContext } from '../framework/routing/support/vectors.ts'
import { largeRouteTable } from '../support/large-route-table.ts'

const size = 10_000
const probed = [0, 1, size / 2, size - 2, size - 1]

function nameOf(result: MatchResult): string {
  return result.kind === 'match' ? result.route.name : result.kind
}

describe('UrlMatcher on large tables', () => {
  const matcher = new UrlMatcher(largeRouteTable(size))
  const find = (path: string): MatchResult => matcher.find(makeContext({ path }))

  it('finds the first, the last and those between of 10,000 fixed paths, and no other', () => {
    for (const index of probed) assert.equal(nameOf(find(`/fixed/page-${index}`)), `fixed${index}`)
    for (const path of ['/fixed/page-10000', '/fixed/page-', '/fixed', '/fixed/page-00'])
      assert.equal(nameOf(find(path)), 'not_found', path)
  })

  it('finds the first, the last and those between of 10,000 with parameters, and no other', () => {
    for (const index of probed) {
      const result = find(`/area-${index % 100}/seven/list-${index}/9`)
      assert.equal(nameOf(result), `param${index}`)
      assert.ok(result.kind === 'match')
      assert.deepEqual({ ...result.params }, { id: 'seven', page: '9' })
    }
    for (const path of ['/area-0/seven/list-10000/9', '/area-100/a/list-1/b', '/area-1/a/list-0/b'])
      assert.equal(nameOf(find(path)), 'not_found', path)
  })

  it('names every method of a thousand that clash on one path', () => {
    const clashing = new RouteCollection()
    const methods = Array.from({ length: 1000 }, (_, index) => `M${index}`)
    for (const method of methods)
      clashing.add({ name: method, path: '/one/{path}', methods: [method], handler: () => text('') })
    const one = new UrlMatcher(clashing)
    assert.equal(nameOf(one.find(makeContext({ path: '/one/x', method: 'M999' }))), 'M999')
    const refused = one.find(makeContext({ path: '/one/x', method: 'GET' }))
    assert.ok(refused.kind === 'method_not_allowed')
    assert.deepEqual(refused.allow, methods)
  })
})
