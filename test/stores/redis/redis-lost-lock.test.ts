// What was known closed stays closed, whatever becomes of the servers that have the lock (SPEC 6.5).

import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import { describe, it, type TestContext } from 'node:test'
import { changeTime } from '../../../src/stores/lock/lock-members.ts'
import type { LockStore } from '../../../src/profiles/lock.ts'
import { Lock } from '../../../src/maintenance/lock.ts'
import { openRedisEngine } from '../../../src/redis/open-redis-engine.ts'
import { makeLockState } from '../../contract/lock-store.ts'
import { LineList } from '../../support/exchange.ts'
import { startRedisServer, type RedisServers } from '../../support/redis-cluster.ts'
import { until } from '../../support/until.ts'

interface Process {
  readonly lock: Lock
  readonly store: LockStore
  readonly log: LineList
}

/** What a process of an application has, without its server. */
async function join(test: TestContext, { address }: RedisServers): Promise<Process> {
  const engine = await openRedisEngine({ address, isServing: true })
  const log = new LineList()
  const lock = new Lock({ bootValue: 0, store: engine.lock, log })
  await lock.start()
  test.after(async () => {
    lock.close()
    await engine.close()
  })
  return { lock, store: engine.lock, log }
}

async function start(test: TestContext, config: readonly string[] = []): Promise<RedisServers> {
  const servers = await startRedisServer({ config })
  test.after(() => servers.stop())
  return servers
}

async function set(store: LockStore, value: number): Promise<void> {
  const before = await store.read()
  await store.write(makeLockState({ value, changedAt: changeTime(before, Date.now()) }))
}

async function staysClosed(processes: readonly Process[], ms: number): Promise<void> {
  for (const end = performance.now() + ms; performance.now() < end; await setTimeout(20)) {
    assert.ok(processes.every(({ lock }) => lock.isClosed))
  }
}

describe('a lock that was closed', () => {
  it('stays closed when every key is removed, is written again, and opens with an order alone', async (test) => {
    const servers = await start(test)
    const processes = [await join(test, servers), await join(test, servers)] as const
    const [{ store }] = processes
    await set(store, 1)
    await until(() => processes.every(({ lock }) => lock.isClosed))
    await servers.empty()
    await staysClosed(processes, 1500)
    await until(async () => (await store.read()).value === 1)
    // One of them writes it.
    const timesWritten = (): number =>
      processes
        .flatMap(({ log }) => log.lines)
        .filter(({ message }) => message.includes('had lost its lock. It was written again')).length
    await until(() => timesWritten() > 0)
    assert.equal(timesWritten(), 1)
    await set(store, 0)
    await until(() => processes.every(({ lock }) => !lock.isClosed))
    await servers.empty()
    await setTimeout(1500)
    assert.ok(processes.every(({ lock }) => !lock.isClosed))
  })

  it('stays closed when its server comes back empty', async (test) => {
    const servers = await start(test, ['appendonly no', 'save ""'])
    const [node] = servers.nodes
    assert.ok(node)
    const processes = [await join(test, servers)]
    await set(processes[0]?.store as LockStore, 1)
    await until(() => processes.every(({ lock }) => lock.isClosed))
    await node.kill()
    await node.start()
    await staysClosed(processes, 3000)
    assert.match(await node.command('GET', 'fanlight:{lock}'), /"value":1/)
  })

  it('is not closed again by a process that missed that it was opened, nor by an older state that comes back', async (test) => {
    const servers = await start(test)
    const [one, late] = [await join(test, servers), await join(test, servers)]
    const [node] = servers.nodes
    assert.ok(node)
    await set(one.store, 1)
    await until(() => one.lock.isClosed && late.lock.isClosed)
    const closed = await one.store.read()
    await set(one.store, 0)
    await until(() => !one.lock.isClosed)
    assert.equal(await late.store.restore?.(closed), false)
    await node.command('SET', 'fanlight:{lock}', JSON.stringify(closed))
    await until(async () => (await one.store.read()).value === 0)
    assert.ok(
      one.log.lines.concat(late.log.lines).some(({ message }) => message.includes('had an older lock, of {changedAt}')),
    )
    await until(() => !one.lock.isClosed && !late.lock.isClosed)
  })
})
