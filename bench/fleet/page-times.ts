// What pages feel of the store: two applications side by side, one with `memory:`, one on a cluster that is well, far away, failing
// over or down. Both are asked at the same time. Seconds in which the one with `memory:` was disturbed by whatever else the machine
// does are left out.

import { startRedisCluster, type RedisServers } from '../../test/support/redis-cluster.ts'
import { runFile } from '../../test/support/running-process.ts'
import { measurePages, type PageFigures, type PageSample } from '../../scripts/faults/fleet/pages.ts'
import { quantile } from '../../scripts/faults/place.ts'
import type { Bar } from './bar.ts'

/** Rounds go on until there are so many quiet seconds, or so many rounds. */
const enoughSeconds = 20
const maxRounds = 6
const warmSeconds = 4
const measuredSeconds = 8
const allowedMs = 2
const quietMs = 20

interface State {
  /** For `--only`. */
  readonly part: string
  readonly name: string
  readonly isProxied?: boolean
  /** Before the applications start. */
  prepare?(servers: RedisServers): Promise<unknown>
  /** While pages are measured. */
  act?(servers: RedisServers): Promise<unknown>
}

const states: readonly State[] = [
  { part: 'up', name: 'cluster up' },
  {
    part: 'far',
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
  { part: 'failover', name: 'failing over (primary killed)', act: async ({ nodes }) => nodes[0]?.kill() },
  { part: 'down', name: 'down from the start', prepare: ({ nodes }) => Promise.all(nodes.map((node) => node.kill())) },
]

/** A part for each state. */
export const pageTimes: Readonly<Record<string, () => Promise<readonly Bar[]>>> = Object.fromEntries(
  states.map((state) => [`pages-${state.part}`, async () => [await pageTime(state)]]),
)

/** All quiet seconds of all rounds together count. */
async function pageTime(state: State): Promise<Bar> {
  const pairs: Pair[] = []
  while (pairs.length < maxRounds && pairs.flatMap(quietSeconds).length < enoughSeconds) {
    pairs.push(await measurePair(state))
  }
  const quiet = pairs.flatMap(quietSeconds)
  const at = (share: number, from: readonly Pair[], name: 'plain' | 'shared'): number =>
    quantile(
      from.flatMap((pair) => pair[name].map(({ ms }) => ms)),
      share,
    )
  const [plain, shared] = [at(0.99, quiet, 'plain'), at(0.99, quiet, 'shared')]
  const failed = pairs.reduce((sum, pair) => sum + pair.failed, 0)
  return {
    what: `page p99, ${state.name}`,
    asked: `memory: + ${allowedMs} ms`,
    seen: `${signed(shared - plain)} ms (${shared.toFixed(1)}, memory: ${plain.toFixed(1)}; ${quiet.length} quiet seconds); p50 of all ${at(0.5, pairs, 'shared').toFixed(1)}, memory: ${at(0.5, pairs, 'plain').toFixed(1)} ms; ${failed} failed`,
    isMet: quiet.length === 0 ? null : shared - plain <= allowedMs && failed === 0,
  }
}

/** The pages of two applications in the same time. */
interface Pair {
  readonly plain: readonly PageSample[]
  readonly shared: readonly PageSample[]
  readonly failed: number
}

/** Its seconds in which the application with `memory:` answered every page within 20 ms. */
function quietSeconds({ plain, shared }: Pair): readonly Pair[] {
  const secondOf = ({ atMs }: PageSample): number => Math.floor(atMs / 1000)
  const others = Map.groupBy(shared, secondOf)
  return [...Map.groupBy(plain, secondOf)]
    .filter(([, samples]) => samples.every(({ ms }) => ms <= quietMs))
    .map(([second, samples]) => ({ plain: samples, shared: others.get(second) ?? [], failed: 0 }))
}

async function measurePair(state: State): Promise<Pair> {
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
    const [one, other] = await measuring
    return { plain: one.samples, shared: other.samples, failed: one.failed + other.failed }
  } finally {
    await servers.stop()
  }
}

function signed(ms: number): string {
  return `${ms < 0 ? '' : '+'}${ms.toFixed(1)}`
}
