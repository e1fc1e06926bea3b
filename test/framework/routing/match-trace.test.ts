import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { explainMatch, rankMisses, type TraceStep } from '../../../src/routing/match-trace.ts'
import { RouteCollection } from '../../../src/routing/route-collection.ts'
import { RuleCounts, writeForJavaScript } from './support/vector-rules.ts'
import { collectionOf, makeContext, readVectors } from './support/vectors.ts'
import type { MatchFile } from './support/vectors.ts'

type Line = readonly [route: string, level: string, text: string]

/** One request of the traces. */
interface TraceRequest {
  readonly collection: string
  readonly method: string
  readonly scheme: 'http' | 'https'
  readonly host: string
  readonly path: string
  readonly traces: readonly Line[]
}

describe('explainMatch', () => {
  const { requests } = readVectors<{ requests: readonly TraceRequest[] }>('traces.json')
  const rules = new RuleCounts()

  it('says of each route what the original says', (context) => {
    assert.equal(requests.length, 178)
    for (const request of requests) {
      const file = readVectors<MatchFile>(request.collection)
      const routes = collectionOf(file.routes.map((route) => writeForJavaScript(route, rules)))
      const explain = (path: string): Line[] => linesOf(explainMatch(routes, contextOf(request, path)))
      const expected = refuseMalformed(request, routes, keepInnerSlash(request, explain, request.traces))
      assert.deepEqual(explain(request.path), refuseCapitalHosts(request, routes, expected), JSON.stringify(request))
    }
    context.diagnostic(`deliberate differences: ${rules}`)
  })

  it('names the parameter that failed its requirement', () => {
    const routes = new RouteCollection().get('item', '/items/{id<\\d+>}', () => new Response())
    const [step] = explainMatch(routes, makeContext({ path: '/items/abc' }))
    assert.equal(step?.reason, 'requirement')
    assert.equal(step?.param, 'id')
  })

  it('names the path of the locale', () => {
    const routes = new RouteCollection().get(
      'about',
      { en: '/{_locale}/about', fr: '/{_locale}/a-propos' },
      () => new Response(),
    )
    assert.deepEqual(linesOf(explainMatch(routes, makeContext({ path: '/en/a-propos' }))), [
      ['about.en', 'no', 'Path "/en/about" does not match'],
      ['about.fr', 'no', 'Path "/fr/a-propos" does not match'],
    ])
  })

  it('tells a condition apart from a path that differs', () => {
    const routes = new RouteCollection().get('beta', '/beta', () => new Response(), { condition: () => false })
    const [step] = explainMatch(routes, makeContext({ path: '/beta' }))
    assert.equal(step?.reason, 'condition')
  })

  it('stops at the route that takes the request', () => {
    const routes = new RouteCollection().get('one', '/{x}', () => new Response()).get('two', '/a', () => new Response())
    assert.deepEqual(linesOf(explainMatch(routes, makeContext({ path: '/a' }))), [['one', 'match', 'Route matches!']])
  })

  it('says no of every route for a path that cannot be decoded', () => {
    const routes = new RouteCollection().get('one', '/{x}', () => new Response())
    assert.equal(explainMatch(routes, makeContext({ path: '/%' }))[0]?.level, 'no')
  })

  /** The traced original finds hosts written in capitals, the compiled one does not; here both are the compiled one. */
  function refuseCapitalHosts(
    request: TraceRequest,
    routes: RouteCollection,
    expected: readonly Line[],
  ): readonly Line[] {
    const at = expected.findIndex(
      ([name]) => /^[^{]*[A-Z][^{]*$/.test(routes.route(name)?.host ?? '') && fits(request, routes, name),
    )
    if (at < 0) return expected
    rules.count('hosts in capitals never match')
    const host = request.host.toLowerCase()
    const own = routes.route(expected[at]?.[0] ?? '')
    const line: Line = [own?.key ?? '', 'almost', `Host "${host}" does not match the requirement ("${own?.host}")`]
    const rest = routes.all().slice(at + 1)
    return [...expected.slice(0, at), line, ...linesOf(explainMatch(rest, contextOf(request, request.path)))]
  }

  function keepInnerSlash(
    request: TraceRequest,
    explain: (path: string) => readonly Line[],
    expected: readonly Line[],
  ): readonly Line[] {
    if (!/%2f/i.test(request.path)) return expected
    rules.count('%2F stays inside its segment')
    return explain(request.path.replaceAll(/%2f/gi, '%C7%82'))
  }

  function refuseMalformed(request: TraceRequest, routes: RouteCollection, expected: readonly Line[]): readonly Line[] {
    if (!/%(?![0-9a-f]{2})/i.test(request.path)) return expected
    rules.count('malformed encoding matches nothing')
    return routes.all().map((route) => [route.key, 'no', `Path "${route.path}" does not match`])
  }
})

describe('rankMisses', () => {
  const answer = (): Response => new Response()
  const routes = new RouteCollection()
    .get('far', '/completely/else', answer)
    .get('typo', '/prodcuts/12', answer)
    .get('number', '/products/{id<[a-z]+>}', answer)
    .add({ name: 'host', path: '/products/12', host: 'other.test', handler: answer })
    .post('create', '/products/12', answer)

  it('puts the wrong method first, then host, requirement and likeness', () => {
    const context = makeContext({ path: '/products/12' })
    const names = rankMisses(explainMatch(routes, context), context).map((step) => step.route.name)
    assert.deepEqual(names, ['create', 'host', 'number', 'typo', 'far'])
  })

  it('leaves out the route that matched', () => {
    const context = makeContext({ method: 'POST', path: '/products/12' })
    const names = rankMisses(explainMatch(routes, context), context).map((step) => step.route.name)
    assert.ok(!names.includes('create'))
  })
})

function fits(request: TraceRequest, routes: RouteCollection, name: string): boolean {
  return routes.route(name)?.path.replace(/\/$/, '') === request.path.replace(/\/$/, '')
}

function contextOf({ method, scheme, host }: TraceRequest, path: string): ReturnType<typeof makeContext> {
  return makeContext({ method, scheme, host: host.toLowerCase(), path })
}

function linesOf(steps: readonly TraceStep[]): Line[] {
  return steps.map((step) => [step.route.key, step.level, step.text])
}
