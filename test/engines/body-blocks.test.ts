import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { BlockPacker, unpackBody } from '../../src/engines/sqlite/body-blocks.ts'
import { fc } from '../support/fast-check.ts'

describe('BlockPacker', () => {
  it('gives every text back from the block and the place that it went to, whatever is in it', () => {
    const letters = fc.constantFrom('a', 'ü', '€', '😀', '\\n', '"')
    const text = fc
      .tuple(letters, fc.integer({ min: 1, max: 40_000 }))
      .map(([letter, length]) => JSON.stringify(letter.repeat(length)))
    const packer = new BlockPacker()
    fc.assert(
      fc.property(fc.array(text, { maxLength: 12 }), (texts) => {
        const places = [...texts.keys()]
        const blocks = packer.pack(texts, places)
        assert.deepEqual(
          blocks.flatMap((block) => block.places),
          places,
        )
        for (const { places: inBlock, data, shares } of blocks) {
          for (const [at, place] of inBlock.entries()) assert.equal(unpackBody(data, at), texts[place])
          assert.equal(unpackBody(data, inBlock.length), undefined)
          const counted = shares.reduce((sum, share) => sum + share, 0)
          assert.ok(counted >= data.byteLength && counted <= data.byteLength + inBlock.length)
        }
      }),
      { numRuns: 60 },
    )
  })

  it('packs a text that is larger than a block alone', () => {
    const texts = ['"small"', JSON.stringify('x'.repeat(200_000)), '"after"']
    const blocks = new BlockPacker().pack(texts, [0, 1, 2])
    assert.deepEqual(
      blocks.map(({ places }) => places),
      [[0], [1], [2]],
    )
    assert.equal(unpackBody(blocks[1]!.data, 0), texts[1])
  })
})
