// Makes tokens: short names of profiles that nobody can guess.

import { randomFillSync } from 'node:crypto'

const alphabet = '0123456789abcdefghijklmnopqrstuvwxyz'
const tokenLength = 12
/** Bytes from here on would make the first letters of the alphabet likelier: 252 is the largest multiple of 36 in a byte. */
const biasFrom = 252

/** Makes tokens from a pool of random bytes that is filled many tokens at a time. */
export class TokenSource {
  readonly #pool = Buffer.alloc(4096)
  #next = this.#pool.length

  /** `4f7k2m9qx0ab`: twelve of 36 letters, 62 bits from the system's random source. */
  create(): string {
    let token = ''
    while (token.length < tokenLength) {
      if (this.#next === this.#pool.length) {
        randomFillSync(this.#pool)
        this.#next = 0
      }
      const byte = this.#pool[this.#next] ?? biasFrom
      this.#next += 1
      if (byte < biasFrom) token += alphabet[byte % alphabet.length]
    }
    return token
  }
}
