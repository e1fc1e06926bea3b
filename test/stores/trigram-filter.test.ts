import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { mayHold, trigramBits, trigramFilter } from '../../src/stores/sqlite/trigram-filter.ts'
import { fc } from '../support/fast-check.ts'

describe('trigramFilter', () => {
  it('never rules out a part that is there', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(300), fc.nat(100), (text, from, length) =>
        mayHold(trigramFilter(text), trigramBits(text.subarray(from, from + length))),
      ),
      { numRuns: 200 },
    )
  })

  it('rules out words that are not there, also in a thousand addresses', () => {
    const urls = Array.from({ length: 1024 }, (_, index) => `http://127.0.0.1:8000/orders/${index * 977}?page=${index}`)
    const filter = trigramFilter(Buffer.from(urls.join('\0')))
    for (const part of ['nowhere', 'orders/79x', '?sort', 'invoices', 'zqz'])
      assert.equal(mayHold(filter, trigramBits(Buffer.from(part))), false, part)
    for (const part of ['orders/', '8000/orders/977', 'r', '', '?page=17'])
      assert.equal(mayHold(filter, trigramBits(Buffer.from(part))), true, part)
  })

  it('asks nothing of a part that is shorter than three bytes', () => {
    assert.deepEqual(trigramBits(Buffer.from('zq')), [])
  })
})
