import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { RouteCollection } from '../../../src/routing/route-collection.ts'
import { checkRoutes } from '../../../src/routing/route-health.ts'

const answer = (): Response => new Response()

describe('checkRoutes', () => {
  it('finds nothing in a sound table', () => {
    const routes = new RouteCollection()
      .get('home', '/', answer)
      .get('new', '/products/new', answer)
      .get('product', '/products/{id<\\d+>}', answer)
      .get('slug', '/products/{slug}', answer)
      .post('create', '/products/{slug}', answer)
      .get('admin', '/admin', answer, { host: 'admin.test' })
      .get('other', '/admin', answer)
      .get('beta', '/beta', answer, { condition: () => false })
      .get('beta_all', '/beta', answer)
    assert.deepEqual(found(routes), [])
  })

  it('finds a name used twice', () => {
    const routes = new RouteCollection().get('home', '/old', answer).get('home', '/new', answer)
    assert.deepEqual(found(routes), ['duplicate-name home home'])
  })

  it('finds the same route twice', () => {
    const routes = new RouteCollection()
      .get('one', '/a/{x}', answer)
      .get('two', '/a/{y}', answer)
      .get('three', '/a/{x}', answer)
    assert.deepEqual(found(routes), ['unreachable two one', 'duplicate three one'])
  })

  it('finds a path that an earlier parameter takes', () => {
    const routes = new RouteCollection().get('user', '/users/{name}', answer).get('me', '/users/me', answer)
    assert.deepEqual(found(routes), ['unreachable me user'])
  })

  it('finds a method that an earlier route takes', () => {
    const routes = new RouteCollection()
      .get('read', '/a', answer)
      .add({ name: 'both', path: '/a', methods: ['GET', 'POST'], handler: answer })
    assert.deepEqual(found(routes), ['shadowed both read'])
  })

  it('finds what a priority hides', () => {
    const routes = new RouteCollection().get('late', '/a', answer).any('early', '/{x}', answer, { priority: 1 })
    assert.deepEqual(found(routes), ['unreachable late early'])
  })

  it('names both places', () => {
    const routes = new RouteCollection().any('one', '/a', answer).any('two', '/a', answer)
    assert.match(
      checkRoutes(routes)[0]?.message ?? '',
      /test\/framework\/routing\/route-health\.test\.ts:\d+.*test\/framework\/routing\/route-health\.test\.ts:\d+/,
    )
  })
})

function found(routes: RouteCollection): string[] {
  return checkRoutes(routes).map(({ kind, route, by }) => `${kind} ${route.name} ${by.name}`)
}
