// Keeps the beginning of what arrives of a request's body, while the application reads it.

import type { IncomingMessage } from 'node:http'
import { defineOwn } from './own-property.ts'

/** Bytes of one body that are kept at most. */
const maxBytes = 64 * 1024

export class BodyTap {
  bytes: Uint8Array = new Uint8Array(0)
  readBytes = 0
  isComplete = false

  constructor(request: IncomingMessage) {
    const { push } = request
    defineOwn(request, 'push', (chunk: unknown, encoding?: BufferEncoding): boolean => {
      if (chunk === null) this.isComplete = true
      else if (chunk instanceof Uint8Array) this.#take(chunk)
      return push.call(request, chunk, encoding)
    })
  }

  #take(chunk: Uint8Array): void {
    this.readBytes += chunk.byteLength
    const left = maxBytes - this.bytes.byteLength
    if (left > 0) this.bytes = Buffer.concat([this.bytes, chunk.subarray(0, left)])
  }
}
