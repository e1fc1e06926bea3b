// Windows in an application that runs: closed and opened by the clock of the store, told of before, and counted.

import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createApp, html, loadRuntimeContext, maintenance, RouteCollection, type App } from '../../../src/index.ts'
import type { LockState, LockStore, LockWindow } from '../../../src/profiles/lock.ts'
import { openMemoryEngine } from '../../../src/stores/memory/open-memory-engine.ts'
import { LineList } from '../../support/exchange.ts'
import { until } from '../../support/until.ts'

const hourMs = 3_600_000

/** `from` and `to` are in milliseconds from now. */
function makeWindow(from: number, to: number, parts: Partial<LockWindow> = {}): LockWindow {
  const [begin, end] = [from, to].map((ms) => new Date(Date.now() + ms).toISOString())
  return { id: 'night', from: begin!, to: end!, reason: 'the new disk', noticeSeconds: 0, ...parts }
}

function withWindows(...windows: readonly LockWindow[]): LockState {
  return { value: 0, reason: '', retryAfterSeconds: null, changedAt: new Date().toISOString(), windows }
}

interface Planned {
  readonly app: App
  readonly store: LockStore
  readonly log: LineList
}

async function start(
  test: TestContext,
  first?: LockState,
  clock: { aheadMs: number } = { aheadMs: 0 },
): Promise<Planned> {
  const { lock } = await openMemoryEngine()
  const { journal } = lock
  assert.ok(journal !== undefined)
  const store: LockStore = {
    name: 'ahead:',
    read: async () => lock.read(),
    write: async (state) => lock.write(state),
    watch: (...heard) => lock.watch(...heard),
    journal: {
      now: async () => Date.now() + clock.aheadMs,
      keep: async (period) => journal.keep(period),
      count: async (turnedAway) => journal.count(turnedAway),
      report: async (report) => journal.report(report),
      leave: async (process) => journal.leave(process),
      read: async () => journal.read(),
    },
  }
  if (first !== undefined) await store.write(first)
  const log = new LineList()
  const { context } = loadRuntimeContext({ cwd: import.meta.dirname, env: { APP_ENV: 'dev', APP_STORE: 'memory:' } })
  const routes = new RouteCollection().get(
    'home',
    '/',
    () =>
      html`<!doctype html><title>Open</title>
        <body>
          Open
        </body>`,
  )
  routes.post('pay', '/pay', () => html`paid`)
  const app = await createApp({ context, routes, plugins: [maintenance({ store })], log })
  test.after(() => app.close())
  return { app, store, log }
}

describe('an application with windows', () => {
  it('is closed in a window, from its start on, and says for how long', async (test) => {
    const { app } = await start(test, withWindows(makeWindow(-hourMs, hourMs)))
    const closed = await app.inject('/')
    assert.equal(closed.status, 503)
    const seconds = Number(closed.headers.get('retry-after'))
    assert.ok(seconds > 3400 && seconds <= 3600, String(seconds))
    assert.equal(app.isClosedForMaintenance, true)
  })

  it('closes at the time, without another change of the store', async (test) => {
    const { app, store, log } = await start(test)
    await store.write(withWindows(makeWindow(200, hourMs)))
    await until(async () => (await app.inject('/')).status === 503)
    const lines = log.lines
      .filter(({ channel }) => channel === 'maintenance')
      .map(({ level, context }) => [level, { ...context }])
    assert.deepEqual(lines, [
      ['warn', { value: 1, verdict: 'every request gets the maintenance page', reason: 'the new disk' }],
    ])
  })

  it('opens at the time, without another change of the store', async (test) => {
    const { app, log } = await start(test, withWindows(makeWindow(-hourMs, 3000)))
    assert.equal(app.isClosedForMaintenance, true)
    await until(() => !app.isClosedForMaintenance)
    assert.equal((await app.inject('/')).status, 200)
    const { level, context } = log.lines.findLast(({ channel }) => channel === 'maintenance') ?? {}
    assert.deepEqual([level, { ...context }], ['info', { value: 0, verdict: 'requests are served', reason: '' }])
  })

  it('goes by the clock of the store', async (test) => {
    const tomorrow = withWindows(makeWindow(23 * hourMs, 25 * hourMs))
    assert.equal((await (await start(test, tomorrow, { aheadMs: 24 * hourMs })).app.inject('/')).status, 503)
    assert.equal((await (await start(test, tomorrow)).app.inject('/')).status, 200)
  })

  it('goes by the clock of the store when that is set, back and ahead', async (test) => {
    let passedMs = 0
    const { now } = performance
    test.mock.method(performance, 'now', () => now.call(performance) + passedMs)
    test.mock.timers.enable({ apis: ['setTimeout'] })
    // By that clock the window is over.
    const clock = { aheadMs: 3 * hourMs }
    const { app } = await start(test, withWindows(makeWindow(hourMs, 2 * hourMs)), clock)
    for (const [aheadMs, status] of [
      [3 * hourMs, 200],
      [1.5 * hourMs, 503],
      [3 * hourMs, 200],
      [0, 200],
      [1.5 * hourMs, 503],
    ] as const) {
      clock.aheadMs = aheadMs
      passedMs += 60_000
      test.mock.timers.tick(60_000)
      for (let turn = 0; turn < 5; turn += 1) await setImmediate()
      assert.equal((await app.inject('/')).status, status, `${aheadMs / hourMs} hours ahead`)
    }
  })

  it('opens when the window is cancelled, and stays closed by hand', async (test) => {
    const { app, store } = await start(test, withWindows(makeWindow(-hourMs, hourMs)))
    await store.write(withWindows())
    await until(async () => (await app.inject('/')).status === 200)
    await store.write({ ...withWindows(makeWindow(-hourMs, hourMs)), value: 1, retryAfterSeconds: 7200 })
    const closed = await app.inject('/')
    // The longer of both waits counts.
    assert.deepEqual([closed.status, closed.headers.get('retry-after')], [503, '7200'])
    await store.write({ ...withWindows(), value: 1, retryAfterSeconds: 7200 })
    assert.equal((await app.inject('/')).status, 503)
  })

  it('closes only what the window names', async (test) => {
    const part = makeWindow(-hourMs, hourMs, { only: ['route:pay'], readOnly: true })
    const { app } = await start(test, withWindows(part))
    assert.equal((await app.inject('/')).status, 200)
    assert.equal((await app.inject({ method: 'POST', url: '/pay' })).status, 503)
    assert.equal(app.isClosedForMaintenance, false)
  })

  it('tells readers of the profiler of a window before it begins, and clients nothing', async (test) => {
    const coming = makeWindow(hourMs, 2 * hourMs, { noticeSeconds: 7200 })
    const { app, store } = await start(test, withWindows(coming))
    const open = await app.inject({ url: '/', headers: { 'sec-fetch-dest': 'document' } })
    const hour = coming.from.slice(11, 16)
    assert.match(
      open.body,
      new RegExp(`href="/_profiler/lock"[^>]*><span class="name">Lock</span> Closes at ${hour} UTC`),
    )
    assert.ok(!JSON.stringify([...open.headers]).includes('new disk'), 'the reason is for operators')
    await store.write(withWindows(makeWindow(hourMs, 2 * hourMs, { noticeSeconds: 60 })))
    const quiet = await app.inject({ url: '/', headers: { 'sec-fetch-dest': 'document' } })
    assert.doesNotMatch(quiet.body, /Closes at/)
  })
})
