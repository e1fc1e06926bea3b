// What pages feel of the store: two applications side by side, one with `memory:`, one on a cluster that is well, far away, failing
// over or down. Both are asked in turn, so that whatever else the machine does meets both.

import { startRedisCluster, type RedisServers } from '../../test/support/redis-cluster.ts'
import { runFile } from '../../test/support/running-process.ts'
import { measurePages, type PageFigures } from '../../scripts/faults/fleet/pages.ts'
import { median } from '../http/figures.ts'
import type { Bar } from './bar.ts'

const rounds = 3
const warmSeconds = 4
const measuredSeconds = 8
const allowedMs = 2

interface State {
  readonly name: string
  readonly isProxied?: boolean
  /** Before the applications start. */
  prepare?(servers: RedisServers): Promise<unknown>
  /** While pages are measured. */
  act?(servers: RedisServers): Promise<unknown>
}

const states: readonly State[] = [
  { name: 'cluster up' },
  {
    name: '200 ms latency',
    isProxied: true,
    async prepare({ nodes }) {
      for (const { proxy } of nodes) {
        if (proxy === undefined) continue
        proxy.delayMs = 100
        proxy.replicaDelayMs = 0
      }
    },
  },
  { name: 'failing over (primary killed)', act: async ({ nodes }) => nodes[0]?.kill() },
  { name: 'down from the start', prepare: ({ nodes }) => Promise.all(nodes.map((node) => node.kill())) },
]

/** The median of the rounds' differences counts. */
export async function pageTimes(): Promise<readonly Bar[]> {
  const bars: Bar[] = []
  for (const state of states) {
    const pairs: (readonly [plain: PageFigures, shared: PageFigures])[] = []
    for (let round = 0; round < rounds; round += 1) pairs.push(await measurePair(state))
    const difference = median(pairs.map(([plain, shared]) => shared.p99Ms - plain.p99Ms))
    const middle = median(pairs.map(([plain, shared]) => shared.p50Ms - plain.p50Ms))
    const failed = pairs.reduce((sum, [plain, shared]) => sum + plain.failed + shared.failed, 0)
    const each = pairs.map(([plain, shared]) => `${shared.p99Ms.toFixed(1)} / ${plain.p99Ms.toFixed(1)}`)
    bars.push({
      what: `page p99, ${state.name}`,
      asked: `memory: + ${allowedMs} ms`,
      seen: `${signed(difference)} ms (${each.join(', ')} ms; p50 ${signed(middle)} ms; ${failed} failed)`,
      isMet: difference <= allowedMs && failed === 0,
    })
  }
  return bars
}

async function measurePair(state: State): Promise<readonly [plain: PageFigures, shared: PageFigures]> {
  const servers = await startRedisCluster({ isProxied: state.isProxied ?? false })
  try {
    await state.prepare?.(servers)
    await using plain = await runFile('app/main.ts', { APP_STORE: 'memory:' })
    await using shared = await runFile('app/main.ts', { APP_STORE: servers.address })
    const measure = (forSeconds: number): Promise<[PageFigures, PageFigures]> =>
      Promise.all([measurePages(plain, forSeconds), measurePages(shared, forSeconds)])
    await measure(warmSeconds)
    const measuring = measure(measuredSeconds)
    await state.act?.(servers)
    return await measuring
  } finally {
    await servers.stop()
  }
}

function signed(ms: number): string {
  return `${ms < 0 ? '' : '+'}${ms.toFixed(1)}`
}
