// The pace of a fleet: eight applications that are asked for more than they may keep together.

import type { RecorderStatus } from '../../src/profiler/sampling/recorder-status.ts'
import { startRedisCluster } from '../../test/support/redis-cluster.ts'
import { runFile } from '../../test/support/running-process.ts'
import { sendPaced } from '../recording/paced.ts'
import { seconds } from '../../scripts/faults/place.ts'
import type { Bar } from './bar.ts'

const processes = 8
const budget = 100
/** The last one is quiet: it asks for less than its share. */
const perSecond = [25, 25, 25, 25, 25, 25, 25, 5]
const warmSeconds = 15
const measuredSeconds = 10

/** One run. */
export async function pace(): Promise<readonly Bar[]> {
  const servers = await startRedisCluster()
  const env = { APP_STORE: servers.address, APP_RECORD_FLEET_PER_SECOND: String(budget) }
  const fleet = await Promise.all(Array.from({ length: processes }, () => runFile('app/main.ts', env)))
  try {
    const sent = Promise.all(
      fleet.map(({ url }, index) =>
        sendPaced(url, '/health/live', {
          perSecond: perSecond[index] ?? 0,
          connections: 2,
          seconds: warmSeconds + measuredSeconds + 2,
          sleeps: true,
        }),
      ),
    )
    const read = (): Promise<readonly number[]> => Promise.all(fleet.map(({ url }) => keptBy(url)))
    await seconds(warmSeconds)
    const before = await read()
    const startedMs = performance.now()
    await seconds(measuredSeconds)
    const after = await read()
    const elapsed = (performance.now() - startedMs) / 1000
    await sent
    const each = after.map((count, index) => (count - (before[index] ?? 0)) / elapsed)
    const all = each.reduce((sum, count) => sum + count, 0)
    const quiet = each.at(-1) ?? 0
    return [
      {
        what: `pace with ${processes} processes`,
        asked: 'budget + 5 % over 10 s',
        seen: `${all.toFixed(1)} a second of a budget of ${budget}, asked for ${perSecond.reduce((sum, one) => sum + one, 0)}; the quiet process keeps ${quiet.toFixed(1)} of ${perSecond.at(-1)}`,
        isMet: all <= budget * 1.05 && quiet >= 4.5,
      },
    ]
  } finally {
    await Promise.all(fleet.map((running) => running.end()))
    await servers.stop()
  }
}

async function keptBy(url: string): Promise<number> {
  const response = await fetch(`${url}/_profiler/status.json`)
  const { decided } = (await response.json()) as RecorderStatus
  return decided.kept
}
