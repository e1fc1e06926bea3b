// What every store of currencies has to do. Engines run it from `test/stores/`.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { makeCurrency } from '../support/currencies.ts'
import type { OpenForTest } from './profile-store.ts'

/** Declares the suite for one kind of engine. */
export function describeCurrencyStore(name: string, open: OpenForTest): void {
  describe(`${name} keeps currencies`, () => {
    it('gives back a record with every field as it was', async (test) => {
      const { currencies } = await open(test)
      const written = makeCurrency({
        code: 'JPY',
        rate: '163.45000000000000000001',
        sign: '¥',
        is_active: false,
        is_default: false,
      })
      await currencies.upsert([written])
      assert.deepEqual(await currencies.findByCode('JPY'), written)
    })

    it('has no record for an unknown or malformed code', async (test) => {
      const { currencies } = await open(test)
      await currencies.upsert([makeCurrency()])
      for (const code of ['USD', 'eur', 'EU', 'EURO', '', '%', "' OR 1=1 --", '__proto__']) {
        assert.equal(await currencies.findByCode(code), undefined)
      }
    })

    it('replaces the record of a known code', async (test) => {
      const { currencies } = await open(test)
      await currencies.upsert([makeCurrency(), makeCurrency({ code: 'USD', rate: '1.0842' })])
      await currencies.upsert([makeCurrency({ code: 'USD', rate: '1.09' })])
      assert.equal((await currencies.findByCode('USD'))?.rate, '1.09')
      assert.equal((await currencies.list()).length, 2)
    })

    it('lists all records by code', async (test) => {
      const { currencies } = await open(test)
      assert.deepEqual(await currencies.list(), [])
      const [usd, chf, eur] = ['USD', 'CHF', 'EUR'].map((code) => makeCurrency({ code }))
      assert.ok(usd && chf && eur)
      await currencies.upsert([usd, chf, eur])
      assert.deepEqual(await currencies.list(), [chf, eur, usd])
    })

    it('writes all records or none, and names the field that is wrong', async (test) => {
      const { currencies } = await open(test)
      for (const [field, wrong] of [
        ['code', makeCurrency({ code: 'usd' })],
        ['rate', makeCurrency({ rate: '1,5' })],
        ['rate', makeCurrency({ rate: 'Infinity' })],
      ] as const) {
        await assert.rejects(currencies.upsert([makeCurrency({ code: 'CHF' }), wrong]), {
          code: 'ERR_STORE_RECORD',
          message: new RegExp(`^Currency 2 of 2 for .* cannot be kept: ${field} is not `),
        })
      }
      assert.deepEqual(await currencies.list(), [])
    })
  })
}
