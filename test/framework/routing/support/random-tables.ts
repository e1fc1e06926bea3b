// Random route tables and requests near them, for properties.

import { fc } from '../../../support/fast-check.ts'
import { RouteCollection } from '../../../../src/routing/route-collection.ts'
import type { RouteDefinition } from '../../../../src/routing/route-definition.ts'

/** A definition that `tableOf` adds. */
export interface RandomRoute {
  readonly path: string
  readonly methods: readonly string[]
  readonly host: string
  readonly schemes: readonly string[]
  readonly defaults: readonly string[]
  readonly requirement: string
  readonly priority: number
  readonly redirect: 'safe' | 'all' | 'none'
  readonly isConditional: boolean
}

const words = ['a', 'ab', 'abc', 'b', 'new', 'list', 'a-b', 'x.y', '1', '']
const segment = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...words) },
  { weight: 4, arbitrary: fc.constant('{}') },
  { weight: 1, arbitrary: fc.constantFrom('{}.{}', '{}-{}', 'a{}', '{}b', '{}{}', '{!}', 'v{}.x') },
)

/** A route of up to four segments, with everything a route can have. */
export const randomRoute: fc.Arbitrary<RandomRoute> = fc.record({
  path: fc
    .tuple(fc.array(segment, { minLength: 1, maxLength: 4 }), fc.boolean())
    .map(([segments, hasSlash]) => `/${segments.join('/')}${hasSlash ? '/' : ''}`),
  methods: fc.subarray(['GET', 'POST', 'HEAD', 'PUT'], { maxLength: 2 }),
  host: fc.constantFrom('', '', '', '', 'a.test', '{h}.test'),
  schemes: fc.constantFrom([], [], [], [], ['https'], ['http', 'https']),
  defaults: fc.subarray(['p0', 'p1', 'p2', 'p3'], { maxLength: 3 }),
  requirement: fc.constantFrom(
    '',
    '',
    '',
    '\\d+',
    '[a-z]+',
    '.+',
    'a|ab|abc',
    '[^/]*',
    '.*',
    '[a-z/]+',
    '(?!new)[a-z]+',
  ),
  priority: fc.constantFrom(0, 0, 0, 0, 1, -1),
  redirect: fc.constantFrom('safe', 'safe', 'safe', 'all', 'none'),
  isConditional: fc.constantFrom(false, false, false, false, false, true),
})

/** A collection of random routes, named by their place. */
export function tableOf(routes: readonly RandomRoute[]): RouteCollection {
  const collection = new RouteCollection()
  for (const [index, route] of routes.entries()) collection.add(definitionOf(route, `r${index}`))
  return collection
}

function definitionOf(route: RandomRoute, name: string): RouteDefinition<string, string, ''> {
  let count = 0
  const path = route.path.replaceAll(/\{(!?)\}/g, (_all, important: string) => `{${important}p${count++}}`)
  const limited = ['p0', 'p2'].slice(0, Math.ceil(count / 2)).map((param) => [param, route.requirement])
  return {
    name,
    path,
    handler: () => new Response(),
    methods: route.methods,
    schemes: route.schemes,
    priority: route.priority,
    redirect: route.redirect,
    defaults: Object.fromEntries(route.defaults.map((param) => [param, 'dflt'])),
    ...(route.host === '' ? {} : { host: route.host }),
    ...(route.requirement === '' ? {} : { requirements: Object.fromEntries(limited) as Record<string, string> }),
    ...(route.isConditional ? { condition: ({ rawQuery }) => rawQuery === 'yes' } : {}),
  }
}

const pathPart = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...words) },
  { weight: 1, arbitrary: fc.constantFrom('%2F', '%', '%20', 'é', '%C3%A9', '..', 'dflt', '{p0}', '\\', '%00') },
)

/** A path that is likely to be near the random routes. */
export const nearPath: fc.Arbitrary<string> = fc
  .tuple(fc.array(pathPart, { maxLength: 5 }), fc.constantFrom('', '', '/', '//'))
  .map(([parts, end]) => `/${parts.join('/')}${end}`)

/** What else of a request matters. */
export const requestParts: fc.Arbitrary<{ method: string; host: string; scheme: 'http' | 'https'; query: string }> =
  fc.record({
    method: fc.constantFrom('GET', 'GET', 'HEAD', 'POST', 'PUT', 'PURGE', '', 'get'),
    host: fc.constantFrom('a.test', 'b.test', 'x.example', '[::1]', ''),
    scheme: fc.constantFrom('http', 'https'),
    query: fc.constantFrom('', 'yes'),
  })
