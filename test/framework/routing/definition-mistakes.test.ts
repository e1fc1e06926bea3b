// What is written for another router, misspelt or forgotten: each mistake says how it is written here.

import assert from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import { describe, it } from 'node:test'
import { RouteDefinitionError } from '../../../src/routing/errors.ts'
import { RouteCollection } from '../../../src/routing/route-collection.ts'
import { UrlMatcher } from '../../../src/routing/url-matcher.ts'
import { makeContext } from './support/vectors.ts'

const handler = (): Response => new Response()
const before = (): void => undefined
const schema = { '~standard': { version: 1, vendor: 'own', validate: (value: unknown) => ({ value }) } } as const

/** The methods as JavaScript sees them. */
type Loose = Readonly<Record<string, (...given: readonly unknown[]) => unknown>>

function refused(define: (routes: Loose) => unknown): RouteDefinitionError {
  try {
    define(new RouteCollection() as object as Loose)
  } catch (error) {
    assert.ok(error instanceof RouteDefinitionError, String(error))
    return error
  }
  throw new assert.AssertionError({ message: `nothing was thrown by ${define}` })
}

function check(cases: readonly (readonly [define: (routes: Loose) => unknown, message: string])[]): void {
  for (const [define, message] of cases) {
    it(String(define).replace('(routes) => routes.', ''), () => {
      const error = refused(define)
      assert.ok(error.message.includes(message), error.message)
      assert.equal(error.definedAt?.file, fileURLToPath(import.meta.url))
      const [, text = '', caret = ''] = error.message.split('\n')
      assert.ok(caret.indexOf('^') < text.length + 1, error.message)
    })
  }
}

describe('A path of another router is refused:', () => {
  check([
    [(routes) => routes['get']?.('a', '/people/:id', handler), 'Route "a": parameters are written {id}; a colon'],
    [(routes) => routes['get']?.('a', '/:lang/:id(\\d+)?', handler), 'parameters are written {id}'],
    [(routes) => routes['get']?.('a', '/files/*', handler), 'the rest of a path is written {path<path>}'],
    [(routes) => routes['get']?.('a', '/files/*splat', handler), 'the rest of a path is written {path<path>}'],
    [(routes) => routes['get']?.('a', '*', handler), 'the rest of a path is written {path<path>}'],
    [(routes) => routes['get']?.('a', '/files/{*path}', handler), 'the rest of a path is written {path<path>}'],
    [(routes) => routes['get']?.('a', '/things/{id', handler), 'this brace is not closed; parameters are written {id}'],
    [(routes) => routes['get']?.('a', '/things/id}', handler), 'this brace closes nothing'],
    [(routes) => routes['get']?.('a', '/things/{the id}', handler), 'with a name of letters, digits and _'],
    [(routes) => routes['get']?.('a', '/things/{}', handler), 'parameters are written {id}'],
    [(routes) => routes['get']?.('a', '/things/{id:\\d+}', handler), 'a requirement is written {id<\\d+>}'],
    [
      (routes) => routes['get']?.('a', '/things/{id<integer>}', handler),
      '"integer" matches only this word; the types are int',
    ],
    [(routes) => routes['get']?.('a', '/search?q={q}', handler), 'the query is not a part of the path'],
    [(routes) => routes['get']?.('a', 'https://a.test/b', handler), 'the options schemes and host'],
    [(routes) => routes['get']?.('a', { en: '/a', fr: '/b/:id' }, handler), 'parameters are written {id}'],
    [(routes) => routes['group']?.({ path: '/:lang' }, before), 'parameters are written {id}'],
    [(routes) => routes['mount']?.('/api/*', new RouteCollection()), 'the rest of a path'],
    [(routes) => routes['add']?.({ name: 'a', path: '/:id', handler }), 'parameters are written {id}'],
  ])
})

describe('The same characters are text where they look like nothing else:', () => {
  for (const [path, sent] of [
    ['/a:b', '/a:b'],
    ['/a*b', '/a*b'],
    ['/12:30', '/12:30'],
    ['/what?', '/what%3F'],
    ['/{colon<:>}id', '/:id'],
    ['/{star<\\*>}', '/*'],
    ['/{brace<\\{>}a', '/{a'],
  ] as const) {
    it(path, () => {
      const routes = new RouteCollection().get('a', path, handler)
      assert.equal(new UrlMatcher(routes).find(makeContext({ path: sent })).kind, 'match')
    })
  }
})

describe('A call in another form is refused:', () => {
  check([
    [
      (routes) => routes['get']?.('/users', handler),
      "Routes: the name is missing. A route is written get(name, path, handler, options): ('users', '/users', handler)",
    ],
    [(routes) => routes['get']?.('/users/{id}', handler), "('users_id', '/users/{id}', handler)"],
    [(routes) => routes['post']?.('users', handler), 'the name is missing'],
    [(routes) => routes['get']?.('a', '/a', before, handler), 'What runs before a handler is the option guard'],
    [
      (routes) => routes['get']?.('a', '/a', { host: 'a.test' }, handler),
      'options after it: get(name, path, handler, options)',
    ],
    [(routes) => routes['get']?.('a', '/a', handler, {}, handler), 'there is no fifth argument'],
    [(routes) => routes['get']?.('a', '/a', handler, null), 'the options of a route are an object'],
    [(routes) => routes['get']?.('a', '/a'), 'handler must be a function'],
    [(routes) => routes['add']?.('a', '/a', handler), 'the options of a route are an object'],
    [(routes) => routes['group']?.(before), "a group is written group({ path: '/blog' }, (blog) => blog.get(…))"],
    [(routes) => routes['group']?.({ path: '/blog' }), 'a group is written'],
    [(routes) => routes['group']?.({ path: '/blog' }, async () => undefined), 'it returned a promise'],
    [(routes) => routes['mount']?.(new RouteCollection()), "write mount('/api', routes) with a RouteCollection"],
    [(routes) => routes['merge']?.(before), 'write merge(routes) with a RouteCollection'],
  ])
})

describe('An option that cannot be meant is refused:', () => {
  check([
    [(routes) => routes['get']?.('a', '/{id}', handler, { requirments: {} }), 'Did you mean "requirements"?'],
    [
      (routes) => routes['get']?.('a', '/a', handler, { middleware: [] }),
      '"middleware" is not an option of a route here. Options are guard, ',
    ],
    [
      (routes) => routes['get']?.('a', '/a', handler, { methods: ['POST'] }),
      '"methods" is not an option of a route here',
    ],
    [(routes) => routes['add']?.({ name: 'a', path: '/a', handler, method: 'GET' }), 'Did you mean "methods"?'],
    [(routes) => routes['group']?.({ prefix: '/blog' }, before), '"prefix" is not an option of a group here'],
    [
      (routes) => routes['get']?.('a', '/{id}', handler, { requirements: { di: '\\d+' } }),
      'the path has no parameter "di"',
    ],
    [
      (routes) => routes['get']?.('a', '/{id}', handler, { requirements: { id: 'int' } }),
      'types are written in the path, where TypeScript reads them too: {id<int>}',
    ],
    [(routes) => routes['group']?.({ requirements: { id: 'int' } }, before), 'types are written in the path'],
    [
      (routes) => routes['get']?.('a', '/a', handler, { guard: [before] }),
      'guard must be a function; for a second guard put a group around it',
    ],
    [
      (routes) => routes['get']?.('a', '/a', handler, { timeoutMs: 0 }),
      'timeoutMs must be a whole number from 1 to 2147483647',
    ],
    [(routes) => routes['get']?.('a', '/a', handler, { timeoutMs: 2_147_483_648 }), 'timeoutMs must be'],
    [
      (routes) => routes['get']?.('a', '/a', handler, { maxBodyBytes: -1 }),
      'maxBodyBytes must be a whole number from 0',
    ],
    [
      (routes) => routes['post']?.('a', '/a', handler, { body: { type: 'object' } }),
      'body must be a schema with the member ~standard',
    ],
    [(routes) => routes['post']?.('a', '/a', handler, { body: schema, form: schema }), 'a body is read once'],
    [(routes) => routes['get']?.('a', '/a', handler, { body: schema }), 'a GET request has no body'],
  ])
})
