import { fc } from '../../support/fast-check.ts'
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { compareNumbers, medianNumbers } from '../../../src/analysis/compare/compare.ts'
import type { Comparison, NumberDifference } from '../../../src/analysis/compare/compare.ts'
import { numbersOf, type ProfileNumbers, spanTimes } from '../../../src/analysis/compare/profile-numbers.ts'
import { makePageProfile, makeProfile } from '../../support/profiles.ts'

const span = (id: number, parentId: number | null, name: string, startMs: number, durationMs: number | null) => ({
  id,
  parentId,
  name,
  kind: 'internal' as const,
  category: 'app',
  startMs,
  durationMs,
  status: 'unset' as const,
  attributes: {},
})

const name = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor')
const spans = fc.array(
  fc.record({
    id: fc.nat(20),
    parentId: fc.option(fc.nat(20)),
    name,
    category: fc.constant('app'),
    startMs: fc.double({ min: 0, max: 100, noNaN: true }),
    durationMs: fc.option(fc.double({ min: 0, max: 100, noNaN: true })),
  }),
  { maxLength: 12 },
)
const profile = fc
  .record({
    durationMs: fc.double({ min: 0, max: 1000, noNaN: true }),
    spans,
    bytes: fc.option(fc.nat(10_000)),
    headers: fc.array(fc.tuple(name, fc.string()), { maxLength: 5 }),
    groups: fc.array(
      fc.record({ system: name, text: name, count: fc.nat(9), totalMs: fc.double({ min: 0, max: 9, noNaN: true }) }),
      { maxLength: 4 },
    ),
    isFailed: fc.boolean(),
  })
  .map(({ durationMs, spans: all, bytes, headers, groups, isFailed }) =>
    makeProfile({
      durationMs,
      data: {
        time: { spans: all, droppedSpans: 0 },
        request: { headers, responseHeaders: headers, bytes },
        ...(isFailed ? {} : { database: { queries: [], groups, findings: [], dropped: 0 } }),
        notes: isFailed ? [{ source: 'collector database', message: 'failed: Error: no' }] : [],
      },
    }),
  )

function section(comparison: Comparison, wanted: string): Comparison['sections'][number] {
  const found = comparison.sections.find((one) => one.name === wanted)
  assert.ok(found)
  return found
}

describe('compareNumbers', () => {
  it('finds no difference between a profile and itself', () => {
    fc.assert(
      fc.property(profile, (one) => assert.equal(compareNumbers(numbersOf(one), numbersOf(one)).differenceCount, 0)),
      { numRuns: 100 },
    )
  })

  it('turns every sign, and added and removed, when the sides are exchanged', () => {
    const turned = { added: 'removed', removed: 'added', multiplied: 'multiplied', changed: 'changed' } as const
    fc.assert(
      fc.property(profile, profile, (one, other) => {
        const there = compareNumbers(numbersOf(one), numbersOf(other))
        const back = compareNumbers(numbersOf(other), numbersOf(one))
        assert.equal(there.differenceCount, back.differenceCount)
        for (const [index, part] of there.sections.entries()) {
          const opposite = back.sections[index]
          if (part.kind !== 'numbers' || opposite?.kind !== 'numbers') continue
          for (const difference of part.differences) {
            const same: NumberDifference | undefined = opposite.differences.find(
              (candidate) => candidate.name === difference.name,
            )
            assert.equal(same?.change, turned[difference.change])
            assert.deepEqual(
              same.numbers.map(({ delta }) => delta + 0),
              difference.numbers.map(({ delta }) => 0 - delta),
            )
          }
        }
      }),
      { numRuns: 100 },
    )
  })

  it('compares any profiles, of this version or another', () => {
    const odd = makeProfile({
      data: { time: null, database: 'x', 'http-client': [], request: { headers: 1 }, notes: 3 },
    })
    const { sections } = compareNumbers(numbersOf(odd), numbersOf(makePageProfile(1)))
    assert.match(
      section({ sections, differenceCount: 0, parting: null }, 'spans').missing ?? '',
      /^A does not have it: another version/,
    )
    JSON.stringify(sections)
  })

  it('tells added, removed, multiplied and changed spans apart, the biggest difference first', () => {
    const sideOf = (list: readonly unknown[]): ProfileNumbers =>
      numbersOf(makeProfile({ data: { time: { spans: list, droppedSpans: 0 } } }))
    const a = sideOf([
      span(1, null, 'handler', 0, 50),
      span(2, 1, 'SELECT shop', 1, 2),
      span(3, 1, 'SELECT shop', 4, 2),
      span(4, 1, 'SELECT shop', 7, 2),
      span(5, 1, 'GET prices', 10, 30),
      span(6, null, 'same', 60, 1),
    ])
    const b = sideOf([
      span(1, null, 'handler', 0, 20),
      span(2, 1, 'SELECT shop', 1, 2),
      span(3, 1, 'template', 5, 3),
      span(4, null, 'same', 30, 1.01),
    ])
    const compared = section(compareNumbers(a, b), 'spans')
    assert.ok(compared.kind === 'numbers')
    assert.deepEqual(
      compared.differences.map(({ name: one, change, numbers }) => [one, change, numbers[0]?.delta, numbers[2]?.delta]),
      [
        ['GET prices', 'added', 30, 1],
        ['handler', 'changed', 30, 0],
        ['SELECT shop', 'multiplied', 4, 2],
        ['template', 'removed', -3, -1],
      ],
    )
    assert.deepEqual(compared.equal, ['same'])
    assert.deepEqual(compared.differences[2]?.numbers[0], { a: 6, b: 2, delta: 4, relative: 2 })
    assert.equal(compared.differences[0]?.numbers[0]?.relative, null)
  })

  it('compares bodies field by field, and says where one was not captured', () => {
    const sideOf = (body?: object): ProfileNumbers => {
      const request = { headers: [], responseHeaders: [], bytes: 1, body, responseBody: body }
      return numbersOf(makeProfile({ data: { request } }))
    }
    const facts = { state: 'kept', mediaType: 'application/json', readBytes: 9 }
    const json = (value: unknown): ProfileNumbers => sideOf({ ...facts, content: { kind: 'json', value } })
    const differences = (a: ProfileNumbers, b: ProfileNumbers): readonly unknown[] => {
      const [compared, ofResponse] = ['request-body', 'response-body'].map((name) =>
        section(compareNumbers(a, b), name),
      )
      assert.ok(compared?.kind === 'texts' && ofResponse?.kind === 'texts')
      assert.deepEqual(ofResponse.differences, compared.differences)
      return compared.differences.map(({ name: one, change, a: inA, b: inB }) => [one, change, inA, inB])
    }
    assert.deepEqual(differences(json({ a: 1, items: [{ sku: 'x' }] }), json({ items: [{ sku: 'y' }], b: null })), [
      ['a', 'added', '1', null],
      ['items[0].sku', 'changed', '"x"', '"y"'],
      ['b', 'removed', null, 'null'],
    ])
    // A member of this name is not the whole.
    assert.deepEqual(differences(json({ content: { a: 1 }, a: 2 }), json({ content: { a: 3 }, a: 2 })), [
      ['content.a', 'changed', '1', '3'],
    ])
    const off = sideOf({ ...facts, state: 'off', content: null })
    assert.deepEqual(differences(off, json([1]))[0], ['content', 'added', 'not captured', null])
    assert.deepEqual(differences(sideOf(), sideOf()), [])
    const form = (fields: readonly unknown[]): ProfileNumbers => sideOf({ ...facts, content: { kind: 'form', fields } })
    assert.deepEqual(
      differences(
        form([['q', '1']]),
        form([
          ['q', '1'],
          ['q', '2'],
        ]),
      ),
      [['q', 'changed', '1', '1\n2']],
    )
  })

  it('compares headers without what differs with every request', () => {
    const sideOf = (nonce: string, more: readonly (readonly [string, string])[]): ProfileNumbers =>
      numbersOf(
        makeProfile({
          data: {
            request: {
              headers: [],
              bytes: 1,
              responseHeaders: [
                ['Date', nonce],
                ['x-debug-token', nonce],
                ['content-security-policy', `script-src 'nonce-${nonce}'`],
                ...more,
              ],
            },
          },
        }),
      )
    const compared = section(
      compareNumbers(sideOf('1', [['ETag', '"a"']]), sideOf('2', [['vary', 'Accept']])),
      'response-headers',
    )
    assert.deepEqual(compared.differences, [
      { name: 'etag', change: 'added', a: '"a"', b: null },
      { name: 'vary', change: 'removed', a: null, b: 'Accept' },
    ])
  })
})

it('spanTimes: takes the time of the spans directly inside away once, where they overlap', () => {
  const times = spanTimes([
    span(1, null, 'outer', 0, 10),
    span(2, 1, 'inner', 1, 4),
    span(3, 1, 'inner', 3, 4),
    span(4, 2, 'deep', 1, 1),
    span(5, null, 'running', 11, null),
  ])
  assert.deepEqual(
    [...times],
    [
      ['outer', [10, 4, 1]],
      ['inner', [8, 7, 2]],
      ['deep', [1, 1, 1]],
      ['running', [0, 0, 1]],
    ],
  )
})

describe('medianNumbers', () => {
  const sideOf = (durationMs: number, header: string): ProfileNumbers =>
    numbersOf(
      makeProfile({ durationMs, data: { request: { headers: [['accept', header]], responseHeaders: [], bytes: 1 } } }),
    )

  it('takes the middle of numbers and the most frequent text', () => {
    const median = medianNumbers([sideOf(1, 'x'), sideOf(100, 'y'), sideOf(3, 'y')])
    const [summary, headers] = [median.get('summary'), median.get('request-headers')]
    assert.ok(summary instanceof Map && headers instanceof Map)
    assert.deepEqual(summary.get('duration, ms'), [3])
    assert.equal(headers.get('accept'), 'y')
  })

  it('of one profile is that profile', () => {
    fc.assert(
      fc.property(profile, (one) =>
        assert.equal(compareNumbers(numbersOf(one), medianNumbers([numbersOf(one)])).differenceCount, 0),
      ),
      { numRuns: 50 },
    )
  })

  it('is not made of nothing', () => {
    assert.throws(() => medianNumbers([]), /needs one profile/)
  })
})
