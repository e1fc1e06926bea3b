// Processes that share a budget over a real Redis: applications with sockets, started as a user starts them.

import assert from 'node:assert/strict'
import { after, before, describe, it, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { RecorderStatus } from '../../../src/profiler/sampling/recorder-status.ts'
import { startRedisCluster, type RedisServers } from '../../support/redis-cluster.ts'
import { runFile, type RunningProcess } from '../../support/running-process.ts'
import { until } from '../../support/until.ts'

describe('processes that share a store on Redis', () => {
  let servers: RedisServers
  before(async () => {
    servers = await startRedisCluster()
  })
  after(() => servers.stop())

  /** Starts them, and waits until each knows of all. */
  async function start(
    test: TestContext,
    count: number,
    env: Readonly<Record<string, string>>,
  ): Promise<readonly RunningProcess[]> {
    await servers.empty()
    const processes = await Promise.all(
      Array.from({ length: count }, () => runFile('test/support/paced-app.ts', { APP_STORE: servers.address, ...env })),
    )
    test.after(() => Promise.all(processes.map((one) => one.end())))
    await until(async () => (await statusesOf(processes)).every(({ fleet }) => fleet?.processes === count))
    return processes
  }

  it('keep no more than their budget together, and all of a quiet one', async (test) => {
    const budget = 10
    const processes = await start(test, 4, { APP_RECORD_FLEET_PER_SECOND: String(budget) })
    const [quiet, ...loud] = processes
    const startedMs = performance.now()
    let asked = 0
    let askedQuietly = 0
    const over = new AbortController()
    const clients = loud.map(async ({ url }) => {
      for (; !over.signal.aborted; asked += 1) {
        await get(`${url}/ordinary`)
        await pause(25)
      }
    })
    await until(async () => {
      await get(`${quiet?.url}/ordinary`)
      askedQuietly += 1
      await pause(2000)
      const elapsed = (performance.now() - startedMs) / 1000
      return askedQuietly >= 3 && asked > 3 * budget * elapsed
    })
    over.abort()
    await Promise.all(clients)
    const statuses = await statusesOf(processes)
    const elapsed = (performance.now() - startedMs) / 1000
    const kept = statuses.map(({ decided }) => decided.kept)
    const all = kept.reduce((sum, one) => sum + one, 0)
    // What may be saved up before: a profile each. A busy machine lets a process miss a second now and then.
    assert.ok(all <= budget * elapsed * 1.25 + 8, `${all} in ${elapsed} s`)
    assert.ok(all > askedQuietly + 8, String(all))
    assert.ok((kept[0] ?? 0) >= askedQuietly - 1, `${kept[0]} of ${askedQuietly}`)
    assert.ok(statuses.slice(1).every(({ decided }) => decided.overShare > 0))
    const page = await get(`${quiet?.url}/_profiler/status`)
    assert.match(page, /Pace of all processes/)
    assert.match(page, /10 profiles a second/)
  })

  it('keep the first 20 errors of a family in a minute from all of them, whatever the dice say', async (test) => {
    const processes = await start(test, 2, { APP_RECORD_FLEET_PER_SECOND: '1000', KEEP_RATE: '0' })
    // All within one minute of the clock.
    const second = (Date.now() / 1000) % 60
    if (second > 40) await pause((61 - second) * 1000)
    let asked = 0
    const kept = async (): Promise<number> => {
      await Promise.all(processes.map(({ url }) => get(`${url}/error`)))
      asked += processes.length
      let keptForError = 0
      // A request is decided about when its response has left.
      await until(async () => {
        const decisions = (await statusesOf(processes)).map(({ decided }) => decided)
        keptForError = decisions.reduce((sum, { keptFor }) => sum + keptFor.error, 0)
        return keptForError + decisions.reduce((sum, { notKept }) => sum + notKept, 0) === asked
      })
      return keptForError
    }
    // What is left of the 20 is shared anew with each report, so the last ones may come seconds later.
    await until(async () => (await kept()) >= 20)
    // Once both have heard of all, no more are kept; until then it may be twice as many.
    await pause(2500)
    const settled = await kept()
    assert.ok(settled <= 40, String(settled))
    for (let count = 0; count < 20; count += 1) assert.equal(await kept(), settled)
  })
})

async function statusesOf(processes: readonly RunningProcess[]): Promise<readonly RecorderStatus[]> {
  return Promise.all(
    processes.map(async ({ url }) => JSON.parse(await get(`${url}/_profiler/status.json`)) as RecorderStatus),
  )
}

async function get(url: string): Promise<string> {
  return (await fetch(url)).text()
}
