// Puts the toolbar into a page that is sent while it is made. Holds back what may be the page's ending and nothing else:
// at most 8 KB, however long the page is.

import { Transform, type TransformCallback } from 'node:stream'
import { declaresPolicy, endingFrom, isBodyEnd, maxEndingLength, maxHeadLength } from './page-end.ts'

/** Passes a page on and adds the toolbar before its `</body>`, or at its end. */
export class ToolbarStream extends Transform {
  readonly #render: () => string
  #held: Buffer = Buffer.alloc(0)
  #head = ''

  /** `render` is called once, when the page has ended; it must not throw. */
  constructor(render: () => string) {
    // Both sides take whatever the page's own stream gives: what is no text is for the sender to refuse.
    super({ objectMode: true, highWaterMark: 4 })
    this.#render = render
  }

  override _transform(chunk: unknown, _encoding: BufferEncoding, done: TransformCallback): void {
    if (typeof chunk === 'string') this.#take(Buffer.from(chunk))
    else if (chunk instanceof Uint8Array) this.#take(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength))
    else this.push(chunk)
    done()
  }

  override _flush(done: TransformCallback): void {
    const toolbar = declaresPolicy(this.#head) ? '' : this.#render()
    const isBefore = isBodyEnd(this.#held.toString('latin1', 0, 6))
    const parts = isBefore ? [Buffer.from(toolbar), this.#held] : [this.#held, Buffer.from(toolbar)]
    for (const part of parts) this.#pass(part)
    done()
  }

  #take(chunk: Buffer): void {
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk])
    if (this.#head.length < maxHeadLength) this.#head += chunk.toString('latin1', 0, maxHeadLength)
    const windowStart = Math.max(0, bytes.length - maxEndingLength)
    // ASCII is the same in every charset that gets here, and a byte of Latin-1 is one character: places are bytes.
    const end = windowStart + endingFrom(bytes.toString('latin1', windowStart))
    this.#pass(bytes.subarray(0, end))
    this.#held = Buffer.from(bytes.subarray(end))
  }

  #pass(bytes: Buffer): void {
    if (bytes.length > 0) this.push(bytes)
  }
}
