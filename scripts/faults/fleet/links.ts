// Links to the servers that are slow (F-R9), cut, or lose every packet (F-R10).

import { openEngine } from '../../../src/app/open-engine.ts'
import { startRedisCluster, type RedisServers } from '../../../test/support/redis-cluster.ts'
import type { LinkState } from '../../../test/support/tcp-proxy.ts'
import { runFile } from '../../../test/support/running-process.ts'
import { until } from '../../../test/support/until.ts'
import type { FaultResult } from '../fault.ts'
import { seconds } from '../place.ts'
import { describePages, measurePages } from './pages.ts'
import type { LoadFault } from './under-load.ts'

const disturbedSeconds = 3
const lockKey = 'fanlight:{lock}'
const keptKey = 'fanlight:{lock}:kept'

/** F-R9: every link of ours takes 200 ms; the servers are near each other. */
export const slowLinks: LoadFault = {
  fault: 'F-R9',
  title: 'links of 200 ms (100 ms each way)',
  servers: { isProxied: true },
  async act(servers) {
    delay(servers, 100)
    await seconds(8)
    delay(servers, 0)
    return ''
  },
}

/** F-R9: what pages feel of it. */
export async function slowLinksPages(): Promise<FaultResult> {
  const servers = await startRedisCluster({ isProxied: true })
  try {
    await using running = await runFile('app/main.ts', { APP_STORE: servers.address })
    await measurePages(running, 4)
    const near = await measurePages(running, 5)
    delay(servers, 100)
    const far = await measurePages(running, 5)
    return {
      fault: 'F-R9',
      title: 'pages over links of 200 ms',
      criterion: 'all answered; p99 <= 50 ms more than with short links',
      observed: `short links: ${describePages(near)}; long ones: ${describePages(far)}`,
      isMet: near.failed + far.failed === 0 && far.p99Ms <= near.p99Ms + 50,
    }
  } finally {
    await servers.stop()
  }
}

/** F-R10: every link is closed, and nobody can connect. */
export const cutLinks: LoadFault = disturbedLinks('every link is cut', 'cut')

/** F-R10: links stay open, and nothing arrives. */
export const swallowingLinks: LoadFault = disturbedLinks('every packet is lost', 'swallowing')

/** F-R10: only one primary is out of reach, and the others see it, so that nobody takes over. */
export const oneSwallowingLink: LoadFault = disturbedLinks(
  'every packet to one primary is lost, which the other servers do not see',
  'swallowing',
  1,
)

/** F-R10: a lock that was set while a process was cut off is found when the links are back. */
export async function lockBehindCut(): Promise<FaultResult> {
  const servers = await startRedisCluster({ isProxied: true })
  const engine = await openEngine(servers.address)
  let seen = -1
  const stop = engine.lock.watch(
    ({ value }) => (seen = value),
    () => undefined,
  )
  try {
    const state = { reason: 'a fault', retryAfterSeconds: null, changedAt: new Date().toISOString() }
    await engine.lock.write({ ...state, value: 1 })
    // Every engine would go through the proxies, so the state is put aside and put back on the server itself.
    const primary = await servers.primaryOf(lockKey)
    await primary.command('COPY', lockKey, keptKey)
    await engine.lock.write({ ...state, value: 0 })
    await until(() => seen === 0)
    disturb(servers, 'cut')
    await seconds(disturbedSeconds)
    await primary.command('COPY', keptKey, lockKey, 'REPLACE')
    disturb(servers, 'open')
    const healedMs = performance.now()
    await until(() => seen === 1, 20_000).catch(() => undefined)
    const tookMs = Math.round(performance.now() - healedMs)
    return {
      fault: 'F-R10',
      title: `the lock is set while a process is cut off for ${disturbedSeconds} s`,
      criterion: 'known within 1 s of the links being back',
      observed: seen === 1 ? `known ${tookMs} ms after` : 'not known 20 s after',
      isMet: seen === 1 && tookMs <= 1000,
    }
  } finally {
    stop()
    await engine.close()
    await servers.stop()
  }
}

function disturbedLinks(what: string, state: LinkState, count = Infinity): LoadFault {
  return {
    fault: 'F-R10',
    title: `${what} for ${disturbedSeconds} s`,
    servers: { isProxied: true },
    // Nothing can be acknowledged while no server is in reach.
    maxPauseMs: count === Infinity ? disturbedSeconds * 1000 + 2000 : 1000,
    async act(servers) {
      disturb(servers, state, count)
      await seconds(disturbedSeconds)
      disturb(servers, 'open', count)
      await seconds(disturbedSeconds)
      return ''
    },
  }
}

function disturb({ nodes }: RedisServers, state: LinkState, count = Infinity): void {
  for (const { proxy } of nodes.slice(0, count)) if (proxy !== undefined) proxy.state = state
}

function delay({ nodes }: RedisServers, ms: number): void {
  for (const { proxy } of nodes) {
    if (proxy === undefined) continue
    proxy.delayMs = ms
    proxy.replicaDelayMs = 0
  }
}
