// The plugin in the shop, on the shop's own store, as `npm start` runs it.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { currency } from '../../../app/currencies/plugin.ts'
import { openEngine } from '../../../src/app/open-engine.ts'
import { compiledCode } from '../../support/compiled-code.ts'
import { currenciesOf } from '../../support/counting-currency-store.ts'
import { makeCurrency } from '../../support/currencies.ts'
import { makeTemporaryDirectory } from '../../support/temporary-directory.ts'
import { until } from '../../support/until.ts'
import { openShop, type OpenShop } from '../open-shop.ts'

/** What a coir mat costs, as JSON. */
async function priceIn(shop: OpenShop, code: string): Promise<unknown> {
  const { body } = await shop.get(`/api/products/coir-mat?currency=${code}`)
  return (JSON.parse(body) as { price: unknown }).price
}

describe('the currencies of the shop', () => {
  it('are samples at first, and what another process writes shows while it runs and after the next start', async (test) => {
    const env = { APP_STORE: `sqlite:${join(makeTemporaryDirectory(test), 'store.db')}` }
    const elsewhere = await openEngine(env.APP_STORE)
    test.after(() => elsewhere.close())
    {
      await using shop = await openShop({ env })
      assert.equal((await currenciesOf(elsewhere).list()).length, 178)
      assert.deepEqual(await priceIn(shop, 'CHF'), { amount: '29.53', currency: 'CHF' })
      await currenciesOf(elsewhere).update(() => [makeCurrency({ code: 'CHF', sign: 'Fr.', rate: '2' })])
      await until(async () => ((await priceIn(shop, 'CHF')) as { amount: string }).amount === '64.00')
    }
    await using shop = await openShop({ env })
    assert.deepEqual(await priceIn(shop, 'CHF'), { amount: '64.00', currency: 'CHF' })
    assert.equal((await currenciesOf(elsewhere).list()).length, 178)
  })

  it('take another default by APP_CURRENCY, and one that cannot be used stops the start with one line', async () => {
    await using shop = await openShop({ env: { APP_CURRENCY: 'JPY' } })
    const { body } = await shop.get('/api/products/coir-mat')
    assert.deepEqual((JSON.parse(body) as { price: unknown }).price, { amount: '5943', currency: 'JPY' })
    for (const value of ['', 'jpy', 'YEN1', '{"$ne":1}']) {
      assert.throws(() => currency({ env: { APP_CURRENCY: value } }), {
        name: 'RuntimeContextError',
        message: `APP_CURRENCY=${JSON.stringify(value)} cannot be used: allowed are three upper-case letters such as EUR`,
      })
    }
    const env = { PATH: process.env['PATH'], APP_ENV: 'dev', APP_STORE: 'memory:', PORT: '0', ...compiledCode }
    const options = { cwd: join(import.meta.dirname, '../../..'), env: { ...env, APP_CURRENCY: 'usd' } }
    await assert.rejects(promisify(execFile)(process.execPath, ['app/main.ts'], options), {
      code: 1,
      stderr: 'Cannot start: APP_CURRENCY="usd" cannot be used: allowed are three upper-case letters such as EUR\n',
    })
  })
})
