import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fc } from '../../support/fast-check.ts'
import type { Verdict } from '../../../src/analysis/compare/read-runs.ts'
import { compareRuns, isWorse, rankDeviation, routeChanges } from '../../../src/analysis/compare/read-runs.ts'
import type { ProfileGroup, ProfileGroups } from '../../../src/profiles/profile-store.ts'
import { groupProfiles } from '../../../src/profiles/query/group-profiles.ts'
import { makeProfile } from '../../support/profiles.ts'

/** A group whose samples all have its figures: what differs is never chance. */
function group(key: string | null, parts: Partial<ProfileGroup> = {}): ProfileGroup {
  const figures = {
    key,
    count: 100,
    errorCount: 0,
    p50Ms: 10,
    p95Ms: 20,
    ownCpuP50Ms: 2,
    meanQueries: 3,
    lastTime: 0,
    lastToken: 'aaaaaaaaaa',
    lastMessage: null,
    strip: [],
    ...parts,
  }
  const { count, p50Ms, p95Ms, ownCpuP50Ms, meanQueries, errorCount } = figures
  const samples = Array.from({ length: count }, (_, index) => ({
    durationMs: index < count * 0.8 ? p50Ms : p95Ms,
    ownCpuMs: ownCpuP50Ms,
    queryCount: meanQueries,
    isError: index < errorCount,
  }))
  return { ...figures, samples }
}

function groups(...all: readonly ProfileGroup[]): ProfileGroups {
  return { by: 'route', groups: all, count: all.reduce((sum, { count }) => sum + count, 0), isCut: false, omitted: 0 }
}

function verdictsOf(run: Partial<ProfileGroup>, base: Partial<ProfileGroup> = {}): readonly Verdict[] {
  return compareRuns(groups(group('r', run)), groups(group('r', base)))[0]?.verdicts ?? assert.fail()
}

describe('compareRuns', () => {
  it('takes times for the same within a tenth, or 0.5 ms', () => {
    assert.deepEqual(verdictsOf({ p50Ms: 10.9 }), [])
    assert.deepEqual(verdictsOf({ p50Ms: 11 }), ['slower'])
    assert.deepEqual(verdictsOf({ p50Ms: 9 }), ['faster'])
    assert.deepEqual(verdictsOf({ p50Ms: 1.4 }, { p50Ms: 0.95 }), [])
    assert.deepEqual(verdictsOf({ ownCpuP50Ms: 2.6 }), ['more own code'])
    assert.deepEqual(verdictsOf({ ownCpuP50Ms: 1.4 }), ['less own code'])
  })

  it('judges the slowest only where there are enough profiles', () => {
    assert.deepEqual(verdictsOf({ p95Ms: 25 }), ['slower p95'])
    assert.deepEqual(verdictsOf({ p95Ms: 15 }), ['faster p95'])
    assert.deepEqual(verdictsOf({ p95Ms: 24 }), [])
    assert.deepEqual(verdictsOf({ p95Ms: 90, count: 19 }), [])
  })

  it('keeps what may be chance apart from what got worse or better', () => {
    const changeOf = (run: Partial<ProfileGroup>): string =>
      compareRuns(groups(group('r', run)), groups(group('r')))[0]?.change ?? assert.fail()
    assert.deepEqual([changeOf({ p50Ms: 20, count: 5 }), changeOf({ p50Ms: 20, count: 4 })], ['worse', 'few'])
    assert.deepEqual([changeOf({ p50Ms: 5, p95Ms: 6, count: 5 }), changeOf({ p50Ms: 5, count: 1 })], ['better', 'few'])
    assert.equal(changeOf({ count: 1 }), 'same')
  })

  it('judges statements on average, and errors as a part of all', () => {
    assert.deepEqual(verdictsOf({ meanQueries: 3.5 }), ['more queries'])
    assert.deepEqual(verdictsOf({ meanQueries: 2 }), ['fewer queries'])
    assert.deepEqual(verdictsOf({ errorCount: 20 }), ['more errors'])
    // One error of a hundred is chance.
    assert.deepEqual(verdictsOf({ errorCount: 1 }), [])
    assert.deepEqual(verdictsOf({ errorCount: 5, count: 1000 }, { errorCount: 5 }), ['fewer errors'])
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
      // Faster, but still worse.
      group('errors', { p50Ms: 5, errorCount: 50 }),
    )
    const compared = compareRuns(run, base)
    assert.deepEqual(
      compared.map(({ key, change }) => [key, change]),
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
      compared.filter(({ isFew }) => isFew).map(({ key }) => key),
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
        assert.ok(both !== undefined && routeChanges.some((one) => one === both.change))
      }),
      { numRuns: 200 },
    )
  })
})

describe('compareRuns of noisy runs', () => {
  for (let seed = 1; seed <= 20; seed++) {
    it(`finds the one route that became slower, and no other (seed ${seed})`, () => {
      const random = randomOf(seed)
      const base = noisyRun(random, 200, 0)
      const compared = compareRuns(noisyRun(random, 28, 8), base)
      const changed = compared.filter(({ change }) => change !== 'same')
      assert.deepEqual(
        changed.map(({ key, change }) => [key, change]),
        [['route 4', 'worse']],
      )
      // What is compared holds no single measurement.
      assert.ok(compared.every(({ run }) => run !== null && !('samples' in run)))
    })
  }

  it('takes five against five for a change only where all of them differ', () => {
    const changeOf = (durations: readonly number[]): string =>
      compareRuns(runOf(durations), runOf([10, 11, 12, 13, 14]))[0]?.change ?? assert.fail()
    assert.equal(changeOf([20, 21, 22, 23, 24]), 'worse')
    assert.equal(changeOf([9, 21, 22, 23, 24]), 'same')
    assert.equal(changeOf([1, 2, 3, 4, 5]), 'better')
  })

  it('sorts by the milliseconds that all requests lost', () => {
    const slow = compareRuns(
      groups(group('rare', { p50Ms: 100, count: 10 }), group('frequent', { p50Ms: 30 })),
      groups(group('rare', { count: 10 }), group('frequent')),
    )
    assert.deepEqual(
      slow.map(({ key }) => key),
      ['frequent', 'rare'],
    )
  })

  it('leaves the first requests of a route out', () => {
    const [only] = noisyRun(randomOf(1), 28, 0).groups
    assert.equal(only?.samples?.length, 23)
    assert.equal(noisyRun(randomOf(1), 8, 0).groups[0]?.samples?.length, 6)
    assert.equal(noisyRun(randomOf(1), 7, 0).groups[0]?.samples?.length, 7)
  })
})

describe('rankDeviation', () => {
  it('is 0 where nothing differs, and has the sign of what is greater', () => {
    assert.equal(rankDeviation([1, 2, 3], [1, 2, 3]), 0)
    assert.equal(rankDeviation([5, 5], [5, 5, 5]), 0)
    assert.equal(rankDeviation([], [1]), 0)
    assert.ok(rankDeviation([4, 5, 6], [1, 2, 3]) > 0)
    assert.ok(rankDeviation([1, 2, 3], [4, 5, 6]) < 0)
  })

  it('gives the textbook value, equal values too', () => {
    // U = 19.5 of 5 and 4 values with one pair of equal ones: (19.5 - 10) / sqrt(20 / 12 * (10 - 6 / 72)).
    const deviation = rankDeviation([7, 9, 11, 12, 13], [3, 4, 6, 7])
    assert.ok(Math.abs(deviation - 9.5 / Math.sqrt((20 / 12) * (10 - 6 / 72))) < 1e-9, String(deviation))
  })
})

function runOf(durations: readonly number[]): ProfileGroups {
  const profiles = durations.map((durationMs, time) => makeProfile({ route: 'r', durationMs, time, data: {} }))
  return groupProfiles(profiles.reverse(), 'route', false, { isForComparison: true })
}

/** Twelve routes with ordinary noise, pauses and a cold start; route 4 takes `slowerMs` longer. */
function noisyRun(random: () => number, count: number, slowerMs: number): ProfileGroups {
  const profiles = Array.from({ length: 12 }, (_, route) =>
    Array.from({ length: count }, (_none, index) => {
      const noise = Math.exp(0.35 * (random() + random() + random() + random() - 2) * 1.7)
      const pause = random() < 0.04 ? 2 + random() * 12 : 0
      const cold = index < 3 ? (90 * random()) / (index + 1) : 0
      const durationMs = (0.3 + route ** 1.7) * noise + pause + cold + (route === 4 ? slowerMs : 0)
      return makeProfile({ route: `route ${route}`, durationMs, ownCpuMs: durationMs * 0.4, time: index, data: {} })
    }),
  )
  return groupProfiles(profiles.flat().reverse(), 'route', false, { isForComparison: true })
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

// A tenth of the one is another length than a tenth of the other.
function isTime(verdict: Verdict): boolean {
  return verdict === 'slower' || verdict === 'faster'
}
