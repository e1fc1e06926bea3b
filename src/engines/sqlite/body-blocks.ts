// Bodies of profiles, several of them compressed as one: requests of one time resemble each other, so that together they take
// a third of the room and a tenth of the time. A block that is damaged takes all its profiles with it, so it stays small.

import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'

/** What is compressed together. */
export interface BodyBlock {
  /** Places of its bodies in the batch, in their order. */
  readonly places: readonly number[]
  readonly data: Uint8Array
  /** What each of them takes of it, in bytes, by its length. */
  readonly shares: readonly number[]
}

/** Bytes of a block before it is compressed; a body that is larger is alone. */
const maxBlockBytes = 64 * 1024

/** A block larger than this when unpacked is taken for a damaged one. */
const maxUnpackedBytes = 64 * 1024 * 1024

/** No JSON holds one that is not escaped. */
const separator = '\n'

/** Packs bodies, in the order of their places. Each is one line of JSON. */
export class BlockPacker {
  /** Written anew for each block; what does not fit gets memory of its own. */
  readonly #buffer = Buffer.allocUnsafeSlow(maxBlockBytes)

  /** The blocks of some places of a batch. */
  pack(texts: readonly string[], places: readonly number[]): readonly BodyBlock[] {
    const blocks: BodyBlock[] = []
    let members: number[] = []
    let lengths: number[] = []
    let bytes = 0
    const close = (): void => {
      if (members.length > 0) blocks.push(blockOf(members, lengths, compress(this.#buffer.subarray(0, bytes))))
      members = []
      lengths = []
      bytes = 0
    }
    for (const place of places) {
      const text = texts[place] ?? ''
      let length = this.#append(text, bytes)
      if (length === 0) {
        close()
        length = this.#append(text, 0)
      }
      if (length === 0) {
        const whole = Buffer.from(text)
        blocks.push(blockOf([place], [whole.byteLength], compress(whole)))
        continue
      }
      members.push(place)
      lengths.push(length)
      bytes += length
    }
    close()
    return blocks
  }

  /** Bytes that were written, 0 where the text may not fit. */
  #append(text: string, at: number): number {
    const room = maxBlockBytes - at - separator.length
    // No character takes more than three bytes; most take one, so the exact length is asked for only near the end.
    if (text.length > room || (3 * text.length > room && Buffer.byteLength(text) > room)) return 0
    const written = this.#buffer.write(text, at)
    return written + this.#buffer.write(separator, at + written)
  }
}

/** The JSON of the body at a place of a block, counted from 0; `undefined` where there is none. Throws for a damaged block: it carries a checksum. */
export function unpackBody(block: Uint8Array, place: number): string | undefined {
  const lines = zstdDecompressSync(block, { maxOutputLength: maxUnpackedBytes })
  let from = 0
  for (let passed = 0; passed < place; passed++) {
    const end = lines.indexOf(separator, from)
    if (end < 0) return undefined
    from = end + separator.length
  }
  const end = lines.indexOf(separator, from)
  const text = lines.toString('utf8', from, end < 0 ? lines.byteLength : end)
  return text === '' ? undefined : text
}

function blockOf(places: readonly number[], lengths: readonly number[], data: Uint8Array): BodyBlock {
  const length = lengths.reduce((sum, one) => sum + one, 0)
  return { places, data, shares: lengths.map((one) => Math.ceil((data.byteLength * one) / length)) }
}

function compress(bytes: Uint8Array): Uint8Array {
  return zstdCompressSync(bytes, {
    params: { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 },
    // Lets the encoder take tables of the right size, which halves its time.
    pledgedSrcSize: bytes.byteLength,
  })
}
