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

  constructor() {
    // As a socket: text is encoded by the one who writes it to the system.
    super({ decodeStrings: false })
  }

  override _write(chunk: Chunk['chunk'], encoding: Chunk['encoding'], callback: () => void): void {
    take([{ chunk, encoding }])
    callback()
    this.#next()
  }

  override _writev(chunks: readonly Chunk[], callback: () => void): void {
    take(chunks)
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

interface Chunk {
  readonly chunk: string | Uint8Array
  readonly encoding: BufferEncoding
}

const taken = Buffer.alloc(1024 * 1024)

/** Puts bytes where those before were, as the system copies them. */
function take(chunks: readonly Chunk[]): void {
  let length = 0
  for (const { chunk, encoding } of chunks) {
    if (typeof chunk === 'string') length += taken.write(chunk, length, encoding)
    else {
      taken.set(chunk, length)
      length += chunk.byteLength
    }
  }
}
