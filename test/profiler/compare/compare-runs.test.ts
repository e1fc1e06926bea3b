import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fc } from '../../support/fast-check.ts'
import { compareRuns, isWorse, routeChanges, type Verdict } from '../../../src/profiler/compare/compare-runs.ts'
import type { ProfileGroup, ProfileGroups } from '../../../src/profiler/profile-store.ts'

function group(key: string | null, parts: Partial<ProfileGroup> = {}): ProfileGroup {
  return {
    key,
    count: 100,
    errorCount: 0,
    p50Ms: 10,
    p95Ms: 20,
    p99Ms: 30,
    maxMs: 40,
    ownCpuP50Ms: 2,
    meanQueries: 3,
    lastTime: 0,
    lastToken: 'aaaaaaaaaa',
    ...parts,
  }
}

function groups(...all: readonly ProfileGroup[]): ProfileGroups {
  return { by: 'route', groups: all, count: all.reduce((sum, { count }) => sum + count, 0), isCut: false, omitted: 0 }
}

function verdictsOf(run: Partial<ProfileGroup>, base: Partial<ProfileGroup> = {}): readonly Verdict[] {
  return compareRuns(groups(group('r', run)), groups(group('r', base)))[0]?.verdicts ?? assert.fail()
}

describe('compareRuns', () => {
  it('takes times for the same within a tenth, or 0.2 ms', () => {
    assert.deepEqual(verdictsOf({ p50Ms: 10.9 }), [])
    assert.deepEqual(verdictsOf({ p50Ms: 11 }), ['slower'])
    assert.deepEqual(verdictsOf({ p50Ms: 9 }), ['faster'])
    assert.deepEqual(verdictsOf({ p50Ms: 0.3 }, { p50Ms: 0.15 }), [])
    assert.deepEqual(verdictsOf({ ownCpuP50Ms: 2.3 }), ['more-own-code'])
    assert.deepEqual(verdictsOf({ ownCpuP50Ms: 1.7 }), ['less-own-code'])
  })

  it('judges the slowest only where there are enough profiles', () => {
    assert.deepEqual(verdictsOf({ p95Ms: 25 }), ['slower-tail'])
    assert.deepEqual(verdictsOf({ p95Ms: 15 }), ['faster-tail'])
    assert.deepEqual(verdictsOf({ p95Ms: 24 }), [])
    assert.deepEqual(verdictsOf({ p95Ms: 90, count: 19 }), [])
  })

  it('keeps what may be chance apart from what got worse or better', () => {
    const changeOf = (run: Partial<ProfileGroup>): string =>
      compareRuns(groups(group('r', run)), groups(group('r')))[0]?.change ?? assert.fail()
    assert.deepEqual([changeOf({ p50Ms: 20, count: 5 }), changeOf({ p50Ms: 20, count: 4 })], ['worse', 'few'])
    assert.deepEqual([changeOf({ p50Ms: 5, count: 5 }), changeOf({ p50Ms: 5, count: 1 })], ['better', 'few'])
    assert.equal(changeOf({ count: 1 }), 'same')
  })

  it('judges statements on average, and errors as a part of all', () => {
    assert.deepEqual(verdictsOf({ meanQueries: 3.5 }), ['more-queries'])
    assert.deepEqual(verdictsOf({ meanQueries: 2 }), ['fewer-queries'])
    assert.deepEqual(verdictsOf({ errorCount: 1 }), ['more-errors'])
    assert.deepEqual(verdictsOf({ errorCount: 5, count: 1000 }, { errorCount: 5 }), ['fewer-errors'])
    assert.deepEqual(verdictsOf({ errorCount: 50, count: 1000 }, { errorCount: 5 }), [])
  })

  it('says nothing of what a side does not know', () => {
    assert.deepEqual(verdictsOf({ ownCpuP50Ms: null, meanQueries: null }), [])
    assert.deepEqual(verdictsOf({}, { ownCpuP50Ms: null, meanQueries: null }), [])
  })

  it('begins with what got worse by most milliseconds, then better, then one-sided; what is the same comes last', () => {
    const base = groups(
      group('same'),
      group('worse', { p50Ms: 10 }),
      group('much worse', { p50Ms: 100 }),
      group('better'),
      group('much better', { p50Ms: 100 }),
      group('gone', { count: 2 }),
      group('errors'),
    )
    const run = groups(
      group('same'),
      group('worse', { p50Ms: 20 }),
      group('much worse', { p50Ms: 150 }),
      group('better', { p50Ms: 5 }),
      group('much better', { p50Ms: 10 }),
      group(null),
      group('new'),
      // Faster, and all the same worse.
      group('errors', { p50Ms: 5, errorCount: 50 }),
    )
    const compared = compareRuns(run, base)
    assert.deepEqual(
      compared.map(({ route, change }) => [route, change]),
      [
        ['much worse', 'worse'],
        ['worse', 'worse'],
        ['errors', 'worse'],
        ['much better', 'better'],
        ['better', 'better'],
        [null, 'only-run'],
        ['new', 'only-run'],
        ['gone', 'only-base'],
        ['same', 'same'],
      ],
    )
    assert.deepEqual(
      compared.filter(({ isFew }) => isFew).map(({ route }) => route),
      ['gone'],
    )
  })

  it('has nothing to say of two empty runs', () => {
    assert.deepEqual(compareRuns(groups(), groups()), [])
  })

  it('finds the opposite when the sides are exchanged', () => {
    const side = fc.record({
      count: fc.integer({ min: 1, max: 50 }),
      p50Ms: fc.double({ min: 0, max: 1e5, noNaN: true }),
      meanQueries: fc.option(fc.integer({ min: 0, max: 100 }), { nil: null }),
    })
    fc.assert(
      fc.property(side, side, (one, other) => {
        const forth = verdictsOf(one, other).filter((verdict) => !isTime(verdict))
        const back = verdictsOf(other, one).filter((verdict) => !isTime(verdict))
        assert.deepEqual(
          forth.map(isWorse),
          back.map((verdict) => !isWorse(verdict)),
        )
        const [both] = compareRuns(groups(group('r', one)), groups(group('r', other)))
        assert.ok(both !== undefined && routeChanges.includes(both.change))
      }),
      { numRuns: 200 },
    )
  })
})

// A tenth of the one is another length than a tenth of the other.
function isTime(verdict: Verdict): boolean {
  return verdict === 'slower' || verdict === 'faster'
}
