import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { RouterView } from '../../src/profiles/router-view.ts'
import { Reply } from '../../src/base/http/reply.ts'
import { RouteCollection } from '../../src/routing/route-collection.ts'
import { exchangeOf } from '../support/exchange.ts'
import { pick } from '../support/pick.ts'

const answer = (): Reply => new Reply(204, [], null)

function viewOf(count: number): RouterView {
  const routes = new RouteCollection()
  for (let index = 0; index < count; index += 1) routes.get(`part${index}`, `/parts/${index}/{id<\\d+>}`, answer)
  return new RouterView(routes.post('save', '/products', answer).get('products', '/produkts', answer))
}

describe('RouterView.attempts', () => {
  it('gives the nearest routes first: the wrong method, then the wrong letter', () => {
    const { request } = exchangeOf({ path: '/products' })
    const { nearest, total } = viewOf(5).attempts(request)
    assert.deepEqual(pick(nearest.slice(0, 2), 'name', 'methods', 'isNear'), [
      ['save', ['POST'], true],
      ['products', ['GET'], false],
    ])
    assert.equal(nearest[0]?.reason, 'Method "GET" does not match any of the required methods (POST)')
    assert.match(nearest[0]?.definedAt ?? '', /^test\/profiler\/router-view\.test\.ts:\d+$/)
    assert.equal(total, 7)
  })

  it('gives at most 50 of a large table, and how many there are', () => {
    const { request } = exchangeOf({ path: '/products' })
    const { nearest, total } = viewOf(5000).attempts(request)
    assert.equal(nearest.length, 50)
    assert.equal(total, 5002)
    assert.equal(nearest[0]?.name, 'save')
  })
})
