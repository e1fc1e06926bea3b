import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fc } from '../support/fast-check.ts'
import { longerShare, nextToGo, type KeepingClass, type Totals } from '../../src/stores/profile-keeping.ts'

interface Kept {
  readonly name: KeepingClass
  readonly seq: number
  readonly bytes: number
  readonly time: number
}

const profiles = fc.array(
  fc.record({ name: fc.constantFrom<KeepingClass>('ordinary', 'longer'), bytes: fc.integer({ min: 1, max: 100 }) }),
  { minLength: 1, maxLength: 60 },
)

function run(all: readonly Kept[], maxCount: number, maxBytes: number, maxAgeMs = 1e9): readonly Kept[] {
  let left = all
  for (;;) {
    const of = (name: KeepingClass): readonly Kept[] => left.filter((one) => one.name === name)
    const gone = nextToGo({
      oldest: { ordinary: of('ordinary')[0], longer: of('longer')[0] },
      totals: { ordinary: sumOf(of('ordinary')), longer: sumOf(of('longer')) },
      bounds: { maxCount, maxBytes, maxAgeMs },
      newestSeq: all.at(-1)?.seq ?? 0,
      now: 1000,
    })
    if (gone === undefined) return left
    left = left.filter(({ seq }) => seq !== gone)
  }
}

function sumOf(some: readonly Kept[]): Totals {
  return { count: some.length, bytes: some.reduce((sum, { bytes }) => sum + bytes, 0) }
}

function numbered(some: readonly { readonly name: KeepingClass; readonly bytes: number }[]): readonly Kept[] {
  return some.map(({ name, bytes }, index) => ({ name, bytes, seq: index + 1, time: index }))
}

describe('nextToGo', () => {
  it('leaves no more than the bounds allow, the newest of each class, and always the very newest', () => {
    fc.assert(
      fc.property(
        profiles,
        fc.integer({ min: 1, max: 30 }),
        fc.integer({ min: 100, max: 2000 }),
        (some, count, bytes) => {
          const all = numbered(some)
          const left = run(all, count, bytes)
          assert.ok(sumOf(left).count <= count && sumOf(left).bytes <= bytes)
          assert.equal(left.at(-1), all.at(-1))
          for (const name of ['ordinary', 'longer'] as const) {
            const own = left.filter((one) => one.name === name)
            const newest = all.filter((one) => one.name === name).slice(-own.length || Infinity)
            if (own.length > 0) assert.deepEqual(own, newest)
          }
        },
      ),
      { numRuns: 200 },
    )
  })

  it('takes nothing while all fits', () => {
    fc.assert(
      fc.property(profiles, (some) => {
        const all = numbered(some)
        assert.deepEqual(run(all, all.length, sumOf(all).bytes), all)
      }),
      { numRuns: 100 },
    )
  })

  it('leaves each class its share of the count, however many of the other there are', () => {
    fc.assert(
      fc.property(profiles, fc.integer({ min: 2, max: 30 }), (some, maxCount) => {
        const all = numbered(some)
        const left = run(all, maxCount, 1e9)
        for (const name of ['ordinary', 'longer'] as const) {
          const had = all.filter((one) => one.name === name).length
          const has = left.filter((one) => one.name === name).length
          assert.ok(has >= Math.min(had, Math.floor(maxCount * longerShare) - 1), `${name}: ${has} of ${had}`)
        }
      }),
      { numRuns: 200 },
    )
  })
})
