// Signs cookies. Loaded by applications that have a secret.

import type { KeyObject } from 'node:crypto'
import { sign, unsign } from 'cookie-signature'

/** Signs values and checks signatures. The signature covers the name, so the value of one cookie is not valid for another. */
export class CookieSigner {
  readonly #keys: readonly KeyObject[]
  readonly #newest: KeyObject

  /** The newest key signs, and each of them is good for reading. */
  constructor(newest: KeyObject, older: readonly KeyObject[]) {
    this.#newest = newest
    this.#keys = [newest, ...older]
  }

  sign(name: string, value: string): string {
    return sign(`${name}=${value}`, this.#newest).slice(name.length + 1)
  }

  /** The value of a signed one; `undefined` if no key fits. */
  read(name: string, signed: string): string | undefined {
    for (const key of this.#keys) {
      const pair = unsign(`${name}=${signed}`, key)
      if (pair !== false) return pair.slice(name.length + 1)
    }
    return undefined
  }
}
