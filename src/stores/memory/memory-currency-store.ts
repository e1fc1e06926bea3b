// Currency records in the memory of this process.

import type { CurrencyStore } from '../../plugins/currency/currency-store.ts'
import type { Currency } from '../../plugins/currency/currency.ts'
import { checkCurrencies } from '../check-currency.ts'

/** Keeps the records by code. */
export class MemoryCurrencyStore implements CurrencyStore {
  readonly name = 'memory:'
  readonly #records = new Map<string, Currency>()

  async findByCode(code: string): Promise<Currency | undefined> {
    return this.#records.get(code)
  }

  async upsert(currencies: readonly Currency[]): Promise<void> {
    checkCurrencies(this.name, currencies)
    for (const currency of currencies) this.#records.set(currency.code, Object.freeze({ ...currency }))
  }

  async list(): Promise<readonly Currency[]> {
    return [...this.#records.values()].sort((a, b) => (a.code < b.code ? -1 : 1))
  }
}
