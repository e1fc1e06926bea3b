import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { addressPath, anyCharacter, fc } from '../../support/fast-check.ts'
import { InvalidParamError } from '../../../src/routing/errors.ts'
import { explainMatch } from '../../../src/routing/match-trace.ts'
import type { MatchResult } from '../../../src/routing/url-matcher.ts'
import { RouteCollection } from '../../../src/routing/route-collection.ts'
import { Route } from '../../../src/routing/route.ts'
import { suggestFrom } from '../../../src/routing/suggest-routes.ts'
import { UrlGenerator } from '../../../src/routing/url-generator.ts'
import { UrlMatcher } from '../../../src/routing/url-matcher.ts'
import { nearPath, randomRoute, requestParts, tableOf } from './support/random-tables.ts'
import type { RandomRoute } from './support/random-tables.ts'
import { makeContext } from './support/vectors.ts'

const tables = fc.array(randomRoute, { minLength: 1, maxLength: 40 }).map(tableOf)

const smallTables = fc.array(randomRoute, { minLength: 1, maxLength: 8 }).map(tableOf)

describe('UrlMatcher on random tables', () => {
  it('answers as its routes would one by one', () => {
    const requests = fc.array(fc.tuple(nearPath, requestParts), { minLength: 10, maxLength: 20 })
    fc.assert(
      fc.property(tables, requests, (routes, asked) => {
        const matcher = new UrlMatcher(routes, { redirects: false })
        const alone = routes.all().map((route) => new UrlMatcher(only(route), { redirects: false }))
        // Routes without parameters go first, which a path with two slashes at its end can tell.
        for (const [path, parts] of asked.filter(([sent]) => !sent.endsWith('//'))) {
          const context = makeContext({ ...parts, path })
          const answers = alone.map((one) => one.find(context))
          const match = answers.find((answer) => answer.kind === 'match')
          const allow = new Set(answers.flatMap((answer) => (answer.kind === 'method_not_allowed' ? answer.allow : [])))
          const expected =
            match ?? (allow.size > 0 ? { kind: 'method_not_allowed', allow: [...allow].sort() } : { kind: 'not_found' })
          const result = matcher.find(context)
          const found = result.kind === 'method_not_allowed' ? { ...result, allow: result.allow.toSorted() } : result
          assert.deepEqual(flat(found), match === undefined ? expected : flat(match), `${parts.method} ${path}`)
        }
      }),
      { numRuns: 150 },
    )
  })

  it('agrees with the trace on the route that takes a request', () => {
    fc.assert(
      fc.property(tables, nearPath, requestParts, (routes, path, parts) => {
        const context = makeContext({ ...parts, path })
        const taken = explainMatch(routes, context).find((step) => step.level === 'match')
        const result = new UrlMatcher(routes, { redirects: false }).find(context)
        // Fixed paths go before all others, so a slash too many can make a difference only there.
        if (result.kind === 'match' && !path.endsWith('//')) assert.equal(taken?.route.name, result.route.name)
      }),
      { numRuns: 150 },
    )
  })

  it('never throws, whatever is sent, and never leads to another host', () => {
    const anything = fc
      .oneof(fc.string({ unit: anyCharacter }), fc.string(), nearPath, addressPath)
      .map((path) => `/${path}`)
    fc.assert(
      fc.property(
        smallTables,
        anything,
        fc.string(),
        fc.string({ unit: anyCharacter }),
        (routes, path, method, host) => {
          const context = makeContext({ path, method, host })
          const result = new UrlMatcher(routes).find(context)
          if (result.kind === 'redirect') assert.doesNotMatch(result.location, /^(?:\/[/\\]|[^/h]|.*[\r\n])/s)
          suggestFrom(explainMatch(routes, context), context)
        },
      ),
      { numRuns: 100 },
    )
  })
})

it('UrlGenerator on random tables: makes URLs that lead back to the route and its parameters', () => {
  const values = fc.array(
    fc.oneof(fc.constantFrom('a', 'ab', '12', 'x'), fc.string({ unit: 'grapheme', minLength: 1 })),
    {
      minLength: 4,
      maxLength: 4,
    },
  )
  let checked = 0
  fc.assert(
    fc.property(randomRoute, values, (definition, given) => {
      const routes = tableOf([{ ...definition, isConditional: false, host: '', schemes: [], methods: [] }])
      const [route] = routes
      assert.ok(route !== undefined)
      const params = Object.fromEntries(route.paramNames.map((name, index) => [name, given[index]]))
      const url = make(() => new UrlGenerator(routes, { scheme: 'http', host: 'a.test' }).generate('r0', params))
      if (url === null) return
      const result = new UrlMatcher(routes).find(makeContext({ path: url, host: 'a.test' }))
      // The check of the generator does not look at case and at what is around a value.
      const isExact = route.paramNames.every((name) => isExactValue(route.requirements[name], String(params[name])))
      if (!isExact || isAmbiguous(definition) || given.some((value) => /[/.-]/.test(value))) return
      checked += 1
      assert.equal(result.kind, 'match', url)
      assert.deepEqual(flat(result), { kind: 'match', route: 'r0', params: { ...route.defaults, ...params } }, url)
    }),
    { numRuns: 200 },
  )
  assert.ok(checked > 20)
})

function only({ parts }: Route): RouteCollection {
  const routes = new RouteCollection()
  routes.replaceAll([new Route(parts)])
  return routes
}

/** Parameters that touch, stand beside letters, may be empty or hold slashes can be read in more than one way. */
function isAmbiguous({ path, requirement }: RandomRoute): boolean {
  if (['.+', '.*', '[^/]*', '[a-z/]+'].includes(requirement)) return true
  return /\}\{|[a-z]\{|\}[a-z]|\}[.-]\{|\}\.x/.test(path) || path.includes('//')
}

function isExactValue(requirement: string | undefined, value: string): boolean {
  return requirement === undefined || new RegExp(`^(?:${requirement})$`, 'su').test(value)
}

function make(url: () => string): string | null {
  try {
    return url()
  } catch (error) {
    assert.ok(error instanceof InvalidParamError)
    return null
  }
}

function flat(result: MatchResult): object {
  if (result.kind === 'match') return { kind: 'match', route: result.route.name, params: { ...result.params } }
  return result.kind === 'redirect' ? { ...result, route: result.route.name } : { ...result }
}
