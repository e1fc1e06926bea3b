// Primaries that are killed (F-R2), hang (F-R3), wake up again after another one has taken over (F-R4), or are killed before their replica
// has all (F-R5); slots that move (F-R6); and a process of ours that is killed (F-R13). All under load.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { openEngine } from '../../../src/app/open-engine.ts'
import type { RedisNode, RedisServers } from '../../../test/support/redis-cluster.ts'
import { until } from '../../../test/support/until.ts'
import { seconds } from '../place.ts'
import type { LoadFault } from './under-load.ts'

const actSeconds = 3
/** With a node time-out of 1 s a replica takes over after about two; a busy machine takes longer. */
const promotionMs = 20_000

/** Where the lock is. */
const lockKey = 'fanlight:{lock}'

/** F-R2: the primary that has the lock is killed as soon as `lock on` was acknowledged. */
export const killedPrimary: LoadFault = {
  fault: 'F-R2',
  title: 'a primary is killed (`kill -9`), just after it acknowledged a lock',
  async act(servers) {
    const primary = await servers.primaryOf(lockKey)
    await writeLock(servers, 1)
    const promoted = promotionOf(servers, primary)
    await primary.kill()
    const promotedMs = await promoted
    await seconds(actSeconds)
    const value = await readLock(servers)
    if (value !== 1) throw new Error(`The lock was acknowledged with 1 and is ${value} after the kill`)
    return `replica promoted after ${promotedMs} ms; the lock is kept`
  },
}

/** F-R2 with the setting that Redis has by default: while one primary is away, the others refuse writes, too. */
export const killedPrimaryFullCoverage: LoadFault = {
  fault: 'F-R2',
  title: 'the same with `cluster-require-full-coverage yes`',
  servers: { config: ['cluster-require-full-coverage yes'] },
  async act(servers) {
    const [primary] = servers.nodes
    if (primary === undefined) return ''
    const promoted = promotionOf(servers, primary)
    await primary.kill()
    const promotedMs = await promoted
    await seconds(actSeconds)
    return `replica promoted after ${promotedMs} ms`
  },
}

/** F-R3: links stay open, nothing is answered. */
export const hungPrimary: LoadFault = {
  fault: 'F-R3',
  title: 'a primary hangs (`SIGSTOP`) for good',
  async act(servers) {
    const [primary] = servers.nodes
    if (primary === undefined) return ''
    const promoted = promotionOf(servers, primary)
    primary.pause()
    const promotedMs = await promoted
    await seconds(actSeconds)
    // The load must not count what it logs when it is killed at the end.
    await primary.kill()
    return `replica promoted after ${promotedMs} ms`
  },
}

/** F-R4: it wakes up at moments before, around and after the promotion of its replica. */
export const wokenPrimary: LoadFault = {
  fault: 'F-R4',
  title: 'primaries hang for 0.9, 1.6 and 4 s, and wake up again',
  async act(servers) {
    const roles: string[] = []
    for (const [index, pauseSeconds] of [0.9, 1.6, 4].entries()) {
      const node = servers.nodes[index]
      if (node === undefined) break
      node.pause()
      await seconds(pauseSeconds)
      node.resume()
      await seconds(2)
      roles.push(`${pauseSeconds} s: ${(await node.role()) === 'master' ? 'still a primary' : 'a replica now'}`)
    }
    return roles.join(', ')
  },
}

/** F-R5: what the primary has acknowledged has not reached the replica yet. */
export const laggingReplica: LoadFault = {
  fault: 'F-R5',
  title: 'replicas lag by 100 ms, and a primary is killed',
  servers: { isProxied: true },
  async act(servers) {
    for (const { proxy } of servers.nodes) if (proxy !== undefined) proxy.replicaDelayMs = 100
    await seconds(actSeconds)
    const [primary] = servers.nodes
    if (primary === undefined) return ''
    const promoted = promotionOf(servers, primary)
    await primary.kill()
    const promotedMs = await promoted
    await seconds(actSeconds)
    return `replica promoted after ${promotedMs} ms`
  },
}

/** F-R6: all slots of one primary go to another. */
export const movedSlots: LoadFault = {
  fault: 'F-R6',
  title: 'all 5,461 slots of a primary move to another one',
  async act(servers) {
    const [from, to] = servers.nodes
    if (from === undefined || to === undefined) return ''
    const ends = ['--cluster-from', from.id, '--cluster-to', to.id, '--cluster-slots', '5461']
    const startedMs = performance.now()
    await promisify(execFile)(
      'redis-cli',
      ['--cluster', 'reshard', `127.0.0.1:${to.ownPort}`, ...ends, '--cluster-yes', '--cluster-pipeline', '100'],
      { timeout: 180_000, maxBuffer: 64 * 1024 * 1024 },
    )
    const tookMs = Math.round(performance.now() - startedMs)
    const keys = await from.command('DBSIZE')
    return `moved in ${tookMs} ms; the emptied primary has ${keys} keys`
  },
}

/** F-R13: a process of ours is killed; what was acknowledged to it is there. */
export const killedProcess: LoadFault = {
  fault: 'F-R13',
  title: 'one of our processes is killed (`kill -9`)',
  async act(_servers, load) {
    const [killed] = load.processes
    killed?.child.kill('SIGKILL')
    await seconds(actSeconds)
    return `${killed?.acknowledged} were acknowledged to it until then`
  },
}

/** Milliseconds until a replica of this primary is the primary; rejects after 20 s. Begins to look at once. */
export async function promotionOf({ nodes }: RedisServers, primary: RedisNode): Promise<number> {
  const startedMs = performance.now()
  // The replicas follow the primaries in the same order.
  const replica = nodes[(nodes.indexOf(primary) + nodes.length / 2) % nodes.length]
  await until(async () => (await replica?.role()) === 'master', promotionMs)
  return Math.round(performance.now() - startedMs)
}

async function writeLock({ address }: RedisServers, value: number): Promise<void> {
  const engine = await openEngine(address)
  const changedAt = new Date().toISOString()
  await engine.lock.write({ value, reason: 'a fault', retryAfterSeconds: null, changedAt })
  await engine.close()
}

async function readLock({ address }: RedisServers): Promise<number> {
  const engine = await openEngine(address)
  const { value } = await engine.lock.read()
  await engine.close()
  return value
}
