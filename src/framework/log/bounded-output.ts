// Writes lines to a stream that may be slow, full or gone, with a bound on what waits for it.

import type { Writable } from 'node:stream'

/** Writes without ever blocking or throwing; counts what is lost. */
export class BoundedOutput {
  readonly #stream: Writable
  readonly #maxPendingBytes: number
  readonly #onError = (): void => {
    this.#dropped += 1
  }
  #dropped = 0

  constructor(stream: Writable, maxPendingBytes: number) {
    this.#stream = stream
    this.#maxPendingBytes = maxPendingBytes
    // Without a listener a closed pipe ends the process with EPIPE.
    stream.on('error', this.#onError)
  }

  /** Lines lost so far. */
  get dropped(): number {
    return this.#dropped
  }

  /** Writes text of one line or of several. */
  write(text: string, lines = 1): void {
    const stream = this.#stream
    if (stream.destroyed || !stream.writable || stream.writableLength > this.#maxPendingBytes) {
      this.#dropped += lines
      return
    }
    try {
      stream.write(text)
    } catch {
      this.#dropped += lines
    }
  }

  /** Lets go of the stream once nothing waits any more, or after the time; writing afterwards is at the writer's risk. */
  async close(timeoutMs: number): Promise<void> {
    await this.flush(timeoutMs)
    this.#stream.off('error', this.#onError)
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
