// The body of a request that other code reads: what passes by is kept, nothing is consumed.

import type { IncomingMessage } from 'node:http'
import { RequestBody, type KeptBytes } from '../framework/http/body.ts'
import { defineOwn } from './own-property.ts'

export class TappedBody extends RequestBody {
  #bytes: Buffer = Buffer.alloc(0)
  #readBytes = 0
  #isComplete = false

  override get kept(): KeptBytes | undefined {
    if (this.#readBytes === 0) return undefined
    return { bytes: this.#bytes, readBytes: this.#readBytes, isComplete: this.#isComplete }
  }

  /** Keeps the beginning of what arrives, `maxBytes` of it. */
  tap(request: IncomingMessage, maxBytes: number): void {
    const { push } = request
    defineOwn(request, 'push', (chunk: unknown, encoding?: BufferEncoding): boolean => {
      if (chunk === null) this.#isComplete = true
      else if (chunk instanceof Uint8Array) this.#take(chunk, maxBytes)
      return push.call(request, chunk, encoding)
    })
  }

  #take(chunk: Uint8Array, maxBytes: number): void {
    this.#readBytes += chunk.byteLength
    const left = maxBytes - this.#bytes.byteLength
    if (left > 0) this.#bytes = Buffer.concat([this.#bytes, chunk.subarray(0, left)])
  }
}
