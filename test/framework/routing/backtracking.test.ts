import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { findBacktracking } from '../../../src/framework/routing/backtracking.ts'
import { RouteDefinitionError } from '../../../src/framework/routing/definition-error.ts'
import { RouteCollection } from '../../../src/framework/routing/route-collection.ts'
import { UrlMatcher } from '../../../src/framework/routing/url-matcher.ts'
import { makeContext, matchFiles } from './support/vectors.ts'

// Expressions of published advisories, or of their kind, with the parts that matter.
const dangerous: readonly (readonly [source: string, from: string])[] = [
  ['(a+)+', 'nested repeats'],
  ['(?:a|a)*b', 'a choice of the same'],
  ['(?:a|aa)+', 'a choice that overlaps'],
  ['(?:a*)*b', 'a repeat of what may be empty'],
  ['(?:\\w+\\s?)+!', 'words with optional space'],
  ['([^/]+?)-([^/]+?)-([^/]+?)x', 'CVE-2024-45296, parameters in one segment'],
  ['(?:[a-zA-Z0-9_.-]+)*@', 'CVE-2021-3777, a host of many parts'],
  ['(?:\\d+\\.?)+x', 'a number with optional dots'],
  ['\\d+\\d+x', 'two repeats of the same in a row'],
  ['(?:[^.]+\\.?)+z', 'CVE-2017-16114, text up to an optional dot'],
  ['(?:-?\\w+)*#', 'CVE-2021-33587, optional hyphens'],
  ['\\s*(?:[a-z]+\\s*)*,', 'CVE-2022-3517, blanks around words'],
  ['.*a.*a.*b', 'several repeats of everything'],
  ['(?:[^/]+/?)+', 'segments with optional slashes'],
]

const harmless: readonly string[] = [
  '\\d+',
  '.+',
  '[a-z0-9-]+(?:/[a-z0-9-]+)*',
  '(?:red|green)+',
  'en|fr|de',
  '\\d{4}-\\d{2}-\\d{2}',
  '[a-z]+\\.[a-z]+',
  '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}',
  '(?!admin)[a-z]+',
  '(?:v\\d+\\.)?\\w+',
  '[0-9a-z]{10,16}',
]

describe('findBacktracking', () => {
  for (const [source, from] of dangerous) {
    it(`finds an input for ${source} (${from})`, () => {
      const found = findBacktracking(source)
      assert.ok(found !== null)
      assert.match(found.example, /^".+…/)
    })
  }

  for (const source of harmless) {
    it(`lets ${source} pass`, () => assert.equal(findBacktracking(source), null))
  }

  it('lets every requirement of the vectors pass', () => {
    for (const route of matchFiles().flatMap((file) => file.routes)) {
      for (const source of Object.values(route.requirements ?? {})) {
        if (typeof source === 'string' && compiles(source)) assert.equal(findBacktracking(source), null, source)
      }
    }
  })
})

describe('a route with a requirement that can backtrack badly', () => {
  it('is refused with the reason, an example and the spot', () => {
    const routes = new RouteCollection()
    assert.throws(
      () => routes.get('slow', '/slow/{words<(?:\\w+\\s?)+!>}', () => new Response()),
      (error) =>
        error instanceof RouteDefinitionError && /can take very long: .*for example on ".*…/.test(error.message),
    )
    assert.equal(routes.size, 0)
  })
})

describe('a path whose parameters can take each other’s characters', () => {
  const routes = new RouteCollection()
    .get('two', '/two/{a<.+>}/{b<.+>}/end', () => new Response())
    .get('three', '/three/{a<.+>}/{b<.+>}/{c<.+>}/end', () => new Response())
    .get('words', '/words/{a<\\w+>}{b<\\w+>}{c<\\w+>}x', () => new Response())
    .get('touching', '/touching/{a}{b}{c}{d}{e}x', () => new Response())
    .get('complex', '/complex/{a<(?:a|bb)+>}{b<(?:a|bb)+>}{c<(?:a|bb)+>}x', () => new Response())
  const matcher = new UrlMatcher(routes)

  // Each of these would take an expression for the whole path minutes to hours.
  for (const path of [
    `/two/${'/'.repeat(14_000)}`,
    `/three/${'/'.repeat(14_000)}`,
    `/three/${'a/'.repeat(7_000)}`,
    `/words/${'a'.repeat(14_000)}`,
    `/touching/${'a'.repeat(14_000)}`,
    `/complex/${'a'.repeat(14_000)}`,
  ]) {
    it(`does not match ${path.slice(0, 16)}… of ${path.length} characters`, () => {
      assert.equal(matcher.find(makeContext({ path })).kind, 'not_found')
    })
  }

  it('matches a long path that fits', () => {
    const result = matcher.find(makeContext({ path: `/three/${'a/'.repeat(5_000)}end` }))
    assert.ok(result.kind === 'match')
    assert.deepEqual([result.params['b'], result.params['c']], ['a', 'a'])
  })
})

describe('the matcher on long paths', () => {
  const routes = new RouteCollection()
    .get('number', '/n/{id<\\d+>}', () => new Response())
    .get('parts', '/p/{a}-{b}-{c}', () => new Response())
    .get('tree', '/t/{path<[a-z]+(?:/[a-z]+)*>}/end', () => new Response())
  const matcher = new UrlMatcher(routes)

  for (const unit of ['-', 'a/', '%2f', '.', 'a-', '1', '/', '%']) {
    it(`answers 14 KB of ${unit}`, () => {
      for (const start of ['/n/', '/p/', '/t/', '/']) {
        const path = start + unit.repeat(14_000 / unit.length)
        assert.ok(['not_found', 'match', 'redirect'].includes(matcher.find(makeContext({ path })).kind))
      }
    })
  }
})

function compiles(source: string): boolean {
  try {
    return new RegExp(source, 'u').unicode
  } catch {
    return false
  }
}
