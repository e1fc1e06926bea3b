import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { BlockPacker, unpackBody, type BodyBlock } from '../../src/stores/sqlite/body-blocks.ts'
import { fc } from '../support/fast-check.ts'

function pack(packer: BlockPacker, texts: readonly string[]): readonly BodyBlock[] {
  for (const [place, text] of texts.entries()) packer.add(place, text)
  return packer.finish()
}

describe('BlockPacker', () => {
  it('gives every text back from the block and the place that it went to, whatever is in it', () => {
    const letters = fc.constantFrom('a', 'ü', '€', '😀', '\\n', '"')
    const text = fc
      .tuple(letters, fc.integer({ min: 1, max: 40_000 }))
      .map(([letter, length]) => JSON.stringify(letter.repeat(length)))
    const packer = new BlockPacker()
    fc.assert(
      fc.property(fc.array(text, { maxLength: 12 }), (texts) => {
        const blocks = pack(packer, texts)
        assert.deepEqual(
          blocks.flatMap((block) => block.places),
          [...texts.keys()],
        )
        for (const { places, data, shares } of blocks) {
          for (const [at, place] of places.entries()) assert.equal(unpackBody(data, at), texts[place])
          assert.equal(unpackBody(data, places.length), undefined)
          const counted = shares.reduce((sum, share) => sum + share, 0)
          assert.ok(counted >= data.byteLength && counted <= data.byteLength + places.length)
        }
      }),
      { numRuns: 60 },
    )
  })

  it('packs a text that is larger than a block alone', () => {
    const texts = ['"small"', JSON.stringify('x'.repeat(200_000)), '"after"']
    const blocks = pack(new BlockPacker(), texts)
    assert.deepEqual(
      blocks.map(({ places }) => places),
      [[0], [1], [2]],
    )
    assert.equal(unpackBody(blocks[1]!.data, 0), texts[1])
  })
})
