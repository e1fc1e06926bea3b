// How much memory plain data takes, roughly.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fc } from '../../support/fast-check.ts'
import { approximateSize } from '../../../src/http/recording/approximate-size.ts'
import { makePageProfile } from '../../support/profiles.ts'

describe('approximateSize', () => {
  it('lies between half and four times the JSON of a real profile', () => {
    for (let index = 0; index < 20; index++) {
      const profile = makePageProfile(index)
      const json = JSON.stringify(profile).length
      const size = approximateSize(profile)
      assert.ok(size > json / 2 && size < json * 4, `${size} for ${json} bytes of JSON`)
    }
  })

  it('never counts less for more text, and never throws on JSON values', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string(), (value, text) => {
        assert.ok(approximateSize([value, text]) >= approximateSize([value, '']))
      }),
      { numRuns: 200 },
    )
  })

  it('stops at its limit', () => {
    assert.equal(approximateSize({ text: 'x'.repeat(1000) }, 500), 500)
    assert.equal(
      approximateSize(
        Array.from({ length: 100_000 }, () => 'x'),
        500,
      ),
      500,
    )
  })

  it('ends on a cycle and on great depth', () => {
    const cycle: { self?: unknown } = {}
    cycle.self = cycle
    assert.ok(approximateSize(cycle) < 10_000)
    let deep: unknown = 'end'
    for (let depth = 0; depth < 10_000; depth++) deep = { deep }
    assert.ok(approximateSize(deep) < 10_000)
  })
})
