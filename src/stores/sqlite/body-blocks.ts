// Bodies of profiles, several of them compressed as one: requests of one time resemble each other, so that together they take
// a third of the room and a tenth of the time. A block that is damaged takes all its profiles with it, so it stays small.

import { isAscii } from 'node:buffer'
import type * as nodeZlib from 'node:zlib'

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

/** Costs nothing for a text that V8 holds with a byte for each character. */
const beyondLatin1 = /[^\0-\u00ff]/

/** Packs the bodies of one batch after another, each text when it comes: nothing has to be kept of it. */
export class BlockPacker {
  /** Written anew for each block; what does not fit gets memory of its own. */
  readonly #buffer = Buffer.allocUnsafeSlow(maxBlockBytes)
  #blocks: BodyBlock[] = []
  #places: number[] = []
  #lengths: number[] = []
  #bytes = 0

  /** Takes the body of the profile at a place of the batch: one line of JSON. Places come in their order. */
  add(place: number, text: string): void {
    if (this.#append(place, text)) return
    this.#close()
    if (this.#append(place, text)) return
    const whole = Buffer.from(text)
    this.#blocks.push(blockOf([place], [whole.byteLength], compress(whole)))
  }

  /** The blocks of what was added, and begins anew. */
  finish(): readonly BodyBlock[] {
    this.#close()
    const blocks = this.#blocks
    this.#blocks = []
    return blocks
  }

  #append(place: number, text: string): boolean {
    const room = maxBlockBytes - this.#bytes - separator.length
    const length = this.#writeAscii(text, room) ?? this.#writeAny(text, room)
    if (length === undefined) return false
    this.#bytes += length
    this.#bytes += this.#buffer.write(separator, this.#bytes)
    this.#places.push(place)
    this.#lengths.push(length + separator.length)
    return true
  }

  /** Copies a text that is ASCII, as JSON nearly always is, which takes a tenth of the time that UTF-8 does. Its bytes, or `undefined`. */
  #writeAscii(text: string, room: number): number | undefined {
    if (text.length > room || beyondLatin1.test(text)) return undefined
    const length = this.#buffer.write(text, this.#bytes, 'latin1')
    return isAscii(this.#buffer.subarray(this.#bytes, this.#bytes + length)) ? length : undefined
  }

  #writeAny(text: string, room: number): number | undefined {
    return Buffer.byteLength(text) > room ? undefined : this.#buffer.write(text, this.#bytes)
  }

  #close(): void {
    if (this.#places.length === 0) return
    this.#blocks.push(blockOf(this.#places, this.#lengths, compress(this.#buffer.subarray(0, this.#bytes))))
    this.#places = []
    this.#lengths = []
    this.#bytes = 0
  }
}

/** The JSON of the body at a place of a block, counted from 0; `undefined` where there is none. Throws for a damaged block: it carries a checksum. */
export function unpackBody(block: Uint8Array, place: number): string | undefined {
  const lines = zlib().zstdDecompressSync(block, { maxOutputLength: maxUnpackedBytes })
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
  const { constants, zstdCompressSync } = zlib()
  return zstdCompressSync(bytes, {
    params: { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 },
    // Lets the encoder take tables of the right size, which halves its time.
    pledgedSrcSize: bytes.byteLength,
  })
}

/** Loaded with the first block: a store that keeps no profiles has none. */
function zlib(): typeof nodeZlib {
  return process.getBuiltinModule('node:zlib')
}
