// The jobs that the request added to queues, with the runs that there are of them by now.

import { formatCount, formatDuration } from '../../base/html/components.ts'
import { type Line, place, table } from '../../observe/blocks/blocks.ts'
import { runLinks, type JobRun, type JobData } from '../../observe/collectors/runs.ts'
import type { ActivityKind, Happening } from '../../observe/activities/activity.ts'

/** Jobs that were added to a queue by one call. */
export interface JobsFacts extends Pick<JobData, 'library' | 'queue'> {
  /** Names, each once. */
  readonly names: readonly string[]
  readonly count: number
  /** Those of the first 100 jobs; empty while they are not known. */
  readonly ids: readonly string[]
  /** Milliseconds until it may begin; `null` if it is not known. */
  readonly delayMs: number | null
  /** Known when the profile is read. */
  readonly runs?: readonly JobRun[]
}

export const jobs: ActivityKind<JobsFacts> = {
  name: 'jobs',
  title: 'Jobs',
  noun: ['job', 'jobs'],
  most: 200,
  empty: 'No job was added to a queue. Pass your BullMQ queues and workers to observe().',
  flag: { word: 'could not be added', tone: 'error', is: ({ error }) => error !== null },
  count: ({ count }) => count,
  draw: ({ entries }) => [
    table(
      'Jobs that were added',
      'call',
      [{ number: 'Start' }, { number: 'Time' }, 'Job', 'Runs'],
      entries.map((entry) => cellsOf(entry)),
    ),
  ],
}

function cellsOf(entry: JobsFacts & Happening): readonly Line[] {
  const { startMs, durationMs, names, count, queue, library, ids, delayMs, callSite, error, runs = [] } = entry
  const later = delayMs === null || delayMs === 0 ? null : `begins ${formatDuration(delayMs)} later`
  return [
    formatDuration(startMs),
    durationMs === null ? '–' : formatDuration(durationMs),
    [
      count === 1 ? null : { strong: `${formatCount(count)} ×` },
      { code: names.join(', ') },
      ...(ids.length === 0 ? [] : ['id', { code: ids.join(', ') }]),
      {
        quiet: ['to', { code: queue }, { recorded: `(${library})` }, later, place(callSite)],
      },
      error === null ? null : { failure: error },
    ],
    runs.length === 0 ? { quiet: 'none yet' } : runLinks(runs),
  ]
}
