// Primaries whose clocks are apart (F-R12): a library is preloaded into two of them, so this needs a C compiler.

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { openEngine } from '../../../src/app/open-engine.ts'
import { startFleetLoad } from '../../../test/support/fleet-load.ts'
import { startRedisCluster } from '../../../test/support/redis-cluster.ts'
import { until } from '../../../test/support/until.ts'
import type { FaultResult } from '../fault.ts'
import { makePlace } from '../place.ts'

/** Of the primaries; a replica has the clock of its primary. */
const offsetsMs = [0, 60_000, -60_000]
const profiles = 600

/** F-R12: one minute ahead and one minute behind, watched by a live list. */
export async function clocksApart(): Promise<FaultResult> {
  const row = {
    fault: 'F-R12',
    title: 'clocks of primaries are one minute ahead and one behind',
    criterion: 'a live list misses nothing; nothing is lost; nothing goes for its age',
  }
  using place = makePlace()
  const library = join(place.path, 'clock-offset.so')
  const source = join(import.meta.dirname, 'clock-offset.c')
  try {
    await promisify(execFile)('cc', ['-shared', '-fPIC', '-O1', '-o', library, source, '-ldl'])
  } catch {
    return { ...row, observed: 'not tried: there is no C compiler', isMet: null }
  }
  const env = (index: number): Readonly<Record<string, string>> => ({
    LD_PRELOAD: library,
    CLOCK_OFFSET_MS: String(offsetsMs[index % offsetsMs.length]),
  })
  const servers = await startRedisCluster({ env })
  const watcher = await openEngine(servers.address, { maxProfiles: 100_000 })
  try {
    const times = await Promise.all(servers.nodes.slice(0, 3).map((node) => node.command('TIME')))
    const seconds = times.map((time) => Math.round(Number(time.split('\n')[0]) - Date.now() / 1000))
    let { newest } = await watcher.profiles.find({}, { limit: 1 })
    const seen = new Set<string>()
    await using load = await startFleetLoad({
      store: servers.address,
      processes: 2,
      perSecond: 60,
      maxProfiles: 100_000,
      kind: 'small',
    })
    const look = async (): Promise<number> => {
      const page = await watcher.profiles.find({}, { newerThan: newest, limit: 200 })
      for (const { token } of page.items) seen.add(token)
      newest = page.newest
      return page.items.length
    }
    await until(async () => {
      await look()
      return load.acknowledged >= profiles
    })
    const judgement = await load.judge()
    while ((await look()) > 0);
    const missed = judgement.acknowledged - seen.size
    return {
      ...row,
      observed: `clocks off by ${seconds.join(', ')} s; ${judgement.acknowledged} acknowledged, ${judgement.lost.length} lost, ${missed} missed by the live list`,
      isMet: judgement.lost.length === 0 && missed === 0 && Math.max(...seconds) - Math.min(...seconds) > 100,
    }
  } finally {
    await watcher.close()
    await servers.stop()
  }
}
