// Keeps which currencies are looked up; passes everything on to a real store.

import { currencyCollection, type Currency } from '../../app/currencies/currency.ts'
import { CollectedCurrencies, type Currencies, type CurrencyStore } from '../../app/currencies/store.ts'
import type { Engine } from '../../src/stores/engine.ts'

/** The currencies of an engine, asked in full each time. */
export function currenciesOf(engine: Engine): CollectedCurrencies {
  return new CollectedCurrencies(engine.collection(currencyCollection))
}

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

  update(edit: (currencies: Currencies) => readonly Currency[]): Promise<readonly Currency[]> {
    return this.#store.update(edit)
  }

  upsert(currencies: readonly Currency[]): Promise<readonly Currency[]> {
    return this.#store.update(() => currencies)
  }

  list(): Promise<readonly Currency[]> {
    return this.#store.list()
  }
}
