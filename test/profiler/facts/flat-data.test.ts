import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { FlatReader, FlatWriter } from '../../../src/profiler/facts/flat-data.ts'
import { fc } from '../../support/fast-check.ts'

const strings = fc.string({ unit: 'binary' })
const written = fc.oneof(
  fc.double().map((value) => ['figure', value] as const),
  fc.option(fc.string({ unit: 'grapheme-ascii' })).map((value) => ['string', value] as const),
  strings.map((value) => ['anyString', value] as const),
  fc.tuple(fc.nat(2), fc.constantFrom('', 'a', 'b', '€')).map((value) => ['repeated', value] as const),
  fc.array(strings).map((value) => ['strings', value] as const),
  fc.array(fc.double()).map((value) => ['figures', value] as const),
  fc.constantFrom(null, Object.freeze({ a: 1 }), ['b'], new Map([[1, 2]])).map((value) => ['other', value] as const),
)

describe('FlatReader', () => {
  it('reads in another thread what was written, in its order', () => {
    fc.assert(
      fc.property(fc.array(written, { maxLength: 60 }), (values) => {
        const writer = new FlatWriter()
        for (const [kind, value] of values) {
          if (kind === 'figure') writer.figure(value)
          else if (kind === 'string') writer.string(value)
          else if (kind === 'anyString') writer.anyString(value)
          else if (kind === 'repeated') writer.repeated(...value)
          else if (kind === 'strings') writer.strings(value)
          else if (kind === 'figures') writer.figures(value)
          else writer.other(value)
        }
        const reader = new FlatReader(structuredClone(writer.take()))
        for (const [kind, value] of values) {
          if (kind === 'repeated') assert.equal(reader.repeated(value[0]), value[1])
          else assert.deepEqual(kind === 'anyString' ? reader.text() : reader[kind](), value)
        }
      }),
    )
  })

  it('takes more than it has room for at first, and begins anew each time', () => {
    const writer = new FlatWriter()
    const many = Array.from({ length: 20_000 }, (_, index) => index / 3)
    for (const figures of [[1], many, [2, 3]]) {
      writer.figures(figures)
      writer.anyString('text')
      const reader = new FlatReader(structuredClone(writer.take()))
      assert.deepEqual(reader.figures(), figures)
      assert.equal(reader.text(), 'text')
      assert.throws(() => reader.figure(), RangeError)
    }
  })

  it('copies the same thing twice in a row once', () => {
    const writer = new FlatWriter()
    const shared = { code: 'EUR' }
    writer.other(shared)
    writer.other(null)
    writer.other(shared)
    assert.equal(writer.take().others.length, 1)
  })

  it('keeps the text narrow where a single string is not', () => {
    const writer = new FlatWriter()
    writer.anyString('plain')
    writer.anyString('€')
    assert.equal(writer.take().text, 'plain')
  })

  it('refuses to read more than was written', () => {
    assert.throws(() => new FlatReader(new FlatWriter().take()).figure(), RangeError)
  })
})
