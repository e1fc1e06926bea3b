import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sampleCurrencies } from '../../app/currencies/samples.ts'
import { openMemoryEngine } from '../../src/stores/memory/open-memory-engine.ts'
import { CountingCurrencyStore, currenciesOf } from '../support/counting-currency-store.ts'
import { openShop } from './open-shop.ts'

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
      const store = new CountingCurrencyStore(currenciesOf(engine))
      await store.upsert(sampleCurrencies())
      await using shop = await openShop({ currencyStore: store })
      await shop.get(`${page}?currency=USD`)
      assert.deepEqual(store.codes, ['USD'])
      await engine.close()
    })
  }
})
