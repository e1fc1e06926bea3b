// Bytes of texts, short and long, whole and broken.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fc } from '../../support/fast-check.ts'
import { byteLength } from '../../../src/framework/http/byte-length.ts'

describe('byteLength', () => {
  it('counts as Buffer.byteLength does, at every length', () => {
    const piece = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('a', 'ä', '€', '😀', '\ud800', '\udc00'))
    fc.assert(
      fc.property(piece, fc.nat({ max: 2000 }), piece, (repeated, times, end) => {
        const text = repeated.repeat(times) + end
        assert.equal(byteLength(text), Buffer.byteLength(text))
      }),
      { numRuns: 200 },
    )
  })

  it('counts texts about the longest that it writes', () => {
    for (const length of [65_535, 65_536, 65_537]) {
      assert.equal(byteLength('€'.repeat(length)), length * 3)
      assert.equal(byteLength('a'.repeat(length)), length)
    }
  })
})
