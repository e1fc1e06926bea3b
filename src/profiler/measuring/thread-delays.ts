// How long this thread was ready to run while the system ran something else. Linux tells; elsewhere nothing is known.

import { closeSync, openSync, readSync } from 'node:fs'

export class ThreadDelays {
  readonly #text = Buffer.alloc(64)
  #file: number | null | undefined

  /** Milliseconds since the thread began; 0 where the system does not say. */
  read(): number {
    try {
      if (this.#file === undefined) {
        this.#file = null
        this.#file = openSync('/proc/thread-self/schedstat', 'r')
      }
      if (this.#file === null) return 0
      const length = readSync(this.#file, this.#text, 0, this.#text.length, 0)
      return Number(this.#text.toString('latin1', 0, length).split(' ')[1]) / 1e6
    } catch {
      return 0
    }
  }

  close(): void {
    if (typeof this.#file === 'number') closeSync(this.#file)
    this.#file = null
  }
}
