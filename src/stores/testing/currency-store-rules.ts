// What every store of currencies has to do.

import assert from 'node:assert/strict'
import type { CurrencyStore } from '../../plugins/currency/currency-store.ts'
import type { Currency } from '../../plugins/currency/currency.ts'
import { eventually, type StoreRule } from './store-rule.ts'

/** Every rule of a `CurrencyStore`, for any test runner: one test each. */
export const currencyStoreRules: readonly StoreRule<CurrencyStore>[] = [
  {
    name: 'gives back a record with every field as it was',
    check: async (store) => {
      const written = currencyOf({
        code: 'JPY',
        rate: '163.45000000000000000001',
        sign: '¥',
        is_active: false,
        is_default: false,
      })
      await store.upsert([written])
      assert.deepEqual(await store.findByCode('JPY'), written)
      assert.deepEqual(await store.list(), [written])
    },
  },
  {
    name: 'has no record for an unknown or malformed code',
    check: async (store) => {
      await store.upsert([currencyOf()])
      for (const code of ['USD', 'eur', 'EU', 'EURO', '', '%', 'E\u0000R', "' OR 1=1 --", '__proto__']) {
        assert.equal(await store.findByCode(code), undefined)
      }
    },
  },
  {
    name: 'replaces the record of a known code',
    check: async (store) => {
      await store.upsert([currencyOf(), currencyOf({ code: 'USD', rate: '1.0842' })])
      await store.upsert([currencyOf({ code: 'USD', rate: '1.09' })])
      assert.equal((await store.findByCode('USD'))?.rate, '1.09')
      assert.equal((await store.list()).length, 2)
    },
  },
  {
    name: 'keeps the last of two records of one code',
    check: async (store) => {
      await store.upsert(['1.08', '1.09'].map((rate) => currencyOf({ code: 'USD', rate })))
      assert.deepEqual(await store.list(), [currencyOf({ code: 'USD', rate: '1.09' })])
    },
  },
  {
    name: 'lists all records by code',
    check: async (store) => {
      assert.deepEqual(await store.list(), [])
      const [usd, chf, eur] = [currencyOf({ code: 'USD' }), currencyOf({ code: 'CHF' }), currencyOf()]
      await store.upsert([usd, chf, eur])
      assert.deepEqual(await store.list(), [chf, eur, usd])
    },
  },
  {
    name: 'writes all records or none, and names the field that is wrong',
    check: async (store) => {
      for (const [field, wrong] of [
        ['code', currencyOf({ code: 'usd' })],
        ['rate', currencyOf({ rate: '1,5' })],
        ['rate', currencyOf({ rate: 'Infinity' })],
      ] as const) {
        await assert.rejects(store.upsert([currencyOf({ code: 'CHF' }), wrong]), {
          code: 'ERR_STORE_RECORD',
          message: new RegExp(`^Currency 2 of 2 for .* cannot be kept: ${field} is not `),
        })
      }
      assert.deepEqual(await store.list(), [])
    },
  },
  {
    name: 'shows what another process wrote',
    check: async (store, other = store) => {
      await store.upsert([currencyOf({ code: 'USD', rate: '1.08' })])
      await other.upsert([currencyOf({ code: 'USD', rate: '1.09' })])
      await eventually('the rate 1.09', async () => (await store.findByCode('USD'))?.rate === '1.09')
      assert.deepEqual(await store.list(), [currencyOf({ code: 'USD', rate: '1.09' })])
    },
  },
]

/** The euro as it is kept, with other parts. */
function currencyOf(parts: Partial<Currency> = {}): Currency {
  return {
    code: 'EUR',
    title: 'Euro',
    rate: '1',
    sign: '€',
    is_active: true,
    is_default: true,
    created_at: '2026-01-01T00:00:00.000Z',
    updated_at: '2026-11-20T15:00:00.000Z',
    rate_at: '2026-11-20T00:00:00.000Z',
    ...parts,
  }
}
