// Requests are turned away while the event loop is late: `maintenance({ shedWhenLate })`, over a socket.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { maintenance, RouteCollection, text } from '../../../src/index.ts'
import { LoopLateness } from '../../../src/plugins/maintenance/late-listener.ts'
import { pageText } from '../../support/page-text.ts'
import { startApp, type RunningApp } from '../../support/running-app.ts'
import { until } from '../../support/until.ts'

describe('maintenance({ shedWhenLate })', () => {
  it('answers 503 while the loop is late, in the format that is asked for, and serves again afterwards', async () => {
    await using running = await startApp({ routes: routes(), shedWhenLate: 100, except: ['/health/*', 'route:ping'] })
    const page = await whileLate(running, 'text/html')
    assert.match(page.body, /This service is busy\. Please try again in a moment\./)
    assert.match(page.header('content-security-policy') ?? '', /default-src 'none'/)
    assert.match(page.header('retry-after') ?? '', /^[1-9]\d*$/)
    assert.equal(page.header('cache-control'), 'no-store')
    assert.equal(page.header('x-debug-token'), undefined)
    const problem = await whileLate(running, 'application/json')
    assert.equal(problem.header('content-type'), 'application/problem+json')
    assert.equal((JSON.parse(problem.body) as { status: number }).status, 503)
    assert.equal((await whileLate(running, 'text/plain')).body, 'This service is busy. Please try again in a moment.\n')
    assert.equal((await whileLate(running, 'text/html', 'HEAD')).body, '')
    for (const target of ['/health/ready', '/ping']) {
      await running.send({ target: '/block' })
      assert.equal((await running.send({ target })).status, 200)
    }
    assert.equal((await served(running, '/')).body, 'home')

    const status = await served(running, '/_profiler/status.json')
    const { shedding } = JSON.parse(status.body) as { shedding: { limitMs: number; turnedAway: number } }
    assert.equal(shedding.limitMs, 100)
    assert.ok(shedding.turnedAway >= 4)
    const shown = await served(running, '/_profiler/status')
    assert.match(pageText(shown.body), /Requests turned away Now .* Event loop late by .* of 100\.? ?ms/)
  })

  it('is off by default', async () => {
    await using running = await startApp({ routes: routes() })
    await running.send({ target: '/block' })
    assert.equal((await running.send({ target: '/' })).status, 200)
    const status = await running.send({ target: '/_profiler/status.json' })
    assert.equal((JSON.parse(status.body) as { shedding: unknown }).shedding, null)
  })

  it('takes milliseconds only', () => {
    for (const shedWhenLate of [0, 19, 60_001, Number.NaN, Infinity]) {
      assert.throws(
        () => maintenance({ shedWhenLate }),
        /Option "shedWhenLate" of maintenance\(\) .*allowed: milliseconds, a number from 20 to 60000/,
      )
    }
  })
})

it('LoopLateness: averages over half a second: one long task is not overload, many are', () => {
  const lateness = new LoopLateness()
  assert.equal(lateness.lateMs, 0)
  lateness.note(350)
  assert.equal(Math.round(lateness.lateMs), 175)
  for (let turn = 0; turn < 5; turn += 1) lateness.note(400)
  assert.ok(lateness.lateMs > 290 && lateness.lateMs <= 300)
  for (let turn = 0; turn < 20; turn += 1) lateness.note(100)
  assert.ok(lateness.lateMs < 5)
})

type Response = Awaited<ReturnType<RunningApp['send']>>

function routes(): RouteCollection {
  const table = new RouteCollection()
  table.get('home', '/', () => text('home'))
  table.get('health', '/health/ready', () => text('ready'))
  table.get('ping', '/ping', () => text('pong'))
  table.get('block', '/block', () => {
    const end = performance.now() + 1000
    while (performance.now() < end) continue
    return text('blocked')
  })
  return table
}

/** A busy machine makes any request late. */
async function served(running: RunningApp, target: string): Promise<Response> {
  let response: Response | undefined
  await until(async () => (response = await running.send({ target })).status === 200)
  assert.ok(response)
  return response
}

/** The first response of an application whose loop is late. */
async function whileLate(running: RunningApp, accept: string, method = 'GET'): Promise<Response> {
  let response: Response | undefined
  await until(async () => {
    await running.send({ target: '/block' })
    response = await running.send({ method, target: '/', headers: [`Accept: ${accept}`] })
    return response.status === 503
  })
  assert.ok(response)
  return response
}
