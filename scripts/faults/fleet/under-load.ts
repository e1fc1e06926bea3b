// The load under which most faults of a fleet act: four processes that write 200 profiles a second each to a cluster of three
// primaries and three replicas, judged by what can be read afterwards.

import { describeJudgement, startFleetLoad, type FleetLoad, type Judgement } from '../../../test/support/fleet-load.ts'
import { startRedisCluster, type RedisOptions, type RedisServers } from '../../../test/support/redis-cluster.ts'
import type { FaultResult } from '../fault.ts'
import { seconds } from '../place.ts'

/** A fault that acts while profiles are written. */
export interface LoadFault {
  /** Its number in the list of faults: `F-R2`. */
  readonly fault: string
  readonly title: string
  readonly servers?: RedisOptions
  /** Longest pause of a process, in milliseconds, beyond what it has on this machine without a fault. Default: 1000. */
  readonly maxPauseMs?: number
  /** Does it; resolves when it is over, with what else was seen. */
  act(servers: RedisServers, load: FleetLoad): Promise<string>
  /** What else must hold. Default: nothing. */
  isMet?(judgement: Judgement): boolean
}

/** What one run of such a fault has shown. */
export interface LoadRun extends Judgement {
  readonly said: string
}

/** More than a load makes, so that no profile goes for want of room; 36 partitions. */
const maxProfiles = 1_000_000
const maxBytes = 2 ** 36

const calmSeconds = 3

/** Runs it once. */
export async function runUnderLoad({ servers: options, act }: LoadFault): Promise<LoadRun> {
  const servers = await startRedisCluster(options)
  try {
    const task = { store: servers.address, processes: 4, perSecond: 200, maxProfiles, maxBytes, kind: 'page' as const }
    await using load = await startFleetLoad(task)
    await seconds(calmSeconds)
    load.mark()
    const said = await act(servers, load)
    await seconds(calmSeconds)
    return { ...(await load.judge()), said }
  } finally {
    await servers.stop()
  }
}

/** The fault as a row of the table. */
export async function resultUnderLoad(fault: LoadFault): Promise<FaultResult> {
  const { maxPauseMs = 1000, isMet = () => true } = fault
  const run = await runUnderLoad(fault)
  return {
    fault: fault.fault,
    title: fault.title,
    criterion: `0 acknowledged lost, 0 dropped, 0 held at the end; pause <= ${maxPauseMs} ms more than before`,
    observed: [describeJudgement(run), run.said].filter((part) => part !== '').join('; '),
    isMet: isWhole(run) && run.pauseMs <= maxPauseMs + run.calmPauseMs && isMet(run),
  }
}

/** Whether everything that was made is stored. */
export function isWhole({ acknowledged, lost, dropped, held }: Judgement): boolean {
  return acknowledged > 0 && lost.length === 0 && dropped === 0 && held === 0
}
