// Says of a text that is searched often whether a part can be in it at all: three bytes in a row that occur nowhere in the text
// rule out every part that holds them. A Bloom filter of one hash: it never rules out what is there.

/** Bytes of a filter: two of them share a page of the database. */
const filterBytes = 2000
const bits = filterBytes * 8

/** Which three bytes in a row occur in a text. */
export function trigramFilter(text: Uint8Array): Uint8Array {
  const filter = new Uint8Array(filterBytes)
  for (let index = 2; index < text.length; index += 1) {
    const bit = bitOf(text, index)
    filter[bit >> 3]! |= 1 << (bit & 7)
  }
  return filter
}

/** The bits that a part needs: it is not in a text whose filter lacks one. None for a part of less than three bytes. */
export function trigramBits(part: Uint8Array): readonly number[] {
  const needed = new Set<number>()
  // A part longer than this is found by what it begins with, or not at all.
  const end = Math.min(part.length, 64)
  for (let index = 2; index < end; index += 1) needed.add(bitOf(part, index))
  return [...needed]
}

/** Whether the text of a filter may hold the part that needs these bits. */
export function mayHold(filter: Uint8Array, needed: readonly number[]): boolean {
  return needed.every((bit) => ((filter[bit >> 3] ?? 0xff) & (1 << (bit & 7))) !== 0)
}

/** The bit for the three bytes that end at an index. */
function bitOf(text: Uint8Array, index: number): number {
  const three = (text[index - 2]! << 16) | (text[index - 1]! << 8) | text[index]!
  return (Math.imul(three, 0x9e3779b1) >>> 0) % bits
}
