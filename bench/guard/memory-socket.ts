// A connection in memory: a server reads requests from it and writes its responses into it, without a system call between
// them. What is left is the work of Node and of the server, which is what the guard counts.

import { Duplex } from 'node:stream'

/** One connection that stays open. A client that waits for each answer before it asks again. */
export class MemorySocket extends Duplex {
  readonly remoteAddress = '127.0.0.1'
  #request: Buffer = Buffer.alloc(0)
  #left = 0
  #done: () => void = () => undefined

  /** Sends the same request so many times; settles when the last answer is there. */
  ask(request: string, times: number): Promise<void> {
    this.#request = Buffer.from(request)
    this.#left = times
    return new Promise((resolve) => {
      this.#done = resolve
      this.#next()
    })
  }

  override _read(): void {
    // Requests come when an answer is there.
  }

  override _write(_chunk: unknown, _encoding: string, callback: () => void): void {
    callback()
    this.#next()
  }

  override _writev(_chunks: unknown, callback: () => void): void {
    callback()
    this.#next()
  }

  /** Parts of a socket that a server asks for. */
  setTimeout(): this {
    return this
  }

  setNoDelay(): this {
    return this
  }

  setKeepAlive(): this {
    return this
  }

  #next(): void {
    if (this.#left === 0) this.#done()
    else {
      this.#left -= 1
      setImmediate(() => this.push(this.#request))
    }
  }
}
