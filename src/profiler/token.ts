// Makes tokens: short names of profiles that nobody can guess.

import { randomFillSync } from 'node:crypto'
import { tokenPattern } from './profile.ts'

const alphabet = Buffer.from('0123456789abcdefghijklmnopqrstuvwxyz')
const tokenLength = 12
/** Bytes from here on would make the first letters of the alphabet likelier: 252 is the largest multiple of 36 in a byte. */
const biasFrom = 252
/** The letter of each byte below. */
const letters = Buffer.from(Array.from({ length: biasFrom }, (_, byte) => alphabet[byte % alphabet.length] ?? 0))

/** How many bytes are made letters at a time, at first and at most. A start needs few: for more V8 would load its compiler. */
const poolBytes = { first: 128, most: 4096 } as const

/** Makes some hundred tokens at a time: letter by letter each would cost more than what else a recording begins with. */
export class TokenSource {
  #pool = Buffer.alloc(poolBytes.first / 2)
  /** The letters of the tokens to come. */
  #letters = ''
  #next = 0

  /** `4f7k2m9qx0ab`: twelve of 36 letters, 62 bits from the system's random source. */
  create(): string {
    if (this.#next + tokenLength > this.#letters.length) this.#fill()
    this.#next += tokenLength
    return this.#letters.slice(this.#next - tokenLength, this.#next)
  }

  #fill(): void {
    if (this.#pool.length < poolBytes.most) this.#pool = Buffer.alloc(this.#pool.length * 2)
    randomFillSync(this.#pool)
    let count = 0
    const pool = this.#pool
    for (let index = 0; index < pool.length; index += 1) {
      const byte = pool[index] ?? biasFrom
      if (byte < biasFrom) pool[count++] = letters[byte] ?? 0
    }
    this.#letters = pool.toString('latin1', 0, count)
    this.#next = 0
  }
}

/** Tokens remembered at least; as many as may wait to be written. */
const remembered = 1000
/** How often a source of one's own is asked before the built-in one takes over. */
const maxAttempts = 8

/** Tokens that are in no use. */
export class FreshTokens {
  readonly #builtIn = new TokenSource()
  readonly #create: (() => string) | undefined
  #newer = new Set<string>()
  #older = new Set<string>()

  /** Takes another source of tokens, such as one that repeats itself in a test. Default: 62 random bits each. */
  constructor(create?: () => string) {
    this.#create = create
  }

  /** A token that no recent request has. A source that repeats itself, or makes what is no token, is replaced for this one. */
  next(): string {
    // Two of 62 random bits being the same is not to be expected in the life of a process.
    if (this.#create === undefined) return this.#builtIn.create()
    let token = this.#create()
    for (let attempt = 1; !this.#isFree(token); attempt += 1) {
      token = attempt < maxAttempts ? this.#create() : this.#builtIn.create()
    }
    if (this.#newer.size >= remembered) {
      this.#older = this.#newer
      this.#newer = new Set()
    }
    this.#newer.add(token)
    return token
  }

  #isFree(token: string): boolean {
    return tokenPattern.test(token) && !this.#newer.has(token) && !this.#older.has(token)
  }
}
