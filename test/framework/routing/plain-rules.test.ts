import assert from 'node:assert/strict'
import { it } from 'node:test'
import { RouteCollection } from '../../../src/routing/route-collection.ts'
import { Route } from '../../../src/routing/route.ts'
import type { MatchResult } from '../../../src/routing/url-matcher.ts'
import { UrlMatcher } from '../../../src/routing/url-matcher.ts'
import { fc } from '../../support/fast-check.ts'
import { plainMatcher } from './support/plain-rules.ts'
import type { PlainOutcome, PlainRoute } from './support/plain-rules.ts'
import { makeContext } from './support/vectors.ts'

const requirements = [
  '.+',
  '.*',
  '.+?',
  '.+/',
  '/.*',
  '\\w+',
  '\\d+',
  '[ab]+',
  '[^/]*',
  '[^/]+?',
  '[a-z/]+',
  'a|ab|abc',
  'b|ab?',
  'a|aa',
  'x|y',
  'y|Y',
  '(?:a|b)*',
  '(?:ab?)+',
  'a{1,2}',
  '(?:[ab]{1,2}/?){1,3}',
  '(?!b)\\w+',
  '(?=.*x)[^/]+',
  '[^/]+(?<!x)',
  '\\w+\\b',
]

const piece = fc.oneof(
  { weight: 5, arbitrary: fc.constant('{}') },
  { weight: 1, arbitrary: fc.constant('{!}') },
  { weight: 4, arbitrary: fc.constant('/') },
  { weight: 2, arbitrary: fc.constantFrom('a', 'ab', 'x', 'b', 'en', '1') },
  { weight: 2, arbitrary: fc.constantFrom(...',;.:-_~+*=@|!%') },
)

/** Any order of texts, separators and parameters. */
const randomRoute = fc.record({
  pieces: fc.array(piece, { minLength: 0, maxLength: 7 }),
  requirements: fc.array(fc.option(fc.constantFrom(...requirements), { nil: '', freq: 2 }), {
    minLength: 7,
    maxLength: 7,
  }),
  defaults: fc.array(fc.boolean(), { minLength: 7, maxLength: 7 }),
  methods: fc.constantFrom<readonly string[]>([], [], [], ['GET'], ['GET'], ['POST'], ['HEAD'], ['PUT', 'GET']),
})

type RandomRoute = typeof randomRoute extends fc.Arbitrary<infer Value> ? Value : never

function routeOf({ pieces, requirements: sources, defaults, methods }: RandomRoute, name: string): PlainRoute {
  let count = 0
  const path = pieces.map((one) => (one.startsWith('{') ? one.replace('}', `p${count++}}`) : one)).join('')
  const names = Array.from({ length: count }, (_, index) => `p${index}`)
  return {
    name,
    // Symfony's two matchers differ in a path of text that ends in two slashes.
    path: `/${path.replace(/^\/+/, '')}`.replace(count === 0 ? /\/+$/ : /$^/, '/'),
    methods,
    requirements: Object.fromEntries(names.flatMap((param, at) => (sources[at] ? [[param, sources[at]]] : []))),
    defaults: Object.fromEntries(names.flatMap((param, at) => (defaults[at] === true ? [[param, 'dflt']] : []))),
  }
}

const anyPath = fc
  .array(fc.constantFrom('a', 'b', 'x', 'y', '1', 'ab', 'en', '/', '/', '/', '.', '-', '_', '!', '|', 'é', '%'), {
    maxLength: 9,
  })
  .map((parts) => `/${parts.join('')}`)

/** What may be in place of a parameter. */
const value = fc.constantFrom('a', 'b', 'ab', 'aa', 'abc', 'x', 'y', '1', '', 'a/b', '/', 'a/', 'a-b', 'x.y')

/** A path of the first route, more or less. */
function pathLike(pattern: string, values: readonly string[], end: string): string {
  let count = 0
  return pattern.replaceAll(/\{!?\w+\}/g, () => values[count++] ?? '') + end
}

const nearPaths = fc.array(
  fc.tuple(fc.array(value, { minLength: 7, maxLength: 7 }), fc.constantFrom('', '', '', '/', '//')),
  {
    minLength: 8,
    maxLength: 8,
  },
)

it('UrlMatcher beside a plain reading of the rules: gives the same outcome for any order of texts, separators and parameters', () => {
  let matched = 0
  let asked = 0
  const tables = fc.array(randomRoute, { minLength: 1, maxLength: 4 })
  const methods = fc.constantFrom('GET', 'GET', 'GET', 'POST', 'HEAD')
  fc.assert(
    fc.property(
      tables,
      nearPaths,
      fc.array(anyPath, { minLength: 8, maxLength: 8 }),
      methods,
      (table, near, any, method) => {
        const routes = table.map((route, index) => routeOf(route, `r${index}`))
        const collection = collectionOf(routes)
        const matcher = new UrlMatcher(collection)
        const plain = plainMatcher(routes)
        const paths = near.map(([values, end], index) =>
          pathLike(routes[index % routes.length]?.path ?? '', values, end),
        )
        for (const path of [...paths, ...any]) {
          const expected = withoutHead(plain(method, path))
          for (const sent of sentForms(path)) {
            const outcome = withoutHead(outcomeOf(matcher.find(makeContext({ method, path: sent }))))
            asked += 1
            matched += outcome.kind === 'match' ? 1 : 0
            assert.deepEqual(outcome, expected, `${method} ${sent} on ${JSON.stringify(routes)}`)
          }
        }
      },
    ),
    { numRuns: 1500 },
  )
  assert.ok(matched > asked / 20, `only ${matched} of ${asked} matched`)
})

function collectionOf(routes: readonly PlainRoute[]): RouteCollection {
  const collection = new RouteCollection()
  // Not by add(), which refuses paths that look like those of other routers.
  collection.replaceAll(routes.map((route) => new Route({ ...route, handler: () => new Response() })))
  return collection
}

function textsOf(params: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => {
      assert.ok(typeof value === 'string')
      return [name, value]
    }),
  )
}

function outcomeOf(result: MatchResult): PlainOutcome {
  if (result.kind === 'match') return { kind: 'match', route: result.route.name, params: textsOf(result.params) }
  if (result.kind !== 'redirect') return result
  // A path that begins with two slashes is sent with its host. What the client encoded stays encoded.
  const location = decodeURIComponent(result.location.replace(/^http:\/\/[^/]*/, ''))
  return { kind: 'redirect', route: result.route.name, location }
}

/** The path as clients may send it: with as few characters encoded as can be, some, and all but slashes. */
function sentForms(path: string): string[] {
  const encoded = (char: string): string => Buffer.from(char).toString('hex').replaceAll(/../g, '%$&')
  return [
    path.replaceAll('%', encoded),
    path.replaceAll(/[^/]/gu, (char, at: number) => (char === '%' || at % 2 === 0 ? encoded(char) : char)),
    path.replaceAll(/[^/]/gu, encoded),
  ]
}

/** This library lists HEAD wherever GET is. */
function withoutHead(outcome: PlainOutcome): PlainOutcome {
  if (outcome.kind !== 'method_not_allowed') return { ...outcome }
  return { kind: 'method_not_allowed', allow: outcome.allow.filter((method) => method !== 'HEAD') }
}
