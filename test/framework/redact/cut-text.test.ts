import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { cutText } from '../../../src/base/redact/cut-text.ts'
import { anyCharacter, fc } from '../../support/fast-check.ts'

describe('cutText', () => {
  it('keeps short text and marks where long text was cut', () => {
    assert.equal(cutText('abc', 3), 'abc')
    assert.equal(cutText('abcdef', 3), 'abc… [3 more characters]')
  })
  it('never splits a character that takes two units', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), fc.integer({ min: 1, max: 20 }), (text, max) => {
        assert.ok(cutText(text, max).isWellFormed())
      }),
      { numRuns: 200 },
    )
  })

  it('counts what was dropped before, and leaves enormous text alone', () => {
    assert.equal(cutText('abcd', 3, 10), 'abc… [7 more characters]')
    assert.equal(cutText('******', 8, 2000), '******… [1994 more characters]')
    assert.equal(cutText('x'.repeat(40_000_000), 3), '[text of 40000000 characters, too long to be read]')
  })
})
