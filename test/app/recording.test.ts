import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { html } from '../../src/base/html/html.ts'
import type { RecorderStatus } from '../../src/profiles/sampling/recorder-status.ts'
import { startApp, shopRoutes, type RunningApp } from '../support/running-app.ts'
import { makeTemporaryDirectory } from '../support/temporary-directory.ts'
import { until } from '../support/until.ts'

/** A store that takes long is left out of the status, so it is asked again. */
async function statusOf({ send }: RunningApp): Promise<RecorderStatus> {
  let status: RecorderStatus | undefined
  await until(async () => {
    status = JSON.parse((await send({ target: '/_profiler/status.json' })).body) as RecorderStatus
    return status.store.stats !== null
  })
  return status ?? assert.fail()
}

async function isRecorded({ send }: RunningApp, target: string): Promise<boolean> {
  return (await send({ target })).header('x-debug-token') !== undefined
}

describe('createApp: recording', () => {
  it('bounds profiles by count, size and age when nobody says anything, in both engines', async (test) => {
    const path = join(makeTemporaryDirectory(test), 'store.db')
    for (const store of ['memory:', `sqlite:${path}`]) {
      await using app = await startApp({ env: { APP_STORE: store } })
      const { stats } = (await statusOf(app)).store
      const { maxCount, maxBytes, maxAgeMs } = stats ?? {}
      assert.deepEqual({ maxCount, maxBytes, maxAgeMs }, { maxCount: 10_000, maxBytes: 2 ** 28, maxAgeMs: 604_800_000 })
      assert.equal(stats?.longer?.maxAgeMs, 4 * 604_800_000)
    }
    assert.ok(existsSync(path))
  })

  it('holds the store to the bounds of the environment', async (test) => {
    const path = join(makeTemporaryDirectory(test), 'store.db')
    const env = { APP_PROFILES_COUNT: '3', APP_PROFILES_MEGABYTES: '2', APP_PROFILES_DAYS: '1' }
    for (const store of ['memory:', `sqlite:${path}`]) {
      await using app = await startApp({ env: { APP_STORE: store, ...env } })
      for (let count = 0; count < 8; count++) await app.send({ target: '/products' })
      // Once the store has had time for them.
      await until(async () => (await statusOf(app)).queue.written === 8)
      const { stats } = (await statusOf(app)).store
      const { count, maxCount, maxBytes, maxAgeMs } = stats ?? {}
      assert.deepEqual([count, maxCount, maxBytes, maxAgeMs], [3, 3, 2 ** 21, 86_400_000])
    }
  })

  it('costs a request that is left out nothing but the decision: no token, no span, no line in a record', async () => {
    const routes = shopRoutes()
    const seen: unknown[] = []
    routes.get('seen', '/seen', (exchange) => {
      seen.push(exchange.recording)
      return html`<p>seen</p>`
    })
    await using app = await startApp({ routes, recording: { sampleRate: 0 } })
    assert.equal(await isRecorded(app, '/seen'), false)
    assert.deepEqual(seen, [undefined])
    const { cost, decided } = await statusOf(app)
    assert.equal(cost.requestUs, 0)
    assert.equal(decided.sampledOut, 1)
  })

  it('uses the slow limit of the rules for the findings of the store too', async () => {
    const routes = shopRoutes()
    // Only what its thread worked makes a request slow: waiting for a turn does not.
    routes.get('busy', '/busy', () => {
      const { user } = process.cpuUsage()
      while (process.cpuUsage().user - user < 5000);
      return html`<p>done</p>`
    })
    await using app = await startApp({ recording: { slowMs: 0.5 }, routes })
    await app.send({ target: '/busy' })
    const { items } = await app.profiles.find({})
    assert.ok(items[0]?.findings.includes('slow'))
  })

  it('records a trace in all services that it goes through, or in none', async () => {
    const recording = { sampleRate: 0.5 } as const
    await using prices = await startApp({ recording })
    const routes = shopRoutes()
    routes.get('order', '/order', async () => html`<p>${await (await fetch(`${prices.url}/products`)).text()}</p>`)
    await using shop = await startApp({ routes, recording })
    const headers = (number: number): string[] => [
      `traceparent: 00-${number.toString(16).padStart(32, '0')}-00f067aa0ba902b7-01`,
    ]
    for (let number = 1; number <= 40; number++) {
      await shop.send({ target: '/order', headers: headers(number) })
      await prices.send({ target: '/api', headers: headers(number) })
    }
    const keptOf = async ({ profiles }: RunningApp, route: string): Promise<readonly unknown[]> => {
      const { items } = await profiles.find({ route }, { limit: 200 })
      // What the shop leaves out it does not name to others.
      return items.flatMap(({ traceId }) => traceId ?? []).toSorted()
    }
    // A profile is made when its response has left, which the client need not see first.
    const judged = async (app: RunningApp, requests: number): Promise<boolean> => {
      const { decided, queue } = await statusOf(app)
      return decided.sampledOut + queue.queued + queue.written === requests
    }
    await until(() => judged(shop, 40))
    const ofShop = await keptOf(shop, 'order')
    await until(() => judged(prices, 80))
    assert.ok(ofShop.length > 0 && ofShop.length < 40, String(ofShop.length))
    for (const route of ['api', 'products']) assert.deepEqual(await keptOf(prices, route), ofShop)
  })

  it('hands on a trace that it began itself so that the next service decides alike', async () => {
    const recording = { sampleRate: 0.5 } as const
    await using prices = await startApp({ recording })
    const routes = shopRoutes()
    routes.get('order', '/order', async () => html`<p>${await (await fetch(`${prices.url}/products`)).text()}</p>`)
    await using shop = await startApp({ routes, recording })
    const { profiles } = shop
    for (let count = 0; count < 10 || (await profiles.find({ route: 'order' })).items.length === 0; count++) {
      await shop.send({ target: '/order' })
    }
    const { items } = await profiles.find({ route: 'order' }, { limit: 200 })
    for (const { traceId } of items) {
      await until(async () => (await prices.profiles.find({ traceId: String(traceId) })).items.length === 1)
    }
  })

  it('refuses rules that cannot be used, at the start', async () => {
    await assert.rejects(startApp({ recording: { sampleRate: 7 } }), /Option "recording\.sampleRate" is 7; allowed/)
    const unknown = { sampelRate: 1 } as object
    await assert.rejects(startApp({ recording: unknown }), /Option "sampelRate" of recording is unknown\. Did you mean/)
  })
})
