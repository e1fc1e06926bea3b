import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { EpochText } from '../../src/log/epoch-text.ts'
import { fc } from '../support/fast-check.ts'

describe('EpochText', () => {
  it('writes any times, in any order, as String() does', () => {
    const near = fc.tuple(
      fc.constantFrom(0, 1_763_814_000_000, 1_763_814_001_000),
      fc.integer({ min: -2000, max: 2000 }),
    )
    const time = fc.oneof(
      near.map(([base, more]) => base + more),
      fc.integer({ min: -8.64e15, max: 8.64e15 }),
    )
    fc.assert(
      fc.property(fc.array(time, { maxLength: 20 }), (times) => {
        const texts = new EpochText()
        assert.deepEqual(
          times.map((atMs) => texts.of(atMs)),
          times.map(String),
        )
      }),
    )
  })
})
