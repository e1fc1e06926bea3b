// Lines of the log that wait to be written, as bytes: text that waits would be copied by each collection of young objects.

/** Bytes that lines may take; only a long one gets more. */
const usualBytes = 65_536

/** Lines, one behind the other. */
export class LineBytes {
  #bytes: Buffer = Buffer.allocUnsafe(usualBytes)
  #length = 0

  /** Whether it is time to write them. */
  get isFull(): boolean {
    return this.#length > usualBytes / 2
  }

  /** Adds text, with what is invisible escaped. */
  add(text: string): void {
    let count = this.#write(text)
    // One byte a character is ASCII, of which JSON does not escape the last one.
    if (count !== text.length || text.includes('\u007f')) count = this.#write(escapeInvisible(text))
    this.#length += count
  }

  /** What was added; nothing is left. A copy, because a slow stream keeps it for a time. */
  take(): Buffer {
    const taken = Buffer.from(this.#bytes.subarray(0, this.#length))
    this.#length = 0
    if (this.#bytes.length > usualBytes) this.#bytes = Buffer.allocUnsafe(usualBytes)
    return taken
  }

  /** Behind what was added. Gives the number of bytes; a character has three at most. */
  #write(text: string): number {
    const needed = this.#length + text.length * 3
    if (needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(needed * 2)
      this.#bytes.copy(larger, 0, 0, this.#length)
      this.#bytes = larger
    }
    return this.#bytes.write(text, this.#length)
  }
}

// U+007F–9F, U+2028/9 and the bidirectional controls. JSON escapes U+0000–1F itself.
const invisible = /[\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/g

/** Text without characters that nobody sees: `\u202e`, as in JSON. */
function escapeInvisible(text: string): string {
  return text.replace(invisible, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
