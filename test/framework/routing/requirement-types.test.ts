// Requirements with a name: {id<int>}.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { RouteDefinitionError, InvalidParamError } from '../../../src/routing/errors.ts'
import { RouteCollection } from '../../../src/routing/route-collection.ts'
import { UrlGenerator } from '../../../src/routing/url-generator.ts'
import { UrlMatcher } from '../../../src/routing/url-matcher.ts'
import { makeContext } from './support/vectors.ts'

const answer = (): Response => new Response()

/** The parameters that a request for the path gives, `null` for none. */
function paramsOf(routes: RouteCollection, path: string, host = 'a.test'): object | null {
  const result = new UrlMatcher(routes).find(makeContext({ path, host }))
  return result.kind === 'match' ? { ...result.params } : null
}

describe('{id<int>}', () => {
  const routes = new RouteCollection()
    .get('order', '/orders/{id<int>}', answer)
    .get('list', '/list/{page<int>?1}', answer)
    .get('maybe', '/maybe/{page<int>?}', answer)
    .get('file', '/files/{year<int>}-{name}.{format<slug>?txt}', answer)
    .get('tenant', '/tenant', answer, { host: 't{tenant<int>}.test' })
    .get('old', '/old/{id<\\d+>}', answer)
    .get('option', '/option/{page<int>}', answer, { defaults: { page: '3' } })
    .mount('/shops/{shop<int>}', new RouteCollection().get('shop', '/{item<int>}', answer))

  it('gives handlers a number', () => {
    assert.deepEqual(paramsOf(routes, '/orders/7'), { id: 7 })
    assert.deepEqual(paramsOf(routes, '/orders/007'), { id: 7 })
    assert.deepEqual(paramsOf(routes, '/orders/999999999999999'), { id: 999_999_999_999_999 })
    assert.deepEqual(paramsOf(routes, '/files/2024-a.b'), { year: 2024, name: 'a', format: 'b' })
    assert.deepEqual(paramsOf(routes, '/tenant', 't42.test'), { tenant: 42 })
    assert.deepEqual(paramsOf(routes, '/shops/1/2'), { shop: 1, item: 2 })
  })

  it('gives defaults as numbers too', () => {
    assert.deepEqual(paramsOf(routes, '/list'), { page: 1 })
    assert.deepEqual(paramsOf(routes, '/list/2'), { page: 2 })
    assert.deepEqual(paramsOf(routes, '/maybe'), { page: null })
    assert.deepEqual(paramsOf(routes, '/option'), { page: 3 })
  })

  it('matches nothing else', () => {
    for (const id of ['-7', '7.5', 'x', '', '1000000000000000', '%207', '٧']) {
      assert.equal(paramsOf(routes, `/orders/${id}`), null, id)
    }
  })

  it('is another thing than an expression for digits, which stays text', () => {
    assert.deepEqual(paramsOf(routes, '/old/7'), { id: '7' })
    const literal = new RouteCollection().get('a', '/{kind<(?:int)>}', answer)
    assert.deepEqual(paramsOf(literal, '/int'), { kind: 'int' })
  })

  it('is checked by the URL generator', () => {
    const urls = new UrlGenerator(routes, { scheme: 'https', host: 'a.test' })
    assert.equal(urls.generate('order', { id: 7 }), '/orders/7')
    assert.equal(urls.generate('list', { page: 1 }), '/list')
    assert.equal(urls.generate('list', { page: '1' }), '/list')
    for (const id of ['x', -1, 1.5, 1e21]) {
      assert.throws(() => urls.generate('order', { id }), InvalidParamError)
    }
  })

  it('refuses a default that is not one', () => {
    assert.throws(() => new RouteCollection().get('a', '/{page<int>?x}', answer), RouteDefinitionError)
    assert.throws(() => new RouteCollection().get('a', '/{page<int>?1e3}', answer), RouteDefinitionError)
    assert.throws(() => new RouteCollection().get('a', '/{page<int>}', answer, { defaults: { page: true } }))
  })
})

describe('Other named requirements', () => {
  for (const [type, fits, others] of [
    [
      'uuid',
      ['0188a7f0-9c1e-7abc-8def-0123456789ab', '0188A7F0-9C1E-7ABC-8DEF-0123456789AB'],
      ['0188a7f0', 'x'.repeat(36)],
    ],
    ['ulid', ['01ARZ3NDEKTSV4RRFFQ69G5FAV'], ['81ARZ3NDEKTSV4RRFFQ69G5FAV', '01ARZ3NDEKTSV4RRFFQ69G5FAI']],
    ['slug', ['tea', 'Green-tea-2'], ['-tea', 'tea-', 'green--tea', 'green_tea']],
    ['date', ['2026-11-23'], ['2026-13-01', '2026-11-32', '26-11-23']],
    ['path', ['a', 'a/b.c/d'], ['']],
  ] as const) {
    it(`${type} gives text`, () => {
      const routes = new RouteCollection().get('one', `/x/{value<${type}>}`, answer)
      for (const value of fits) assert.deepEqual(paramsOf(routes, `/x/${value}`), { value })
      for (const value of others) assert.equal(paramsOf(routes, `/x/${value}`), null, value)
    })
  }
})
