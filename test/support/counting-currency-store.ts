// Keeps which currencies are looked up; passes everything on to a real store.

import type { CurrencyStore } from '../../src/plugins/currency/currency-store.ts'
import type { Currency } from '../../src/plugins/currency/currency.ts'

/** A currency store that keeps the codes asked for, in the order of `findByCode`. */
export class CountingCurrencyStore implements CurrencyStore {
  readonly name: string
  readonly codes: string[] = []
  readonly #store: CurrencyStore

  constructor(store: CurrencyStore) {
    this.name = store.name
    this.#store = store
  }

  /** How often a currency was looked up. */
  get reads(): number {
    return this.codes.length
  }

  findByCode(code: string): Promise<Currency | undefined> {
    this.codes.push(code)
    return this.#store.findByCode(code)
  }

  upsert(currencies: readonly Currency[]): Promise<void> {
    return this.#store.upsert(currencies)
  }

  list(): Promise<readonly Currency[]> {
    return this.#store.list()
  }
}
