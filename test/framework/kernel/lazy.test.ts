import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { lazy } from '../../../src/http/kernel/lazy.ts'
import { currentExchange, runInExchange } from '../../../src/http/kernel/current-exchange.ts'
import { exchangeOf } from '../../support/exchange.ts'
import { startApp } from '../../support/running-app.ts'

describe('lazy', () => {
  it('loads once for all who ask, as a part of no request', async () => {
    const exchanges: unknown[] = []
    const load = lazy(async () => {
      await Promise.resolve()
      exchanges.push(currentExchange())
      return {}
    })
    const asked = await runInExchange(exchangeOf(), () => Promise.all([load(), load()]))
    assert.equal(asked[0], asked[1])
    assert.equal(await load(), asked[0])
    assert.deepEqual(exchanges, [undefined])
  })

  it('rejects while the load fails, and tries again', async () => {
    let isThere = false
    const load = lazy(async () => {
      if (!isThere) throw new Error('no such file')
      return 'loaded'
    })
    await assert.rejects(load, /no such file/)
    isThere = true
    assert.equal(await load(), 'loaded')
  })
})

it('the error handler: shows its first use as a span of the request that waited for it, and of no other', async () => {
  await using running = await startApp()
  const loading: number[] = []
  for (const path of ['/secret', '/secret']) {
    const response = await running.send({ target: path })
    const profile = await running.profiles.read(response.header('x-debug-token') ?? '')
    const { spans } = profile!.data['time'] as { spans: readonly { name: string; category: string }[] }
    loading.push(spans.filter(({ name, category }) => /error handler/.test(name) && category === 'loading').length)
  }
  assert.deepEqual(loading, [1, 0])
})
