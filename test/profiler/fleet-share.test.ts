import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { demandClass, shareOf, type DemandClass } from '../../src/profiler/fleet-share.ts'
import { fc } from '../support/fast-check.ts'

/** What each of the processes may keep that want so much. */
function sharesOf(budget: number, demands: readonly number[]): readonly number[] {
  const classes = new Map<number, DemandClass>()
  for (const demand of demands) {
    const { processes, demand: sum } = classes.get(demandClass(demand)) ?? { processes: 0, demand: 0 }
    classes.set(demandClass(demand), { processes: processes + 1, demand: sum + demand })
  }
  return demands.map((demand) => shareOf(budget, [...classes.values()], demand))
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

const demands = fc.array(fc.oneof(fc.nat(5), fc.nat(300), fc.nat(100_000)), { minLength: 1, maxLength: 60 })
const budgets = fc.double({ min: 0.1, max: 10_000, noNaN: true })

describe('shareOf', () => {
  it('never gives more than the budget', () => {
    fc.assert(
      fc.property(budgets, demands, (budget, wanted) => {
        assert.ok(sum(sharesOf(budget, wanted)) <= budget * (1 + 1e-9))
      }),
    )
  })

  it('gives nobody less than another who wants less, and everybody an even share of what is wanted', () => {
    fc.assert(
      fc.property(budgets, demands, (budget, wanted) => {
        const ordered = wanted.toSorted((one, other) => one - other)
        const shares = sharesOf(budget, ordered)
        for (const [index, share] of shares.entries()) {
          assert.ok(share >= (shares[index - 1] ?? 0) - 1e-9)
          assert.ok(share >= Math.min(ordered[index] ?? 0, (0.97 * budget) / ordered.length) - 1e-9)
        }
      }),
    )
  })

  it('gives who wants little all of it, and those who want much the rest in equal parts', () => {
    const [quiet, loud, other] = sharesOf(100, [5, 200, 200])
    assert.equal(quiet, 5)
    assert.deepEqual([loud, other], [46, 46])
  })

  it('hands out what nobody wants, so that a burst finds room', () => {
    assert.deepEqual(sharesOf(100, [0, 0, 7]), [30, 30, 37])
    assert.deepEqual(sharesOf(100, [3]), [97])
  })

  it('lets a process in that has not reported: a tenth at most, and more than nothing', () => {
    assert.equal(shareOf(100, [], null), 10)
    assert.equal(shareOf(100, [{ processes: 19, demand: 0 }], null), 97 / 20)
    assert.equal(shareOf(100, [{ processes: 4, demand: 4000 }], null), 0.5)
  })

  it('shares between a thousand processes as between two', () => {
    const wanted = Array.from({ length: 1000 }, (_, index) => (index < 900 ? 1 : 200))
    const shares = sharesOf(2000, wanted)
    assert.equal(shares[0], 1)
    assert.ok(Math.abs((shares[999] ?? 0) - (0.97 * 2000 - 900) / 100) < 1e-9)
    assert.ok(sum(shares) <= 2000)
  })
})
