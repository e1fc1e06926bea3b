import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sampleCurrencies, type Currency, type CurrencyStore } from '../../src/currency.ts'
import { openMemoryEngine } from '../../src/engines/memory/open-memory-engine.ts'
import { openShop } from './open-shop.ts'

/** Passes everything on and counts the reads by code. */
class CountedStore implements CurrencyStore {
  readonly name = 'counted:'
  readonly codes: string[] = []
  readonly #store: CurrencyStore

  constructor(store: CurrencyStore) {
    this.#store = store
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

const pages = [
  '/',
  '/products',
  '/products/coir-mat',
  '/currencies',
  '/currencies/CHF',
  '/basket',
  '/api/products',
  '/api/currencies/CHF',
  '/health/ready',
  '/demo/error',
  '/nope',
]

describe('every page of the shop', () => {
  for (const page of pages) {
    it(`${page} reads exactly one record by its code (SPEC 7.3)`, async () => {
      const engine = await openMemoryEngine()
      await engine.currencies.upsert(sampleCurrencies())
      const store = new CountedStore(engine.currencies)
      await using shop = await openShop({ currencyStore: store })
      await shop.get(`${page}?currency=USD`)
      assert.deepEqual(store.codes, ['USD'])
      await engine.close()
    })
  }
})
