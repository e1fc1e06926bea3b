// Sizes and cursors of pages.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as fc from 'fast-check'
import { cursorAfter, pageLimit, seqOfCursor } from '../../src/engines/profile-page.ts'

describe('seqOfCursor', () => {
  it('reads what cursorAfter wrote', () => {
    fc.assert(fc.property(fc.nat(), (seq) => assert.equal(seqOfCursor(cursorAfter(seq)), seq)))
  })

  it('takes any text for malformed that is no cursor, without throwing', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const seq = seqOfCursor(text)
        assert.ok(seq === undefined || (Number.isSafeInteger(seq) && /^p[0-9a-z]{1,10}$/.test(text)))
      }),
    )
  })
})

describe('pageLimit', () => {
  it('answers a whole number from 1 to 200, whatever is asked for', () => {
    fc.assert(
      fc.property(fc.option(fc.double(), { nil: undefined }), (limit) => {
        const result = pageLimit(limit)
        assert.ok(Number.isInteger(result) && result >= 1 && result <= 200)
      }),
    )
    assert.equal(pageLimit(undefined), 25)
    assert.equal(pageLimit(50), 50)
  })
})
