// Lines of the log that wait to be written, as bytes: text that waits would be copied by each collection of young objects.

import type { Writable } from 'node:stream'

/** Bytes that lines may take; only a long one gets more. */
const usualBytes = 65_536

/** Lines, one behind the other. */
export class LineBytes {
  #bytes: Buffer = Buffer.allocUnsafe(usualBytes)
  /** Used in turn with the other one, so that nothing new is needed. */
  #spare: Buffer | undefined
  #length = 0

  /** Bytes that have been added. */
  get length(): number {
    return this.#length
  }

  /** Whether it is time to write them. */
  get isFull(): boolean {
    return this.#length > usualBytes / 2
  }

  /** Adds text as it is. */
  add(text: string): void {
    const bytes = this.#withRoomFor(text.length)
    let end = this.#length
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index)
      if (code > lastAscii) {
        this.#length += bytes.write(text, this.#length)
        return
      }
      bytes[end++] = code
    }
    this.#length = end
  }

  /** Adds text as JSON, with what is invisible escaped. */
  addString(text: string): void {
    const bytes = this.#withRoomFor(text.length + 2)
    let end = this.#length
    bytes[end++] = quote
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index)
      if (code < space || code > lastAscii || code === quote || code === backslash) {
        this.add(escapeInvisible(JSON.stringify(text)))
        return
      }
      bytes[end++] = code
    }
    bytes[end++] = quote
    this.#length = end
  }

  /** Adds an object as JSON. Throws what `JSON.stringify` throws. */
  addObject(object: Readonly<Record<string, unknown>>): void {
    const start = this.#length
    let before = '{'
    for (const name of Object.keys(object)) {
      const value = object[name]
      this.add(before)
      this.addString(name)
      this.add(':')
      if (typeof value === 'string') this.addString(value)
      else if (typeof value === 'boolean' || value === null || Number.isFinite(value)) this.add(String(value))
      else {
        this.cutTo(start)
        this.add(escapeInvisible(JSON.stringify(object)))
        return
      }
      before = ','
    }
    this.add(before === '{' ? '{}' : '}')
  }

  /** Forgets what was added beyond this length. */
  cutTo(length: number): void {
    this.#length = length
  }

  /** Writes what was added, and forgets it. Throws what `write` throws. */
  writeTo(stream: Writable): void {
    const bytes = this.#bytes
    const lines = bytes.subarray(0, this.#length)
    this.#bytes = this.#spare ?? Buffer.allocUnsafe(usualBytes)
    this.#spare = undefined
    this.#length = 0
    stream.write(lines, () => {
      if (bytes.length === usualBytes) this.#spare = bytes
    })
  }

  /** A character has three bytes at most. */
  #withRoomFor(characters: number): Buffer {
    const needed = this.#length + characters * 3
    if (needed <= this.#bytes.length) return this.#bytes
    const larger = Buffer.allocUnsafe(needed * 2)
    this.#bytes.copy(larger, 0, 0, this.#length)
    this.#bytes = larger
    return larger
  }
}

const space = 0x20
const quote = 0x22
const backslash = 0x5c
const lastAscii = 0x7e

// U+007F–9F, U+2028/9 and the bidirectional controls. JSON escapes U+0000–1F itself.
const invisible = /[\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/g

/** Text without characters that nobody sees: `\u202e`, as in JSON. */
export function escapeInvisible(text: string): string {
  return text.replace(invisible, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
