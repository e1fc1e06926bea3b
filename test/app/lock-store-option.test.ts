// A lock store of the application's own, instead of that of `APP_STORE`.

import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { createApp, loadRuntimeContext, maintenance, RouteCollection, text, type LockStore } from '../../src/index.ts'
import { openEngine } from '../../src/app/open-engine.ts'
import { makeLockState } from '../contract/lock-store.ts'
import { LineList } from '../support/exchange.ts'
import { makeTemporaryDirectory } from '../support/temporary-directory.ts'
import { until } from '../support/until.ts'

const routes = new RouteCollection().get('home', '/', () => text('open'))

async function appWith(store: LockStore, directory: string, log = new LineList()) {
  const env = { APP_ENV: 'prod', APP_STORE: `sqlite:${join(directory, 'store.db')}` }
  const { context } = loadRuntimeContext({ cwd: directory, env })
  return createApp({ context, routes, log, plugins: [maintenance({ store })] })
}

describe('maintenance: store', () => {
  it('closes and opens the application, and APP_STORE is not opened for it', async (test) => {
    const directory = makeTemporaryDirectory(test)
    const { lock } = await openEngine('memory:')
    await lock.write(makeLockState({ value: 1, retryAfterSeconds: 7 }))
    const app = await appWith(lock, directory)
    const closed = await app.inject({ url: '/' })
    assert.deepEqual([closed.status, closed.headers.get('retry-after')], [503, '7'])
    await lock.write(makeLockState({ value: 0 }))
    await until(async () => (await app.inject({ url: '/' })).status === 200)
    await lock.write(makeLockState({ value: 1 }))
    await until(async () => (await app.inject({ url: '/' })).status === 503)
    await app.close()
    assert.equal(existsSync(join(directory, 'store.db')), false)
  })

  it('leaves the application open when it cannot be read, and the log names the store', async (test) => {
    const log = new LineList()
    const store: LockStore = {
      name: 'own:',
      read: () => Promise.reject(new Error('no route to host')),
      write: () => Promise.reject(new Error('no route to host')),
      watch: () => () => undefined,
    }
    const app = await appWith(store, makeTemporaryDirectory(test), log)
    assert.equal((await app.inject({ url: '/' })).status, 200)
    await app.close()
    assert.ok(log.lines.some(({ context }) => JSON.stringify(context).includes('own:')))
  })
})
