import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { CurrencyStore } from '../../app/currencies/store.ts'
import { openEngine } from '../../src/app/open-engine.ts'
import { makeLockState } from '../contract/lock-store.ts'
import { makeTemporaryDirectory } from '../support/temporary-directory.ts'
import { openShop } from './open-shop.ts'

/** A store that cannot be reached. */
const deadStore: CurrencyStore = {
  name: 'dead:',
  findByCode: () => Promise.reject(new Error('connection refused')),
  update: () => Promise.reject(new Error('connection refused')),
  list: () => Promise.reject(new Error('connection refused')),
}

describe('/health', () => {
  it('is live and ready when the store answers', async () => {
    await using shop = await openShop()
    assert.deepEqual((await shop.get('/health/live')).json(), { status: 'ok' })
    const ready = await shop.get('/health/ready')
    assert.equal(ready.status, 200)
    assert.equal(ready.headers.get('cache-control'), 'no-store')
    assert.deepEqual(ready.json(), { status: 'ok', store: 'ok', lock: 'open' })
  })

  it('is live but not ready when the store is gone, and says why in the log', async () => {
    await using shop = await openShop({ currencyStore: deadStore })
    assert.equal((await shop.get('/health/live')).status, 200)
    const ready = await shop.get('/health/ready')
    assert.equal(ready.status, 503)
    assert.deepEqual(ready.json(), { status: 'unavailable', store: 'unreachable', lock: 'open' })
    assert.ok(shop.log.lines.some((line) => JSON.stringify(line).includes('connection refused')))
  })

  it('is live, and says that it is not ready, while the lock closes everything else', async (test) => {
    const store = `sqlite:${join(makeTemporaryDirectory(test), 'shop.db')}`
    const engine = await openEngine(store)
    test.after(() => engine.close())
    await engine.lock.write(makeLockState())
    await using shop = await openShop({ env: { APP_STORE: store } })
    assert.equal((await shop.get('/')).status, 503)
    assert.equal((await shop.get('/health/live')).status, 200)
    const ready = await shop.get('/health/ready')
    assert.equal(ready.status, 503)
    assert.deepEqual(ready.json(), { status: 'unavailable', store: 'ok', lock: 'closed' })
  })

  it('is not ready where APP_LOCK closes the application', async () => {
    await using shop = await openShop({ env: { APP_LOCK: '1' } })
    assert.equal((await shop.get('/health/ready')).status, 503)
  })
})

describe('a store that is gone', () => {
  it('is a 503 that asks to come back where its records are the page', async () => {
    await using shop = await openShop({ currencyStore: deadStore })
    const { status, headers } = await shop.get('/currencies')
    assert.equal(status, 503)
    assert.equal(headers.get('retry-after'), '5')
  })
})
