// A currency store whose lookups take no longer than a budget: for reads that a page waits for.

import type { Currency } from './currency.ts'
import type { CurrencyStore, KnownRecord } from './currency-store.ts'

/** The store did not answer within the budget. */
export class CurrencyTimeoutError extends Error {
  static {
    Object.defineProperty(this.prototype, 'name', { value: 'CurrencyTimeoutError', configurable: true, writable: true })
  }

  /** Stable code to tell errors apart by. */
  get code(): string {
    return 'ERR_CURRENCY_TIMEOUT'
  }

  constructor(store: string, budgetMs: number) {
    super(`${store} gave no answer within ${budgetMs} ms`)
  }
}

/** Decorates a store: `findByCode` rejects with a CurrencyTimeoutError after `budgetMs`; a later answer is dropped. */
export class BudgetedCurrencyStore implements CurrencyStore {
  readonly #store: CurrencyStore
  readonly #budgetMs: number

  constructor(store: CurrencyStore, budgetMs: number) {
    this.#store = store
    this.#budgetMs = budgetMs
  }

  get name(): string {
    return this.#store.name
  }

  knownByCode(code: string): KnownRecord | undefined {
    return this.#store.knownByCode?.(code)
  }

  findByCode(code: string): Promise<Currency | undefined> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new CurrencyTimeoutError(this.#store.name, this.#budgetMs)), this.#budgetMs)
      this.#store.findByCode(code).then(
        (currency) => {
          clearTimeout(timer)
          resolve(currency)
        },
        (thrown: unknown) => {
          clearTimeout(timer)
          reject(thrown)
        },
      )
    })
  }

  upsert(currencies: readonly Currency[]): Promise<void> {
    return this.#store.upsert(currencies)
  }

  list(): Promise<readonly Currency[]> {
    return this.#store.list()
  }
}
