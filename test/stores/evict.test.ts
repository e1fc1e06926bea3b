import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fc } from '../support/fast-check.ts'
import { evict, longerShare, type Evictable, type KeepingClass, type Totals } from '../../src/profiles/stores/evict.ts'

interface Kept extends Evictable {
  readonly name: KeepingClass
}

const profiles = fc.array(
  fc.record({ name: fc.constantFrom<KeepingClass>('ordinary', 'longer'), bytes: fc.integer({ min: 1, max: 100 }) }),
  { minLength: 1, maxLength: 60 },
)

function run(all: readonly Kept[], maxCount: number, maxBytes: number, maxAgeMs = 1e9): readonly Kept[] {
  const of = (name: KeepingClass): readonly Kept[] => all.filter((one) => one.name === name)
  const { upTo, totals } = evict({
    oldest: { ordinary: of('ordinary').values(), longer: of('longer').values() },
    totals: { ordinary: sumOf(of('ordinary')), longer: sumOf(of('longer')) },
    bounds: { maxCount, maxBytes, maxAgeMs },
    newestSeq: all.at(-1)?.seq ?? 0,
    now: 1000,
  })
  const left = all.filter(({ name, seq }) => seq > (upTo[name] ?? 0))
  for (const name of ['ordinary', 'longer'] as const) {
    assert.deepEqual(totals[name], sumOf(left.filter((one) => one.name === name)))
  }
  return left
}

function sumOf(some: readonly Kept[]): Totals {
  return { count: some.length, bytes: some.reduce((sum, { bytes }) => sum + bytes, 0) }
}

function numbered(some: readonly { readonly name: KeepingClass; readonly bytes: number }[]): readonly Kept[] {
  return some.map(({ name, bytes }, index) => ({ name, bytes, seq: index + 1, time: index }))
}

describe('evict', () => {
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

  it('looks at a profile no further than to find one that stays', () => {
    let asked = 0
    const endless = function* (): Generator<Evictable, undefined> {
      for (let seq = 1; ; seq++) {
        asked += 1
        yield { seq, bytes: 10, time: 1000 }
      }
    }
    const oldest = { ordinary: endless(), longer: endless() }
    const totals = { ordinary: { count: 100, bytes: 1000 }, longer: { count: 0, bytes: 0 } }
    evict({ oldest, totals, bounds: { maxCount: 98, maxBytes: 1e9, maxAgeMs: 1e9 }, newestSeq: 100, now: 1000 })
    assert.ok(asked <= 4, `${asked} were read`)
  })
})
