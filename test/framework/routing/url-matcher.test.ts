import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { RequestParts } from '../../../src/base/http/request.ts'
import type { MatchResult } from '../../../src/routing/url-matcher.ts'
import { RouteCollection } from '../../../src/routing/route-collection.ts'
import { UrlMatcher } from '../../../src/routing/url-matcher.ts'
import { makeContext } from './support/vectors.ts'

const answer = (): Response => new Response()

const find = (routes: RouteCollection, parts: Partial<RequestParts>): MatchResult => {
  const matcher = new UrlMatcher(routes)
  return matcher.find(makeContext(parts))
}

describe('UrlMatcher', () => {
  it('matches long paths whose parameters can take each other’s characters', () => {
    const routes = new RouteCollection().get('parts', '/files/{a}{b}x{c}', answer).get('one', '/one/{a}', answer)
    for (const [path, kind] of [
      [`/files/${'a'.repeat(1000)}x${'c'.repeat(1000)}`, 'match'],
      [`/files/${'a'.repeat(2000)}x${'c'.repeat(2000)}`, 'match'],
      [`/files/${'x'.repeat(8000)}//`, 'redirect'],
      [`/one/${'a'.repeat(5000)}`, 'match'],
    ] as const) {
      assert.equal(find(routes, { path }).kind, kind)
    }
  })

  it('answers methods that no route names', () => {
    const routes = new RouteCollection().get('a', '/a', answer).add({ name: 'any', path: '/any', handler: answer })
    const matcher = new UrlMatcher(routes)
    for (const method of ['PROPFIND', 'PURGE']) {
      const refused = matcher.find(makeContext({ method, path: '/a' }))
      assert.deepEqual({ ...refused }, { kind: 'method_not_allowed', allow: ['GET', 'HEAD'] })
      assert.equal(matcher.find(makeContext({ method, path: '/any' })).kind, 'match')
    }
    assert.equal(matcher.find(makeContext({ path: '/a' })).kind, 'match')
  })

  it('sends GET to the form of the route and keeps the query', () => {
    const routes = new RouteCollection().get('a', '/a/', answer)
    const result = find(routes, { path: '/a', query: 'x=1&y' })
    assert.ok(result.kind === 'redirect')
    assert.deepEqual([result.location, result.status], ['/a/?x=1&y', 301])
  })

  it('sends every method with 308 where the route says so', () => {
    const routes = new RouteCollection().post('a', '/a', answer, { redirect: 'all' })
    const result = find(routes, { method: 'POST', path: '/a/' })
    assert.ok(result.kind === 'redirect')
    assert.deepEqual([result.location, result.status], ['/a', 308])
  })

  it('does not redirect where the route forbids it', () => {
    const routes = new RouteCollection().get('a', '/a', answer, { redirect: 'none' })
    assert.equal(find(routes, { path: '/a/' }).kind, 'not_found')
  })

  it('never redirects to another host', () => {
    const routes = new RouteCollection().get('any', '/{path<.*>}/end', answer).get('one', '/{x}', answer)
    for (const path of ['//evil.test/end/', '/\\evil.test/', '/%5Cevil.test/', '//evil.test/']) {
      const result = find(routes, { path })
      if (result.kind === 'redirect') assert.match(result.location, /^(?:\/(?![/\\])|http:\/\/shop\.example\.test\/)/)
    }
  })

  it('keeps %2F inside its segment and decodes it in the value', () => {
    const routes = new RouteCollection().get('a', '/a/{x}', answer)
    const result = find(routes, { path: '/a/b%2Fc%20d' })
    assert.ok(result.kind === 'match')
    assert.equal(result.params['x'], 'b/c d')
  })

  it('knows a slash that was sent as %2F from a character whose UTF-16 form ends in the same half', () => {
    const routes = new RouteCollection().get('a', '/a/{x}', answer).get('b', '/b/{x<.+>}/{y}', answer)
    for (const character of ['\u{1342f}', '\u{1f42f}']) {
      const encoded = encodeURIComponent(character)
      const result = find(routes, { path: `/a/${encoded}%2F${encoded}` })
      assert.ok(result.kind === 'match')
      assert.equal(result.params['x'], `${character}/${character}`)
      const tail = find(routes, { path: `/b/${encoded}/${encoded}` })
      assert.ok(tail.kind === 'match')
      assert.deepEqual({ ...tail.params }, { x: character, y: character })
    }
  })

  it('takes a slash at the end that belongs to the pattern as its own form', () => {
    const doubled = new RouteCollection().get('a', '/{x}//', answer)
    const optional = new RouteCollection().get('a', '/{x}//{y?z}', answer)
    for (const [routes, path, kind] of [
      [doubled, '/b', 'redirect'],
      [doubled, '/b/', 'match'],
      [doubled, '/b//', 'match'],
      [optional, '/b', 'redirect'],
      [optional, '/b/', 'match'],
      [optional, '/b//', 'match'],
      [optional, '/b//c', 'match'],
    ] as const) {
      assert.equal(find(routes, { path }).kind, kind, path)
    }
  })

  it('gives parameters without inherited properties', () => {
    const routes = new RouteCollection().get('a', '/{toString}', answer)
    const result = find(routes, { path: '/x' })
    assert.ok(result.kind === 'match')
    assert.ok(!('constructor' in result.params))
    assert.equal(result.params['toString'], 'x')
  })

  it('takes a parameter named __proto__ as any other', () => {
    const routes = new RouteCollection().get('a', '/a/{__proto__}', answer)
    const result = find(routes, { path: '/a/x' })
    assert.ok(result.kind === 'match')
    assert.deepEqual(Object.entries(result.params), [['__proto__', 'x']])
  })

  it('keeps requirement and default of a parameter named __proto__', () => {
    const inline = new RouteCollection().get('a', '/a/{__proto__<\\d+>?7}', answer)
    const named = new RouteCollection().get('a', '/a/{__proto__}', answer, {
      requirements: JSON.parse('{"__proto__":"\\\\d+"}') as Record<string, string>,
      defaults: JSON.parse('{"__proto__":"7"}') as Record<string, string>,
    })
    for (const routes of [inline, named]) {
      assert.equal(find(routes, { path: '/a/x' }).kind, 'not_found')
      for (const path of ['/a', '/a/7']) {
        const result = find(routes, { path })
        assert.ok(result.kind === 'match')
        assert.deepEqual(Object.entries(result.params), [['__proto__', '7']])
      }
    }
  })

  it('takes ! as text, not as a separator', () => {
    const result = find(new RouteCollection().get('a', '/{v}!', answer), { path: '/1!!' })
    assert.ok(result.kind === 'match')
    assert.equal(result.params['v'], '1!')
  })

  it('keeps the value of an optional parameter that matched nothing', () => {
    const result = find(new RouteCollection().get('a', '/{x<.*>?en}', answer), { path: '/' })
    assert.ok(result.kind === 'match')
    assert.deepEqual({ ...result.params }, { x: '' })
  })

  it('tries the values of a requirement in its own order', () => {
    const routes = new RouteCollection()
      .get('a', '/{x<a|ab|abc>}{y<.+>}', answer)
      .get('b', '/b/{x<\\w+?>}{y<\\w+>}', answer)
    for (const [path, x, y] of [
      ['/abcd', 'a', 'bcd'],
      ['/b/word', 'w', 'ord'],
    ] as const) {
      const result = find(routes, { path })
      assert.ok(result.kind === 'match')
      assert.deepEqual({ ...result.params }, { x, y })
    }
  })

  it('shows a requirement what is around its value', () => {
    const routes = new RouteCollection()
      .get('public', '/{area<(?!.*secret)[^/]+>}/{page}', answer)
      .get('other', '/{area}/{page}', answer)
    const nameOf = (path: string): string | null => {
      const result = find(routes, { path })
      return result.kind === 'match' ? result.route.name : null
    }
    assert.deepEqual([nameOf('/a/page'), nameOf('/a/secret')], ['public', 'other'])
  })

  it('redirects to the slash that a parameter needs, alone or among other routes', () => {
    const alone = new RouteCollection().get('a', '/a{x<.+>}', answer)
    const among = new RouteCollection()
      .get('b', '/ab', answer)
      .get('a', '/a{x<.+>}', answer)
      .get('c', '/{y<b+>}', answer)
    for (const routes of [alone, among]) {
      const result = find(routes, { path: '/a' })
      assert.ok(result.kind === 'redirect')
      assert.equal(result.location, '/a/')
    }
  })

  it('does not redirect HEAD to a route for HEAD alone ahead of one that matches', () => {
    const routes = new RouteCollection()
      .add({ name: 'head', path: '/x/', methods: ['HEAD'], handler: answer })
      .get('any', '/{x}', answer)
    const result = find(routes, { method: 'HEAD', path: '/x' })
    assert.equal(result.kind === 'match' && result.route.name, 'any')
    const alone = new RouteCollection().add({ name: 'head', path: '/x/', methods: ['HEAD'], handler: answer })
    assert.equal(find(alone, { method: 'HEAD', path: '/x' }).kind, 'redirect')
  })

  it('takes a host with parameters next to each other, however long it is', () => {
    const routes = new RouteCollection().get('a', '/', answer, { host: '{a}{b}{c}.{d<\\w+>}{e<\\w+>}.test' })
    const result = find(routes, { host: 'ABC.de.test' })
    assert.ok(result.kind === 'match')
    assert.deepEqual({ ...result.params }, { a: 'a', b: 'b', c: 'c', d: 'd', e: 'e' })
    assert.equal(find(routes, { host: `${'a'.repeat(4000)}.${'b'.repeat(4000)}` }).kind, 'not_found')
  })

  it('counts a condition that throws as false', () => {
    const broken = (): boolean => {
      throw new Error('broken')
    }
    const routes = new RouteCollection().get('a', '/a', answer, { condition: broken }).get('b', '/{x}', answer)
    const result = find(routes, { path: '/a' })
    assert.equal(result.kind === 'match' && result.route.name, 'b')
  })

  it('asks a condition for every request', () => {
    const routes = new RouteCollection().get('a', '/a', answer, { condition: ({ rawQuery }) => rawQuery === 'yes' })
    const matcher = new UrlMatcher(routes)
    assert.equal(matcher.find(makeContext({ path: '/a', query: 'yes' })).kind, 'match')
    assert.equal(matcher.find(makeContext({ path: '/a', query: 'no' })).kind, 'not_found')
  })
})
