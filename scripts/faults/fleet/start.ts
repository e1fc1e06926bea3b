// Servers that are not there when an application starts (F-R1): down, or hanging.

import { openEngine } from '../../../src/app/open-engine.ts'
import { redisPassword, startRedisCluster, type RedisServers } from '../../../test/support/redis-cluster.ts'
import { runFile, type RunningProcess } from '../../../test/support/running-process.ts'
import { until } from '../../../test/support/until.ts'
import { ask, type FaultResult } from '../fault.ts'
import { describePages, measurePages } from './pages.ts'

const downSeconds = 8

/** F-R1: every server is down when an application starts, and comes up later. */
export function downAtStart(): Promise<FaultResult> {
  return absentAtStart('every server is down at the start', {
    leave: ({ nodes }) => Promise.all(nodes.map((node) => node.kill())),
    come: ({ nodes }) => Promise.all(nodes.map((node) => node.start())),
  })
}

/** F-R1: every server takes connections at the start, and answers nothing. */
export function hungAtStart(): Promise<FaultResult> {
  return absentAtStart('every server hangs at the start', {
    leave: async ({ nodes }) => nodes.map((node) => node.pause()),
    come: async ({ nodes }) => nodes.map((node) => node.resume()),
  })
}

interface Absence {
  leave(servers: RedisServers): Promise<unknown>
  come(servers: RedisServers): Promise<unknown>
}

async function absentAtStart(title: string, { leave, come }: Absence): Promise<FaultResult> {
  const servers = await startRedisCluster({ isSecure: true })
  try {
    await leave(servers)
    const startedMs = performance.now()
    await using running = await runFile('app/main.ts', { APP_STORE: servers.address })
    const listensMs = Math.round(performance.now() - startedMs)
    const first = (await ask(`${running.url}/nope`)).token ?? ''
    const figures = await measurePages(running, downSeconds)
    const { status, body } = await ask(`${running.url}/_profiler/status`)
    const isSaid = status === 200 && /not reachable|out of reach|unreachable/i.test(body)
    await come(servers)
    await servers.untilWhole()
    const storedMs = await untilStored(servers.address, running, first)
    const isSecretKept = !`${running.output}${body}`.includes(redisPassword)
    return {
      fault: 'F-R1',
      title,
      criterion:
        'starts; all pages answered; the status page says why; profiles of before are stored 2 s after; no secret',
      observed: `listens after ${listensMs} ms; ${describePages(figures)}; status page ${isSaid ? 'says' : 'does NOT say'} it; first profile stored ${storedMs === null ? 'NOT within 20 s' : `${storedMs} ms`} after the servers were whole; password shown: ${isSecretKept ? 'no' : 'YES'}`,
      isMet: figures.failed === 0 && isSaid && storedMs !== null && storedMs <= 2000 && isSecretKept,
    }
  } finally {
    await servers.stop()
  }
}

/** Milliseconds until another process can read a profile of before, and one that is made now; `null` after 20 s. */
async function untilStored(address: string, { url }: RunningProcess, first: string): Promise<number | null> {
  const startedMs = performance.now()
  const engine = await openEngine(address)
  try {
    const { token = '' } = await ask(`${url}/nope`)
    await until(async () => {
      const found = await Promise.all([first, token].map((one) => engine.profiles.read(one).catch(() => undefined)))
      return found.every((profile) => profile !== undefined)
    }, 20_000)
    return Math.round(performance.now() - startedMs)
  } catch {
    return null
  } finally {
    await engine.close()
  }
}
