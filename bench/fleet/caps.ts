// Bounds of the store while four processes write more than fits: never exceeded, and what Redis needs for what is counted.

import { formatCount } from '../../src/base/html/components.ts'
import { openEngine } from '../../src/app/open-engine.ts'
import { startFleetLoad } from '../../test/support/fleet-load.ts'
import { startRedisCluster } from '../../test/support/redis-cluster.ts'
import { seconds } from '../../scripts/faults/place.ts'
import { infoOf, type Bar } from './bar.ts'

const runs = [
  { what: 'by count', kind: 'page', maxProfiles: 4000, maxBytes: 2 ** 30, perSecond: 250 },
  { what: 'by bytes', kind: 'page', maxProfiles: 20_000, maxBytes: 4 * 1024 * 1024, perSecond: 250 },
  { what: 'by count, small profiles', kind: 'small', maxProfiles: 10_000, maxBytes: 2 ** 30, perSecond: 800 },
] as const
const loadSeconds = 20

/** One run for each bound. */
export async function caps(): Promise<readonly Bar[]> {
  const bars: Bar[] = []
  for (const { what, ...task } of runs) {
    const servers = await startRedisCluster()
    const primaries = servers.nodes.slice(0, 3)
    const empty = await infoOf(primaries, 'memory', 'used_memory_dataset')
    try {
      await using load = await startFleetLoad({ ...task, store: servers.address, processes: 4 })
      const engine = await openEngine(servers.address, task)
      const most = { count: 0, bytes: 0 }
      for (let look = 0; look < loadSeconds * 5; look += 1) {
        const { count, bytes } = await engine.profiles.stats()
        most.count = Math.max(most.count, count)
        most.bytes = Math.max(most.bytes, bytes)
        await seconds(0.2)
      }
      const written = load.acknowledged
      const { count, bytes, maxCount, maxBytes } = await engine.profiles.stats()
      // The servers' own figure also has room for what is on its way to replicas: it is read when all is calm.
      for (const { child } of load.processes) child.kill('SIGKILL')
      await seconds(2)
      const dataset = (await infoOf(primaries, 'memory', 'used_memory_dataset')) - empty
      const after = await engine.profiles.stats()
      await engine.close()
      bars.push({
        what: `four writers at the cap, ${what}`,
        asked: 'never exceeded; data 1.5 times what is counted',
        seen: `${formatCount(written)} written; most ${formatCount(most.count)} of ${formatCount(maxCount)}, ${megabytes(most.bytes)} of ${megabytes(maxBytes)}; at the end ${formatCount(count)}, counted ${megabytes(bytes)}, data ${megabytes(dataset)} (${(dataset / after.bytes).toFixed(2)} times)`,
        isMet: most.count <= maxCount && most.bytes <= maxBytes && dataset <= after.bytes * 1.5,
      })
    } finally {
      await servers.stop()
    }
  }
  return bars
}

function megabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`
}
