// Paths of frameworks in the form of our routes, and what the table says to requests with them.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FrameworkRoutes } from '../../src/integrations/framework-routes.ts'
import { RouteLists } from '../../src/integrations/route-lists.ts'
import { Notes } from '../../src/integrations/notes.ts'
import { UrlMatcher } from '../../src/routing/url-matcher.ts'
import { HttpRequest } from '../../src/base/http/request.ts'
import { pick } from '../support/pick.ts'

function requestOf(path: string): HttpRequest {
  return new HttpRequest({
    method: 'GET',
    target: path,
    path,
    query: '',
    scheme: 'http',
    host: 'localhost',
    port: 80,
    rawHeaders: [],
    peerAddress: '127.0.0.1',
    clientAddress: '127.0.0.1',
  })
}

describe('paths of frameworks', () => {
  for (const [written, fits, misses] of [
    ['/', '/', '/x'],
    ['/orders/:id', '/orders/7', '/orders/7/8'],
    ['/shops/:shop/orders/:id', '/shops/a/orders/7', '/shops/a'],
    ['/orders/:id?', '/orders', '/orders/1/2'],
    ['/orders{/:id}', '/orders/7', '/orders/7/8'],
    ['/orders/:id(\\d+)', '/orders/7', '/orders/x'],
    ['/orders/:id{[0-9]+}', '/orders/7', '/orders/x'],
    ['/orders/{id}', '/orders/7', '/orders/7/8'],
    ['/files/*', '/files/a/b', '/file'],
    ['/files/*path', '/files/a/b', '/file'],
    ['/files/**', '/files/a/b', '/file'],
    ['/files/**:path', '/files/a/b', '/file'],
    ['/users/:user-id', '/users/7', '/users'],
    ['/^\\/lots\\/([A-Z]{3})-(\\d{4})$/', '/lots/ABC-1234', '/lots/ABC-12345'],
    ['/shop/^\\/lots\\/(\\d+)$/i', '/shop/lots/7', '/lots/7'],
    ['/^\\/files\\/v\\d/', '/files/v1.txt', '/files/x'],
    ['/from/:from-:to', '/from/a-b', '/from/a'],
  ] as const) {
    it(`${written} takes ${fits}, and not ${misses}`, () => {
      const notes = new Notes()
      const lists = new RouteLists()
      const routes = new FrameworkRoutes(lists, notes, '/')
      lists.add({}, () => [{ methods: ['GET'], path: written }])
      routes.refresh()
      const matcher = new UrlMatcher(routes.table)
      assert.deepEqual(notes.list(), [])
      const found = matcher.find(requestOf(fits))
      assert.ok(found.kind === 'match', found.kind)
      assert.equal(found.route.writtenAs, written)
      assert.equal(found.route.name, `GET ${written}`)
      assert.equal(found.route.definedAt, null)
      assert.equal(matcher.find(requestOf(misses)).kind, 'not_found')
    })
  }

  it('that cannot be translated are listed as they are written', () => {
    const notes = new Notes()
    const lists = new RouteLists()
    const routes = new FrameworkRoutes(lists, notes, '/')
    const written = ['/a/:id(', '/(.*)', '{{', '/ab?cd', '/a/:x(a|(b))', '/^\\/re$/']
    lists.add({}, () => written.map((path) => ({ methods: [], path })))
    routes.refresh()
    assert.deepEqual(pick(routes.table.all(), 'writtenAs'), written)
  })

  it('are read again when somebody looks, and a list that throws is a note', () => {
    const notes = new Notes()
    const lists = new RouteLists()
    const routes = new FrameworkRoutes(lists, notes, '/')
    const listed = [{ methods: ['GET'], path: '/one', name: 'one' }]
    lists.add({}, () => listed)
    lists.add({}, () => {
      throw new Error('no list')
    })
    routes.refresh()
    assert.deepEqual(pick(routes.table.all(), 'name'), ['one'])
    listed.push({ methods: ['POST'], path: '/two', name: 'one' })
    routes.refresh()
    assert.deepEqual(pick(routes.table.all(), 'name'), ['one', 'one (2)'])
    assert.deepEqual(notes.list(), ['The list of routes failed: Error: no list'])
  })
})
