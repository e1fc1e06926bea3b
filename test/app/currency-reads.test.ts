import assert from 'node:assert/strict'
import { it } from 'node:test'
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

it('every page of the shop reads exactly one record by its code (SPEC 7.3)', async () => {
  const engine = await openMemoryEngine()
  const store = new CountingCurrencyStore(currenciesOf(engine))
  await store.upsert(sampleCurrencies())
  await using shop = await openShop({ currencyStore: store })
  for (const page of pages) {
    store.codes.length = 0
    await shop.get(`${page}?currency=USD`)
    assert.deepEqual(store.codes, ['USD'], page)
  }
  await engine.close()
})
