import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inspect } from 'node:util'
import { RouteDefinitionError } from '../../../src/routing/errors.ts'
import { cutText } from '../../../src/base/redact/cut-text.ts'
import { RouteCollection } from '../../../src/routing/route-collection.ts'
import { Route } from '../../../src/routing/route.ts'
import { UrlMatcher } from '../../../src/routing/url-matcher.ts'
import { makeContext, readVectors, vectorText } from './support/vectors.ts'
import type { VectorRoute } from './support/vectors.ts'

const answer = (): Response => new Response()

function nameOf(routes: RouteCollection, path: string, method = 'GET'): string {
  const result = new UrlMatcher(routes).find(makeContext({ path, method }))
  return result.kind === 'match' ? result.route.name : result.kind
}

describe('RouteCollection', () => {
  it('puts name, path, host, requirements and defaults of a group before those of its routes', () => {
    const routes = new RouteCollection()
    const group = {
      name: 'blog_',
      path: '/blog',
      host: '{shop}.test',
      requirements: { id: '\\d+' },
      defaults: { theme: 'dark' },
    }
    routes.group(group, (blog) => {
      blog.get('list', '', answer)
      blog.get('index', '/', answer)
      blog.get('show', '/{id}', answer)
      blog.group({ name: 'admin_', path: '/admin' }, (admin) =>
        admin.get('edit', '/{id}', answer, { requirements: { id: '[a-z]+' } }),
      )
    })
    assert.deepEqual(
      routes.all().map((route) => [route.name, route.path, route.host, route.requirements, route.defaults]),
      [
        ['blog_list', '/blog', '{shop}.test', { id: '\\d+' }, { theme: 'dark' }],
        ['blog_index', '/blog/', '{shop}.test', { id: '\\d+' }, { theme: 'dark' }],
        ['blog_show', '/blog/{id}', '{shop}.test', { id: '\\d+' }, { theme: 'dark' }],
        ['blog_admin_edit', '/blog/admin/{id}', '{shop}.test', { id: '[a-z]+' }, { theme: 'dark' }],
      ],
    )
  })

  it('keeps the options around a handler, those of the outermost group first', () => {
    const [outer, inner, own] = [(): void => undefined, (): void => undefined, (): void => undefined]
    const routes = new RouteCollection().get('free', '/', answer)
    routes.group({ path: '/a', guard: outer, timeoutMs: 1 }, (group) => {
      group.get('shared', '/shared', answer)
      group.group({ guard: inner }, (deep) => deep.get('own', '/own', answer, { guard: own, maxBodyBytes: 2 }))
      group.mount('/mounted', new RouteCollection().get('mounted', '', answer, { guard: own }))
      group.merge(new RouteCollection().get('merged', '/merged', answer))
      group.merge(new RouteCollection().group({ guard: inner }, (deep) => deep.get('deep', '/deep', answer)))
    })
    const first = { guard: outer, timeoutMs: 1 }
    assert.deepEqual(
      routes.all().map((route) => [route.name, route.path, route.handlerOptions]),
      [
        ['free', '/', []],
        ['shared', '/a/shared', [first]],
        ['own', '/a/own', [first, { guard: inner }, { guard: own, maxBodyBytes: 2 }]],
        ['mounted', '/a/mounted', [first, { guard: own }]],
        ['merged', '/merged', [first]],
        ['deep', '/deep', [first, { guard: inner }]],
      ],
    )
  })

  it('mounts another collection under a prefix, as it is then', () => {
    const api = new RouteCollection()
    api.get('user', '/users/{id}', answer)
    const routes = new RouteCollection()
    routes.mount('/api', api)
    api.get('later', '/later', answer)
    assert.equal(nameOf(routes, '/api/users/7'), 'user')
    assert.equal(nameOf(routes, '/api/later'), 'not_found')
  })

  it('keeps the place of the definition when it is mounted', () => {
    const api = new RouteCollection().get('user', '/users', answer)
    const [mounted] = new RouteCollection().mount('/api', api)
    assert.deepEqual(mounted?.definedAt, api.route('user')?.definedAt)
    assert.match(mounted?.definedAt?.file ?? '', /route-collection\.test\.ts$/)
  })

  it('lets a later route of the same name take the place of the earlier one', () => {
    const routes = new RouteCollection().get('a', '/old', answer).get('b', '/b', answer).get('a', '/new', answer)
    assert.deepEqual(
      routes.all().map((route) => route.path),
      ['/b', '/new'],
    )
    assert.equal(routes.replaced().length, 1)
  })

  it('asks routes of a higher priority first', () => {
    const routes = new RouteCollection().get('any', '/{x}', answer).get('me', '/me', answer, { priority: 1 })
    assert.equal(nameOf(routes, '/me'), 'me')
  })

  it('is asked anew after a route was added', () => {
    const routes = new RouteCollection().get('a', '/a', answer)
    const matcher = new UrlMatcher(routes)
    assert.equal(matcher.find(makeContext({ path: '/b' })).kind, 'not_found')
    routes.get('b', '/b', answer)
    assert.equal(matcher.find(makeContext({ path: '/b' })).kind, 'match')
  })

  it('makes one route for each locale of a localized path', () => {
    const routes = new RouteCollection().get('about', { en: '/about-us', fr: '/a-propos' }, answer)
    assert.deepEqual(
      routes.all().map((route) => route.key),
      ['about.en', 'about.fr'],
    )
    const result = new UrlMatcher(routes).find(makeContext({ path: '/a-propos' }))
    assert.ok(result.kind === 'match')
    assert.equal(result.route.name, 'about')
    assert.deepEqual({ ...result.params }, { _locale: 'fr' })
  })

  it('is named after its handler, or after itself', () => {
    const routes = new RouteCollection().get('named', '/a', answer).get('arrow', '/b', () => new Response())
    assert.deepEqual(
      routes.all().map((route) => route.handlerName),
      ['answer', 'arrow'],
    )
  })
})

describe('a wrong definition', () => {
  const wrong: readonly (readonly [path: string, requirements: Record<string, string>, message: RegExp])[] = [
    ['/{x}/{x}', {}, /parameter "x" is used twice\.\n {2}\/\{x\}\/\{x\}\n {2} {5}\^\n/],
    ['/{1x}', {}, /must not begin with a digit/],
    [`/{${'a'.repeat(33)}}`, {}, /longer than 32 characters/],
    ['/{_fragment}', {}, /"_fragment" is the fragment/],
    ['/{x}', { x: '' }, /requirement of "x" is empty/],
    ['/{x}', { x: '[a-z' }, /not a JavaScript expression.*\n {2}\[a-z\n {2}\^/],
    ['/{x}', { x: 'a(b' }, /not a JavaScript expression: Unterminated group.*\n {2}a\(b\n {2}\^/],
    ['/{x}', { x: 'a++' }, /Nothing to repeat.*\n {2}a\+\+\n {2}\^/],
    ['/{x}', { x: '(?>a)' }, /Invalid group/],
    ['/{x}', { x: '(?i)a' }, /Invalid group/],
    ['/{x}', { x: '\\Aa\\z' }, /Invalid escape/],
    ['/{x}', { x: '(a)\\1' }, /Invalid escape/],
    ['/{x}', { x: '[[:alpha:]]' }, /POSIX classes/],
    ['/é', {}, /utf8: true/],
    ['/{x}', { x: '\\p{Lu}' }, /utf8: true/],
    [
      '/{x}',
      { x: '(?:a{0,1000}){0,1000}' },
      /too large \(\d+ characters with its repeats written out, at most 10000\)/,
    ],
    ['/{x}', { x: '(?:a{9999999999999999999999}){99}' }, /too large/],
    ['/{x}', { x: '('.repeat(5000) + ')'.repeat(5000) }, /nested too deeply/],
    ['/{x}', { x: '[\\q{ab}]' }, /single characters/],
    [`/${Array.from({ length: 1000 }, (_, index) => `{p${index}}`).join('/')}`, {}, /at most 100 parameters/],
  ]

  for (const [path, requirements, message] of wrong) {
    it(`is refused with its spot and place: ${cutText(`${path} ${JSON.stringify(requirements)}`, 60)}`, () => {
      const routes = new RouteCollection()
      assert.throws(
        () => routes.get('wrong', path, answer, { requirements }),
        (error) => {
          assert.ok(error instanceof RouteDefinitionError)
          assert.match(error.message, message)
          assert.match(error.message, /\n {2}defined at .*route-collection\.test\.ts:\d+$/)
          return true
        },
      )
      assert.equal(routes.size, 0)
    })
  }

  it('is refused for half a character, with utf8 too', () => {
    for (const [path, options] of [
      ['/a\ud800', { utf8: true }],
      ['/{x}', { utf8: true, host: '\udc00.test' }],
      ['/{x}', { utf8: true, requirements: { x: '\ud800' } }],
    ] as const) {
      assert.throws(() => new RouteCollection().get('x', path, answer, options), /not a Unicode character/)
    }
  })

  const wrongTypes: readonly (readonly [change: object, message: RegExp])[] = [
    [
      { requirements: { a: /\d+/ } },
      /requirements must be a record of strings\.\n {2}requirements: \{ a: \/\\d\+\/ \}\n {16}\^\n/,
    ],
    [{ requirements: 'a' }, /requirements must be a record of strings/],
    [{ defaults: ['a'] }, /defaults must be a record\./],
    [{ methods: 'GET' }, /methods must be a list of strings\.\n {2}methods: 'GET'\n {11}\^\n/],
    [{ methods: [null] }, /methods must be a list of strings/],
    [{ schemes: 'https' }, /schemes must be a list of strings/],
    [{ host: 80 }, /host must be a string\.\n {2}host: 80\n/],
    [{ path: null }, /path must be a string, or a record of strings by locale\.\n {2}path: null\n/],
    [{ path: 5 }, /path must be a string/],
    [{ path: ['/a'] }, /path must be a string/],
    [{ path: {} }, /path must be a string/],
    [{ path: { en: 5 } }, /path must be a string/],
    [{ handler: undefined }, /handler must be a function\.\n {2}handler: undefined\n/],
    [{ name: undefined }, /name must be a string/],
    [{ priority: '1' }, /priority must be a number/],
    [{ condition: true }, /condition must be a function/],
    [{ redirect: true }, /redirect must be 'safe', 'all' or 'none'/],
    [{ utf8: 'yes' }, /utf8 must be true or false/],
    [{ captureBody: 1 }, /captureBody must be true or false/],
  ]

  for (const [change, message] of wrongTypes) {
    it(`is refused with its place where a type is wrong: ${inspect(change)}`, () => {
      const routes = new RouteCollection()
      const definition = { name: 'wrong', path: '/{a}', handler: answer, ...change }
      assert.throws(
        () => routes.add(definition),
        (error) => {
          assert.ok(error instanceof RouteDefinitionError)
          assert.match(error.message, message)
          assert.match(error.message, /\n {2}defined at .*route-collection\.test\.ts:\d+$/)
          return true
        },
      )
      assert.equal(routes.size, 0)
    })
  }

  it('is refused in the hundred and first of nested groups', () => {
    const nest = (routes: RouteCollection, depth: number): RouteCollection =>
      depth === 0 ? routes.get('x', '/x', answer) : routes.group({ path: '/g' }, (group) => nest(group, depth - 1))
    assert.equal(nest(new RouteCollection(), 100).size, 1)
    assert.throws(
      () => nest(new RouteCollection(), 5000),
      (error) => error instanceof RouteDefinitionError && /nested too deeply\.\n {2}\/g\n {2}\^\n/.test(error.message),
    )
  })

  it('is refused in a group and under a prefix too', () => {
    const routes = new RouteCollection()
    const wrong: Record<string, never> = JSON.parse('{"path":5}') as Record<string, never>
    assert.throws(() => routes.group(wrong, () => null), RouteDefinitionError)
    assert.throws(() => routes.mount(wrong['path'] ?? '', new RouteCollection()), RouteDefinitionError)
    assert.throws(
      () => routes.group({ path: '/a' }, (group) => group.get('x', '/x', answer, { ...wrong, requirements: wrong })),
      RouteDefinitionError,
    )
  })

  it('is refused for an invalid method', () => {
    assert.throws(
      () => new RouteCollection().add({ name: 'x', path: '/', methods: ['GE T'], handler: answer }),
      /not an HTTP method/,
    )
  })
})

describe('Route on the definitions of the vectors', () => {
  interface Definition extends VectorRoute {
    readonly outcome: {
      readonly ok?: true
      readonly path?: string
      readonly methods?: string[]
      readonly schemes?: string[]
      readonly variables?: string[]
    }
  }
  const { definitions } = readVectors<{ definitions: readonly Definition[] }>('definitions.json')

  for (const { outcome, options, requirements = {}, ...parts } of definitions) {
    it(`${outcome.ok === true ? 'cleans' : 'refuses'} ${parts.path} ${JSON.stringify(requirements)}`, () => {
      const texts = Object.fromEntries(Object.entries(requirements).map(([name, text]) => [name, vectorText(text)]))
      const make = (): Route => new Route({ ...parts, ...options, requirements: texts, handler: answer })
      if (outcome.ok !== true) assert.throws(make, RouteDefinitionError)
      else {
        const { path, methods, schemes, paramNames } = make()
        assert.deepEqual({ ok: true, path, methods, schemes, variables: paramNames }, outcome)
      }
    })
  }
})
