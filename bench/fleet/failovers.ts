// Kill, hang, wake-up and move of slots under load: the faults of `npm run faults`, several runs each.

import { formatCount } from '../../src/framework/html/components.ts'
import {
  hungPrimary,
  killedPrimary,
  laggingReplica,
  movedSlots,
  wokenPrimary,
} from '../../scripts/faults/fleet/primaries.ts'
import { isWhole, runUnderLoad, type LoadRun } from '../../scripts/faults/fleet/under-load.ts'
import type { Bar } from './bar.ts'

const faults = [killedPrimary, hungPrimary, wokenPrimary, laggingReplica, movedSlots]

/** Each fault so many times. */
export async function failovers(runs: number): Promise<readonly Bar[]> {
  const bars: Bar[] = []
  for (const fault of faults) {
    const seen: LoadRun[] = []
    for (let run = 0; run < runs; run += 1) seen.push(await runUnderLoad(fault))
    const each = (pick: (run: LoadRun) => number): string => seen.map((run) => formatCount(pick(run))).join(', ')
    bars.push({
      what: fault.title,
      asked: '0 lost, 0 dropped, pause 1 s more than before',
      seen: `acknowledged ${each(({ acknowledged }) => acknowledged)}; lost ${each(({ lost }) => lost.length)}; dropped ${each(({ dropped }) => dropped)}; held at the end ${each(({ held }) => held)}; pause ${each(({ pauseMs }) => Math.round(pauseMs))} ms (before it ${each(({ calmPauseMs }) => Math.round(calmPauseMs))})`,
      isMet: seen.every((run) => isWhole(run) && run.pauseMs <= 1000 + run.calmPauseMs),
    })
  }
  return bars
}
