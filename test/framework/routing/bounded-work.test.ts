import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { RouteStep } from '../../../src/http/kernel/route-step.ts'
import { cutText } from '../../../src/base/redact/cut-text.ts'
import { explainMatch, rankMisses } from '../../../src/routing/match-trace.ts'
import { RouteCollection } from '../../../src/routing/route-collection.ts'
import { RouteEntry, addToTree, TreeNode, findMatches } from '../../../src/routing/route-tree.ts'
import { compileExpression, isWholeMatch, maxSteps } from '../../../src/routing/program.ts'
import { UrlMatcher } from '../../../src/routing/url-matcher.ts'
import { exchangeOf, LineList } from '../../support/exchange.ts'
import { fc } from '../../support/fast-check.ts'
import { startApp } from '../../support/running-app.ts'
import { randomRoute, tableOf } from './support/random-tables.ts'
import { makeContext } from './support/vectors.ts'
import { noModifiers } from '../../support/node-features.ts'

const answer = (): Response => new Response()

// Expressions of published advisories, or of their kind, that take a backtracking engine minutes and more, each with what to repeat.
const dangerous: readonly (readonly [source: string, unit: string, end?: string])[] = [
  ['(a+)+', 'a'],
  ['(?:a|a)*b', 'a'],
  ['(?:a|aa)+', 'a'],
  ['(?:a*)*b', 'a'],
  ['(?:a+)*b', 'a'],
  ['(?:a?){30}b', 'a'],
  ['(?:a|ab|b)*c', 'ab'],
  ['(?:\\w+\\s?)+!', 'a'],
  ['([^/]+?)-([^/]+?)-([^/]+?)x', '-'],
  ['(?:[a-zA-Z0-9_.-]+)*@', 'a'],
  ['(?:\\d+\\.?)+x', '1'],
  ['\\d+\\d+x', '1'],
  ['(?:[^.]+\\.?)+z', 'a'],
  ['(?:-?\\w+)*#', 'a'],
  ['\\s*(?:[a-z]+\\s*)*,', 'a'],
  ['.*a.*a.*b', 'a'],
  ['(?:[^/]+/?)+', 'a', '//'],
  ['(.*,){3}P', ','],
  ['(.*,){12}P', ','],
  ['.*.*.*=.*', 'a'],
  ['.*.*.*.*=', '=', '!'],
  ['(?=(?:a+)+b)a+c', 'a'],
  ['(?!(?:a+)+$)\\w+', 'a', '!'],
  ['(?<=(?:a+)+b)c', 'a'],
  ['(?i:(?:a|A)+)x', 'a'],
  ['(?:a{1,4}){400}b', 'a'],
  ['(?:a{0,30}){0,30}b', 'a'],
  ['(?:x+x+)+y', 'x'],
  ['(?:x+)+y', 'x'],
  ['(?:[a-z]+)*[0-9]', 'a'],
  ['([a-z]+)+[^/]?z1', 'a'],
  ['(?:a|b|ab)*c', 'ab'],
  ['(?:(?:a)*)*b', 'a'],
  ['(?:(?:ab)?){40}c', 'ab'],
  ['\\w*\\w*\\w*\\w*!', 'a'],
  ['(?:\\w|\\d)+!', '1'],
  ['(?:a{1,2})*b', 'a'],
  ['(?:a{2,3})+b', 'a'],
  ['(?:aa|aaa)+b', 'a'],
  ['^(?:[a-z]|[a-y])*z1$', 'a'],
  ['[^@/]+@[^@/]+\\.[^@/]+', 'a@'],
  ['(?:[\\w-]+\\.)+[\\w-]+@', 'a.'],
  ['(?:/[a-z]+|/\\w+)*!', '/a'],
  ['(?:.|a)*b!', 'a'],
  ['(?:a|.)+?b!', 'a'],
  ['(?:a+?)+?b', 'a'],
  ['(?:(?:(?:a+)+)+)+b', 'a'],
  ['(?:a*a*)*b', 'a'],
  ['(?:a?a?a?)*b', 'a'],
  ['a*a*a*a*a*a*b', 'a'],
  ['(?:\\.?\\w+)+@', 'a'],
  ['(?:[a-f0-9]{1,4}:?)+!', 'a1'],
  ['(?:(?:\\d+,)?\\d+)+!', '1'],
  ['(?:ab*)*c', 'ab'],
  ['(?:a|(?:b|c))*d', 'abc'],
  ['(?:é|é)+b', 'é'],
  ['(?:\\p{L}|é)+!', 'é'],
  ['(?:\\p{L}+\\p{M}*)+!', 'a'],
  ['(?:[^/]*/)*x', '/a'],
  ['(?:(?=a)a|a)*b', 'a'],
]

const everyday: readonly (readonly [source: string, value: string])[] = [
  ['\\d+', '42'],
  ['.+', 'a/b'],
  ['.*', ''],
  ['[^/]+', 'a b'],
  ['\\w+', 'tea'],
  ['[a-z0-9-]+', 'green-tea'],
  ['[a-z0-9]+(?:-[a-z0-9]+)*', 'green-tea-2'],
  ['[a-z0-9-]+(?:/[a-z0-9-]+)*', 'a/b-c'],
  ['(?:red|green)+', 'redgreen'],
  ['en|fr|de', 'fr'],
  ['[a-z]{2}(?:[-_][A-Z]{2})?', 'de-AT'],
  ['\\d{4}-\\d{2}-\\d{2}', '2026-11-22'],
  ['\\d{4}/\\d{1,2}', '2026/7'],
  ['[a-z]+\\.[a-z]+', 'a.b'],
  ['[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}', '01234567-89ab-cdef-0123-456789abcdef'],
  ['[0-7][0-9A-HJKMNP-TV-Z]{25}', '01ARZ3NDEKTSV4RRFFQ69G5FAV'],
  ['(?!admin)[a-z]+', 'shop'],
  ['(?:v\\d+\\.)?\\w+', 'v1.x'],
  ['v?\\d+\\.\\d+(?:\\.\\d+)?', 'v1.2.3'],
  ['[0-9a-z]{10,16}', '0123456789ab'],
  ['[a-f0-9]{40}', 'a'.repeat(40)],
  ['[\\w.-]+', 'read.me'],
  ['[^/]+\\.(?:jpe?g|png|webp)', 'tea.jpeg'],
  ['.+\\.html?', 'a/b.htm'],
  ['[A-Z]{3}\\d{4}', 'ABC1234'],
  ['[1-9]\\d*', '10'],
  ['-?\\d+(?:\\.\\d+)?', '-1.5'],
  ['[^@/]+@[^@/]+\\.[^@/]+', 'a@b.c'],
  ['(?:[^/]+/)*[^/]+', 'a/b/c'],
  ['0x[\\dA-Fa-f]+', '0xFF'],
]

describe('a requirement that a backtracking engine takes very long for', () => {
  it('is looked at in enough forms', () => assert.equal(dangerous.length, 60))

  for (const [source, unit, end = ''] of dangerous) {
    const skip = source.startsWith('(?i:') && noModifiers
    it(`takes steps in proportion to the length: ${source}`, { skip }, () => {
      const program = compileExpression(source)
      const stepsFor = (count: number): number => {
        const budget = { steps: 1e9 }
        assert.equal(isWholeMatch(program, unit.repeat(count) + end, budget), isMatching(source, unit, end))
        return 1e9 - budget.steps
      }
      const [short, long] = [stepsFor(2000), stepsFor(4000)]
      assert.ok(long < short * 2.2 + 50, `${short} steps, then ${long}`)
    })

    it(`is accepted, and does not hold up a path of 8 KB: ${source}`, () => {
      const routes = new RouteCollection().get('a', `/z/{x<${source}>}/{y}`, answer, { utf8: true })
      const path = `/z/${unit.repeat(8000 / unit.length)}`
      assert.ok(['not_found', 'redirect', 'match'].includes(new UrlMatcher(routes).find(makeContext({ path })).kind))
    })
  }
})

describe('an everyday requirement', () => {
  for (const [source, value] of everyday) {
    it(`is accepted: ${source}`, () => {
      const routes = new RouteCollection().get('a', '/a/{x}', answer, { requirements: { x: source } })
      const result = new UrlMatcher(routes).find(makeContext({ path: `/a/${encodeURI(value)}` }))
      assert.ok(result.kind === 'match')
      assert.equal(result.params['x'], value)
    })
  }
})

describe('a path whose parameters can take each other’s characters', () => {
  for (const pattern of [
    '/{a}{b}{c}',
    '/z/{a}{b}{c}',
    '/{a}{b}{c}{d}',
    '/{a<\\w+>}_{b<\\w+>}_{c<\\w+>}',
    '/{a}x{b}x{c}',
    '/w{w}{x}{y<y|Y>}{z}.{_format}',
    '/{a<.+>}/{b<.+>}/end',
    '/{a<.+>}/{b<.+>}/{c<.+>}/end',
    '/{a<\\w+>}{b<\\w+>}{c<\\w+>}!',
    '/{a}{b}{c}{d}{e}!',
    '/{a<(?:a|bb)+>}{b<(?:a|bb)+>}{c<(?:a|bb)+>}!',
    '/{a<.*>?x}{b<.*>?x}{c<.*>?x}',
  ]) {
    for (const unit of ['a', 'x', '_', '/', 'a/', '.', 'wy']) {
      it(`is refused in proportion to its length: ${pattern} on ${unit}${unit}…`, () => {
        const routes = new RouteCollection().get('a', pattern, answer)
        const [short, long] = [1000, 2000].map((length) =>
          stepsOf(routes, `/${unit.repeat(length / unit.length)}//!/!`),
        )
        assert.ok(short !== undefined && long !== undefined && long < short * 2.2 + 50, `${short} steps, then ${long}`)
      })
    }
  }

  it('matches where it fits, however long it is', () => {
    const routes = new RouteCollection().get('three', '/three/{a<.+>}/{b<.+>}/{c<.+>}/end', answer)
    const result = new UrlMatcher(routes).find(makeContext({ path: `/three/${'a/'.repeat(5_000)}end` }))
    assert.ok(result.kind === 'match')
    assert.deepEqual([result.params['b'], result.params['c']], ['a', 'a'])
  })
})

describe('the work for one request', () => {
  it('is bounded for any table and any path', () => {
    const tables = fc.array(randomRoute, { minLength: 200, maxLength: 200 }).map(tableOf)
    const unit = fc.constantFrom('a', 'ab', 'a/', '/', '//', '.', 'a.', '-', '1', 'x.y', 'new', 'abc', 'é', 'a-b/')
    const start = fc.constantFrom('/', '/a', '/ab/', '/a/b/', '/new/', '/v', '/x.y/')
    fc.assert(
      fc.property(tables, start, unit, fc.integer({ min: 1, max: 8192 }), (routes, begin, repeated, length) => {
        const path = begin + repeated.repeat(Math.ceil(length / repeated.length))
        assert.ok(stepsOf(routes, path) <= maxSteps + 100)
        const result = new UrlMatcher(routes).find(makeContext({ path }))
        assert.ok(['match', 'not_found', 'redirect', 'method_not_allowed'].includes(result.kind))
      }),
      { numRuns: 40 },
    )
  })

  it('ends in no match, and says so, where it would be too much', () => {
    // At each character this looks at the rest of the path.
    const routes = new RouteCollection().get('a', '/{x<(?:(?!.*end).)+>}/{y}', answer).get('b', '/{x<.+>}', answer)
    const result = new UrlMatcher(routes).find(makeContext({ path: `/${'a'.repeat(8000)}` }))
    assert.deepEqual({ ...result }, { kind: 'not_found', isCutShort: true })
    const short = new UrlMatcher(routes).find(makeContext({ path: `/${'a'.repeat(80)}` }))
    assert.equal(short.kind === 'match' && short.route.name, 'b')
  })

  it('is bounded for its explanation too', () => {
    const routes = new RouteCollection()
    for (let index = 0; index < 200; index += 1) routes.get(`r${index}`, `/{a}{b}{c}{d}x${index}`, answer)
    const context = makeContext({ path: `/${'a'.repeat(8000)}` })
    const steps = explainMatch(routes, context)
    assert.equal(rankMisses(steps, context, { limit: 10 }).length, 10)
  })

  it('does not keep others waiting over HTTP', async () => {
    const routes = new RouteCollection().get('slow', '/z/{a}{b}{c}{d}!', answer).get('home', '/', answer)
    await using app = await startApp({ routes })
    const [slow, home] = await Promise.all([app.send({ target: `/z/${'a'.repeat(8000)}` }), app.send({ target: '/' })])
    assert.deepEqual([slow.status, home.status], [404, 200])
  })

  it('is one line in the log where it was stopped', () => {
    const routes = new RouteCollection().get('a', '/{x<(?:(?!.*end).)+>}/{y}', answer)
    const step = new RouteStep(new UrlMatcher(routes))
    const sink = new LineList()
    const found = step.find(exchangeOf({ path: `/${'a'.repeat(8000)}` }, sink))
    assert.ok(typeof found !== 'function' && found.kind === 'not_found')
    assert.deepEqual(
      sink.lines.map(({ level, channel, message, context }) => [level, channel, message, context?.['path']]),
      [
        [
          'warn',
          'router',
          'The search for a route for {method} {path} took too long and was stopped: no route matched.',
          cutText(`/${'a'.repeat(8000)}`, 200),
        ],
      ],
    )
  })
})

/** How many steps the search for every route that takes a path needs. */
function stepsOf(routes: RouteCollection, path: string): number {
  const root = new TreeNode('')
  for (const [order, route] of routes.all().entries()) addToTree(root, new RouteEntry(route, order))
  const budget = { steps: maxSteps }
  findMatches(root, path, budget)
  return maxSteps - budget.steps
}

/** What the expression says of a short repetition, which is long enough to tell. */
function isMatching(source: string, unit: string, end: string): boolean {
  return new RegExp(`^(?:${source})$`, 'su').test(unit.repeat(6) + end)
}
