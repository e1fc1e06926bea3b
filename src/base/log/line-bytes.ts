// Lines of the log that wait to be written, as bytes: text that waits would be copied by each collection of young objects.

/** Bytes that lines may take; only a long one gets more. */
const usualBytes = 65_536

/** Lines, one behind the other. */
export class LineBytes {
  #bytes: Buffer = Buffer.allocUnsafe(usualBytes)
  /** Bytes that have been added. Less forgets the last ones. */
  length = 0

  /** Whether it is time to write them. */
  get isFull(): boolean {
    return this.length > usualBytes / 2
  }

  /** Adds text as it is. */
  add(text: string): void {
    const bytes = this.#withRoomFor(text.length)
    let end = this.length
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index)
      if (code > lastAscii) {
        this.length += bytes.write(text, this.length)
        return
      }
      bytes[end++] = code
    }
    this.length = end
  }

  /** Adds text as JSON, with what is invisible escaped. */
  addString(text: string): void {
    const bytes = this.#withRoomFor(text.length + 2)
    let end = this.length
    bytes[end++] = quote
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index)
      if (code < space || code > lastAscii) return this.add(escapeInvisible(JSON.stringify(text)))
      if (code === quote || code === backslash) bytes[end++] = backslash
      bytes[end++] = code
    }
    bytes[end++] = quote
    this.length = end
  }

  /** Adds an object as JSON. Throws what `JSON.stringify` throws. */
  addObject(object: object): void {
    const start = this.length
    let before = '{'
    for (const name of Object.keys(object)) {
      const value = (object as Readonly<Record<string, unknown>>)[name]
      if (value === undefined) continue
      this.add(before)
      this.addString(name)
      this.add(':')
      if (typeof value === 'string') this.addString(value)
      else if (isConstant(value)) this.add(`${value}`)
      else if (isPlain(value)) this.addObject(value)
      else {
        this.length = start
        return this.add(escapeInvisible(JSON.stringify(object)))
      }
      before = ','
    }
    this.add(before === '{' ? '{}' : '}')
  }

  /** What was added; nothing is left. A copy, because a slow stream keeps it for a time. */
  take(): Buffer {
    const taken = Buffer.from(this.#bytes.subarray(0, this.length))
    this.length = 0
    if (this.#bytes.length > usualBytes) this.#bytes = Buffer.allocUnsafe(usualBytes)
    return taken
  }

  /** A character has three bytes at most, in JSON two. */
  #withRoomFor(characters: number): Buffer {
    const needed = this.length + characters * 3
    if (needed <= this.#bytes.length) return this.#bytes
    const larger = Buffer.allocUnsafe(needed * 2)
    this.#bytes.copy(larger, 0, 0, this.length)
    return (this.#bytes = larger)
  }
}

const space = 0x20
const quote = 0x22
const backslash = 0x5c
const lastAscii = 0x7e

/** Whether JSON has the same words for it as JavaScript. */
function isConstant(value: unknown): value is boolean | null | number {
  return typeof value === 'boolean' || value === null || Number.isFinite(value)
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}

// U+007F–9F, U+2028/9 and the bidirectional controls. JSON escapes U+0000–1F itself.
const invisible = /[\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/g

/** Text without characters that nobody sees: `\u202e`, as in JSON. */
export function escapeInvisible(text: string): string {
  return text.replace(invisible, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
