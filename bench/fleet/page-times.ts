// What pages feel of the store: the same application with `memory:` and on a cluster that is well, far away, failing over or down.

import { startRedisCluster, type RedisServers } from '../../test/support/redis-cluster.ts'
import { runFile } from '../../test/support/running-process.ts'
import { measurePages } from '../../scripts/faults/fleet/pages.ts'
import { median } from '../http/figures.ts'
import type { Bar } from './bar.ts'

const rounds = 3
const warmSeconds = 4
const measuredSeconds = 6
const allowedMs = 2

interface State {
  readonly name: string
  /** Before the application starts. */
  prepare?(servers: RedisServers): Promise<unknown>
  /** While pages are measured; resolves when it has begun. */
  act?(servers: RedisServers): Promise<unknown>
}

const states: readonly State[] = [
  { name: 'cluster up' },
  { name: '200 ms latency', prepare: async ({ nodes }) => nodes.map(({ proxy }) => proxy && (proxy.delayMs = 100)) },
  { name: 'failing over (primary killed)', act: async ({ nodes }) => nodes[0]?.kill() },
  { name: 'down from the start', prepare: ({ nodes }) => Promise.all(nodes.map((node) => node.kill())) },
]

/** Rounds of a run with memory and a run with the cluster in that state; the median of differences counts. */
export async function pageTimes(): Promise<readonly Bar[]> {
  const bars: Bar[] = []
  for (const state of states) {
    const differences: number[] = []
    const p99: string[] = []
    let failed = 0
    for (let round = 0; round < rounds; round += 1) {
      const plain = await pagesOf('memory:')
      const servers = await startRedisCluster({ isProxied: state.name.includes('latency') })
      try {
        await state.prepare?.(servers)
        const shared = await pagesOf(servers.address, () => state.act?.(servers))
        differences.push(shared.p99Ms - plain.p99Ms)
        p99.push(`${shared.p99Ms.toFixed(1)} / ${plain.p99Ms.toFixed(1)}`)
        failed += shared.failed + plain.failed
      } finally {
        await servers.stop()
      }
    }
    bars.push({
      what: `page p99, ${state.name}`,
      asked: `memory: + ${allowedMs} ms`,
      seen: `${signed(median(differences))} ms (${p99.join(', ')} ms; ${failed} failed)`,
      isMet: median(differences) <= allowedMs && failed === 0,
    })
  }
  return bars
}

async function pagesOf(store: string, act?: () => unknown): ReturnType<typeof measurePages> {
  await using running = await runFile('app/main.ts', { APP_STORE: store })
  await measurePages(running, warmSeconds)
  const measuring = measurePages(running, measuredSeconds)
  await act?.()
  return measuring
}

function signed(ms: number): string {
  return `${ms < 0 ? '' : '+'}${ms.toFixed(1)}`
}
