// Header fields on their way to another thread: what comes out is what went in.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { packFields, packReceived, unpackFields } from '../../../src/profiler/capture/packed-fields.ts'
import { fc } from '../../support/fast-check.ts'

/** The fields as slices of one chunk, with something between them as in a head. */
function inOneChunk(fields: readonly string[], between = ': '): readonly Buffer[] {
  const chunk = Buffer.from(`HTTP/1.1 200 OK\r\n${fields.join(between)}\r\n\r\n`, 'latin1')
  let at = 17
  return fields.map((field) => {
    const slice = chunk.subarray(at, at + field.length)
    at += field.length + between.length
    return slice
  })
}

const latin = fc.array(
  fc.string({ unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)) }),
  {
    maxLength: 20,
  },
)

describe('packReceived', () => {
  it('reads fields of one chunk, of several, and in whatever order they lie', () => {
    fc.assert(
      fc.property(latin, (fields) => {
        const [together, apart] = [inOneChunk(fields), fields.map((field) => Buffer.from(field, 'latin1'))]
        assert.deepEqual(unpackFields(packReceived(together)), fields)
        assert.deepEqual(unpackFields(packReceived(apart)), fields)
        for (const between of ['', ':', ':   '])
          assert.deepEqual(unpackFields(packReceived(inOneChunk(fields, between))), fields)
        assert.deepEqual(unpackFields(packReceived(together.toReversed())), fields.toReversed())
      }),
      { numRuns: 100 },
    )
  })

  it('reads fields that lie far apart in their chunk', () => {
    const chunk = Buffer.alloc(60_000, 'x')
    const fields = [chunk.subarray(0, 3), chunk.subarray(59_000, 59_005)]
    const packed = packReceived(fields)
    assert.deepEqual(unpackFields(packed), ['xxx', 'xxxxx'])
    assert.equal(packed.text.length, 8)
  })

  it('keeps the first hundred names and values', () => {
    const fields = Array.from({ length: 300 }, (_value, index) => String(index))
    assert.deepEqual(unpackFields(packReceived(inOneChunk(fields))), fields.slice(0, 200))
    assert.deepEqual(unpackFields(packFields(fields)), fields.slice(0, 200))
  })
})

describe('packFields', () => {
  it('keeps every text as it is, and writes what is none', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' }), { maxLength: 20 }), (fields) => {
        assert.deepEqual(unpackFields(packFields(fields)), fields)
      }),
      { numRuns: 100 },
    )
    assert.deepEqual(unpackFields(packFields(['a', 7, ['b', 'c'], undefined])), ['a', '7', 'b, c', 'undefined'])
  })
})
