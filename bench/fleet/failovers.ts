// Kill, hang, wake-up and move of slots under load: the faults of `npm run faults`, several runs each.

import { formatCount } from '../../src/base/html/components.ts'
import {
  hungPrimary,
  killedPrimary,
  laggingReplica,
  movedSlots,
  wokenPrimary,
} from '../../scripts/faults/fleet/primaries.ts'
import { isWhole, runUnderLoad, type LoadFault, type LoadRun } from '../../scripts/faults/fleet/under-load.ts'
import type { Bar } from './bar.ts'

const faults: Readonly<Record<string, LoadFault>> = {
  killed: killedPrimary,
  hung: hungPrimary,
  woken: wokenPrimary,
  lagging: laggingReplica,
  moved: movedSlots,
}

/** A part for each fault, which runs it so many times. */
export function failovers(runs: number): Readonly<Record<string, () => Promise<readonly Bar[]>>> {
  return Object.fromEntries(
    Object.entries(faults).map(([name, fault]) => [`failover-${name}`, async () => [await failover(fault, runs)]]),
  )
}

async function failover(fault: LoadFault, runs: number): Promise<Bar> {
  const seen: LoadRun[] = []
  for (let run = 0; run < runs; run += 1) seen.push(await runUnderLoad(fault))
  const each = (pick: (run: LoadRun) => number): string => seen.map((run) => formatCount(pick(run))).join(', ')
  return {
    what: fault.title,
    asked: '0 lost, 0 dropped, pause 1 s more than before',
    seen: `acknowledged ${each(({ acknowledged }) => acknowledged)}; lost ${each(({ lost }) => lost.length)}; dropped ${each(({ dropped }) => dropped)}; held at the end ${each(({ held }) => held)}; pause ${each(({ pauseMs }) => Math.round(pauseMs))} ms (before it ${each(({ calmPauseMs }) => Math.round(calmPauseMs))})`,
    isMet: seen.every((run) => isWhole(run) && run.pauseMs <= 1000 + run.calmPauseMs),
  }
}
