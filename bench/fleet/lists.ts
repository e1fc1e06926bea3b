// Lists of ten thousand to a million small profiles: what one asks for on the clock, and what one call costs a server.

import { formatCount } from '../../src/framework/html/components.ts'
import { openEngine } from '../../src/stores/open-engine.ts'
import type { Engine } from '../../src/stores/engine.ts'
import type { PageRequest, ProfileFilter } from '../../src/profiler/profile-store.ts'
import { makeProfile, makeToken } from '../../test/support/profiles.ts'
import { startRedisCluster, type RedisServers } from '../../test/support/redis-cluster.ts'
import { median } from '../http/figures.ts'
import { serverTime, type Bar } from './bar.ts'

const letters = '0123456789abcdefghijklmnopqrstuvwxyz'
const batchSize = 1000
const writesAtOnce = 8
const repeats = 21

/** `sizes`: how many profiles there are each time, growing. */
export async function lists(sizes: readonly number[]): Promise<readonly Bar[]> {
  const servers = await startRedisCluster({ replicas: 0 })
  const engine = await openEngine(servers.address, { maxProfiles: 2_000_000, maxBytes: 2 ** 40 })
  const bars: Bar[] = []
  let written = 0
  try {
    for (const size of sizes) {
      const startedMs = performance.now()
      await fill(engine, written, size)
      const fillSeconds = (performance.now() - startedMs) / 1000
      const perSecond = Math.round((size - written) / fillSeconds)
      written = size
      const named = formatCount(size)
      const calls = await timed(servers, () => list(engine, {}, { limit: 25 }))
      const long = await timed(servers, () => list(engine, {}, { limit: 200 }))
      const rare = await timed(servers, () => list(engine, { status: '5xx' }, { limit: 25 }))
      bars.push({
        what: `list of ${named} small profiles`,
        asked: '50 ms; a server call 5 ms',
        seen: `25: ${calls.ms.toFixed(1)} ms, 200: ${long.ms.toFixed(1)} ms, a rare status: ${rare.ms.toFixed(1)} ms${rare.note}; longest server call ${Math.max(calls.slowestMs, long.slowestMs, rare.slowestMs).toFixed(1)} ms on the clock; servers ${(calls.serverUs / 1000).toFixed(1)} ms of processor a list (written at ${perSecond} a second)`,
        isMet: calls.ms <= 50 && Math.max(calls.slowestMs, long.slowestMs, rare.slowestMs) <= 5,
      })
    }
    const oldest = await timed(servers, () => list(engine, { url: '/orders/12345' }, { limit: 25 }), 5)
    const none = await timed(servers, () => list(engine, { url: 'nowhere' }, { limit: 25 }), 5)
    bars.push({
      what: `part of a URL in ${formatCount(written)}`,
      asked: '1 s, or says what was searched',
      seen: `one match: ${oldest.ms.toFixed(0)} ms${oldest.note}, none: ${none.ms.toFixed(0)} ms${none.note}; longest server call ${Math.max(oldest.slowestMs, none.slowestMs).toFixed(1)} ms`,
      isMet: Math.max(oldest.ms, none.ms) <= 1000,
    })
  } finally {
    await engine.close()
    await servers.stop()
  }
  return bars
}

interface Timed {
  /** Median. */
  readonly ms: number
  /** Of all servers, for one list. */
  readonly serverUs: number
  /** The longest call of a server, on the clock: whoever else used the processor meanwhile is in it. */
  readonly slowestMs: number
  readonly note: string
}

async function timed(servers: RedisServers, call: () => Promise<string>, count = repeats): Promise<Timed> {
  for (const node of servers.nodes) {
    await node.command('CONFIG', 'SET', 'slowlog-log-slower-than', '500')
    await node.command('SLOWLOG', 'RESET')
  }
  const before = serverTime(servers)
  const taken: number[] = []
  let note = ''
  for (let turn = 0; turn < count; turn += 1) {
    const startedMs = performance.now()
    note = await call()
    taken.push(performance.now() - startedMs)
  }
  const serverUs = (serverTime(servers) - before) / count
  const slowest: number[] = []
  for (const node of servers.nodes) {
    // Number, time, microseconds, command and its arguments.
    const entries = (await node.command('--json', 'SLOWLOG', 'GET', '128')) || '[]'
    for (const [, , us] of JSON.parse(entries) as readonly (readonly [number, number, number])[]) slowest.push(us)
  }
  return { ms: median(taken), serverUs, slowestMs: Math.max(0, ...slowest) / 1000, note }
}

/** Gives what has to be said beside its time. */
async function list({ profiles }: Engine, filter: ProfileFilter, page: PageRequest): Promise<string> {
  const { searchedNewest } = await profiles.find(filter, page)
  return searchedNewest === undefined ? '' : ` (the newest ${formatCount(searchedNewest)})`
}

async function fill({ profiles }: Engine, from: number, to: number): Promise<void> {
  let next = from
  const lane = async (): Promise<void> => {
    while (next < to) {
      const first = next
      next += batchSize
      const ending = letters[(first / batchSize) % letters.length]
      await profiles.write(
        Array.from({ length: Math.min(batchSize, to - first) }, (_, index) => {
          const number = first + index
          return makeProfile({
            token: makeToken().slice(0, 12) + ending,
            url: `http://127.0.0.1:8000/orders/${number}`,
            status: number % 5000 === 500 ? 503 : number % 5 === 0 ? 404 : 200,
            route: `route_${index % 40}`,
            durationMs: (index % 97) + 0.5,
          })
        }),
      )
    }
  }
  await Promise.all(Array.from({ length: writesAtOnce }, lane))
}
