// Bytes as UTF-8, as the standard's own decoder reads them.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { TextDecoder } from 'node:util'
import { fc } from '../../support/fast-check.ts'
import { decodeUtf8 } from '../../../src/framework/http/decode-utf8.ts'

describe('decodeUtf8', () => {
  it('reads and refuses the same as a fatal TextDecoder', () => {
    const decoder = new TextDecoder('utf-8', { fatal: true })
    const expected = (bytes: Uint8Array): string | null => {
      try {
        return decoder.decode(bytes)
      } catch {
        return null
      }
    }
    const text = fc.string({ unit: 'binary' }).map((value) => Buffer.from(value))
    const mark = fc.string({ unit: 'grapheme' }).map((value) => Buffer.from(`\ufeff${value}\ufffd`))
    const any = fc.uint8Array({ max: 0xff }).map((value) => Buffer.from(value))
    const cut = text.map((bytes) => bytes.subarray(0, Math.max(0, bytes.length - 1)))
    fc.assert(
      fc.property(fc.oneof(text, mark, any, cut), (bytes) => assert.equal(decodeUtf8(bytes), expected(bytes))),
      { numRuns: 200 },
    )
  })
})
