// Counts how often a currency is looked up; passes everything on to a real store.

import type { CurrencyStore } from '../../src/currency/currency-store.ts'
import type { Currency } from '../../src/currency/currency.ts'

/** A currency store that counts `findByCode`. */
export class CountingCurrencyStore implements CurrencyStore {
  readonly name: string
  reads = 0
  readonly #store: CurrencyStore

  constructor(store: CurrencyStore) {
    this.name = store.name
    this.#store = store
  }

  async findByCode(code: string): Promise<Currency | undefined> {
    this.reads += 1
    return this.#store.findByCode(code)
  }

  async upsert(currencies: readonly Currency[]): Promise<void> {
    await this.#store.upsert(currencies)
  }

  async list(): Promise<readonly Currency[]> {
    return this.#store.list()
  }
}
