// Sizes and cursors of pages.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fc } from '../support/fast-check.ts'
import { cursorOf, pageLimit, rangeOf } from '../../src/stores/profile-keeping.ts'

describe('rangeOf', () => {
  it('reads what cursorOf wrote', () => {
    fc.assert(
      fc.property(fc.nat({ max: 1e6 }), fc.nat({ max: 1e6 }), (after, newerThan) => {
        const range = rangeOf({ after: cursorOf(after), newerThan: cursorOf(newerThan) }, 1e6)
        assert.deepEqual(range, { above: newerThan, below: after })
      }),
    )
  })

  it('is everything without a cursor, and ends at the newest', () => {
    assert.deepEqual(rangeOf({}, 7), { above: 0, below: 8 })
    assert.deepEqual(rangeOf({ after: cursorOf(100) }, 7), { above: 0, below: 8 })
  })

  it('begins from the beginning where the store was emptied since', () => {
    assert.deepEqual(rangeOf({ newerThan: cursorOf(100) }, 7), { above: 0, below: 8 })
    assert.deepEqual(rangeOf({ newerThan: cursorOf(7) }, 7), { above: 7, below: 8 })
  })

  it('takes any text for malformed that is not a cursor, without throwing', () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom('after', 'newerThan'), (text, name) => {
        const range = rangeOf({ [name]: text }, 5)
        assert.equal(range !== undefined, /^p[0-9a-z]{1,10}$/.test(text))
      }),
    )
  })
})

it('pageLimit: answers a whole number from 1 to 200, whatever is asked for', () => {
  fc.assert(
    fc.property(fc.option(fc.double(), { nil: undefined }), (limit) => {
      const result = pageLimit(limit)
      assert.ok(Number.isInteger(result) && result >= 1 && result <= 200)
    }),
  )
  assert.equal(pageLimit(undefined), 25)
  assert.equal(pageLimit(50), 50)
})
