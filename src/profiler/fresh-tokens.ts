// Hands out tokens that no recent profile has. What the store holds is not asked for each request: a store refuses a token
// that exists, so nothing is ever overwritten.

import { tokenPattern } from './profile.ts'
import { TokenSource } from './token.ts'

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
