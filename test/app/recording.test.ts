import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { html } from '../../src/framework/html/html.ts'
import type { RecorderStatus } from '../../src/profiler/sampling/recorder-status.ts'
import { startApp, shopRoutes, type RunningApp } from '../support/running-app.ts'
import { makeTemporaryDirectory } from '../support/temporary-directory.ts'
import { until } from '../support/until.ts'

async function statusOf({ send }: RunningApp): Promise<RecorderStatus> {
  return JSON.parse((await send({ target: '/_profiler/status.json' })).body) as RecorderStatus
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

  it('says what all processes of a shared store may keep, and where that comes from', async () => {
    const name = 'Profiles kept per second by all processes of a shared store'
    for (const [env, recording, value, from] of [
      [{ APP_PROFILES_COUNT: '600' }, {}, '10', 'default'],
      [{}, { fleetPerSecond: 25 }, '25', 'option recording.fleetPerSecond'],
      [{ APP_RECORD_FLEET_PER_SECOND: '7.5' }, { fleetPerSecond: 25 }, '7.5', 'APP_RECORD_FLEET_PER_SECOND'],
      [{ APP_RECORD_FLEET_PER_SECOND: 'off' }, {}, 'no limit', 'APP_RECORD_FLEET_PER_SECOND'],
    ] as const) {
      await using app = await startApp({ env, recording })
      const { limits } = await statusOf(app)
      assert.deepEqual(
        limits.filter((limit) => limit.name === name),
        [{ name, value, from }],
      )
    }
  })

  it('keeps errors with their sub-requests, and of the rest what the dice leave', async () => {
    await using app = await startApp({ recording: { keep: { rate: 0, slowMs: false } } })
    for (const target of ['/products', '/error', '/products', '/nothing']) await app.send({ target })
    const { items } = await app.profiles.find({})
    assert.deepEqual(
      items.map(({ status }) => status),
      [500],
    )
    const [child = ''] = items[0]?.childTokens ?? []
    assert.equal((await app.profiles.read(child))?.parentToken, items[0]?.token)
    const { decided } = await statusOf(app)
    assert.deepEqual([decided.recorded, decided.kept, decided.notKept], [4, 1, 3])
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
    assert.deepEqual(
      cost.parts.map(({ count }) => count),
      [0, 0, 0],
    )
    assert.equal(decided.sampledOut, 1)
  })

  it('uses the slow limit of the rules for the findings of the store too', async () => {
    await using app = await startApp({ recording: { keep: { slowMs: 0.5 } }, routes: shopRoutes() })
    await app.send({ target: '/error' })
    const { items } = await app.profiles.find({})
    assert.ok(items[0]?.findings.includes('slow'))
  })

  it('steps aside while the loop is late, says so over the list and in the log, and still responds', async () => {
    const routes = shopRoutes()
    routes.get('block', '/block', () => {
      const end = performance.now() + 150
      while (performance.now() < end);
      return html`<p>done</p>`
    })
    await using app = await startApp({ routes, recording: { stepAside: { loopDelayMs: 5, share: 1 } } })
    await until(async () => !(await isRecorded(app, '/block')))
    assert.equal((await app.send({ target: '/products' })).status, 200)
    const { aside, decided } = await statusOf(app)
    assert.equal(aside?.reason, 'event loop late')
    assert.ok(decided.steppedAside > 0)
    assert.match((await app.send({ target: '/_profiler/' })).body, /Recording is paused: event loop late/)
    assert.ok(app.log.lines.some(({ message }) => message.startsWith('Recording pauses')))
  })

  it('does not step aside in development unless it is told to', async () => {
    await using app = await startApp()
    assert.equal((await statusOf(app)).aside, null)
  })

  it('records a trace in all services that it goes through, or in none', async () => {
    // Slow ones are kept by another rule, and a busy machine makes some.
    const recording = { sampleRate: 0.5, keep: { rate: 0.5, slowMs: false } } as const
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
      const { sampledOut, kept, notKept } = (await statusOf(app)).decided
      return sampledOut + kept + notKept === requests
    }
    await until(() => judged(shop, 40))
    const ofShop = await keptOf(shop, 'order')
    await until(() => judged(prices, 80))
    assert.ok(ofShop.length > 0 && ofShop.length < 40, String(ofShop.length))
    for (const route of ['api', 'products']) assert.deepEqual(await keptOf(prices, route), ofShop)
  })

  it('hands on a trace that it began itself so that the next service decides alike', async () => {
    const recording = { sampleRate: 0.5, keep: { rate: 0.5, slowMs: false } } as const
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
    await assert.rejects(
      startApp({ recording: { fleetPerSecond: -1 } }),
      /Option "recording\.fleetPerSecond" is -1; allowed/,
    )
    await assert.rejects(
      startApp({ env: { APP_RECORD_FLEET_PER_SECOND: '0' } }),
      /allowed are off, or a number above 0/,
    )
  })
})
