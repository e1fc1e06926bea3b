// Writes lines to a stream that may be slow, full or gone, with a bound on what waits for it.

import type { Writable } from 'node:stream'

/** Writes without ever blocking or throwing; counts what is lost. */
export class BoundedOutput {
  readonly #stream: Writable
  readonly #maxPendingBytes: number
  #dropped = 0

  constructor(stream: Writable, maxPendingBytes: number) {
    this.#stream = stream
    this.#maxPendingBytes = maxPendingBytes
    // Without a listener a closed pipe ends the process with EPIPE.
    stream.on('error', () => {
      this.#dropped += 1
    })
  }

  /** Lines lost so far. */
  get dropped(): number {
    return this.#dropped
  }

  write(line: string): void {
    const stream = this.#stream
    if (stream.destroyed || !stream.writable || stream.writableLength > this.#maxPendingBytes) {
      this.#dropped += 1
      return
    }
    try {
      stream.write(line)
    } catch {
      this.#dropped += 1
    }
  }

  /** Settles when nothing waits any more, when the stream is gone, or after the time. */
  flush(timeoutMs: number): Promise<void> {
    const stream = this.#stream
    if (stream.destroyed || stream.writableLength === 0) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = setTimeout(finish, timeoutMs)
      stream.once('close', finish)
      // An empty write ends after all that were begun before it.
      stream.write('', finish)
      function finish(): void {
        clearTimeout(timer)
        stream.off('close', finish)
        resolve()
      }
    })
  }
}
