// One run of a task of a schedule: when it was due, when it is due next, and what was skipped before it.

import { counted, formatDuration } from '../../base/html/components.ts'
import { type Blocks, type Line, facts, heading, note, table } from '../blocks/blocks.ts'
import type { DescribedPart } from '../blocks/described-part.ts'
import type { KeptName } from '../../http/recording/recording.ts'

export const taskName: KeptName<TaskData> = 'task'

export interface TaskData {
  /** `node-cron`, `croner`. */
  readonly library: string
  readonly name: string
  /** As the application wrote it: `*\/5 * * * *`. */
  readonly pattern: string
  /** `invoked`: the application started this run itself. */
  readonly reason: 'scheduled' | 'invoked'
  /** When it was due, milliseconds since 1970; `null` if nothing is known of it. */
  readonly dueAt: number | null
  /** Milliseconds between that and its start. */
  readonly lateMs: number | null
  /** When it is due next; `null`: never. */
  readonly nextAt: number | null
  /** How many runs of the task were still going when this one began. */
  readonly stillRunning: number
  /** Times since the run before it at which the task did not run, oldest first. */
  readonly skipped: readonly SkippedRun[]
  /** Those beyond the limit. */
  readonly skippedMore: boolean
}

/** `overlap`: the run before it was still running. `missed`: the process was busy, or something else delayed it. */
export interface SkippedRun {
  readonly dueAt: number
  readonly reason: 'overlap' | 'missed'
}

export const taskPart: DescribedPart<TaskData> = {
  name: 'task',
  title: 'Task',
  of: 'tasks',
  empty: 'This is not the profile of a scheduled task.',
  badge: ({ skipped }) =>
    skipped.length === 0
      ? undefined
      : { count: skipped.length, tone: 'warning', hint: `${counted(skipped.length, 'run')} skipped before this one` },
  draw: (data) => [
    facts('Task', [
      ['Task', { code: data.name }],
      ['Pattern', [{ code: data.pattern }, { recorded: `(${data.library})` }]],
      ['Started', start(data)],
      ['Next run', data.nextAt === null ? 'none' : { time: data.nextAt }],
    ]),
    note(
      data.stillRunning !== 0 &&
        `${counted(data.stillRunning, 'earlier run')} of the task had not ended when this one began.`,
    ),
    ...skippedRuns(data),
  ],
}

function start({ reason, dueAt, lateMs }: TaskData): Line {
  if (reason === 'invoked') return 'by the application itself'
  if (dueAt === null || lateMs === null) return 'by its schedule'
  return [`${formatDuration(lateMs)} after it was due,`, { time: dueAt }]
}

const reasons: Readonly<Record<SkippedRun['reason'], Line>> = {
  overlap: [{ mark: 'overlap', tone: 'warning' }, 'the run before it had not ended'],
  missed: [{ mark: 'missed', tone: 'error' }, 'the process was busy, or the library did not start it'],
}

function skippedRuns({ skipped, skippedMore }: TaskData): Blocks {
  if (skipped.length === 0) return []
  return [
    heading('Skipped since the run before'),
    table(
      'Times at which the task did not run',
      'run',
      ['Due', 'Why'],
      skipped.map(({ dueAt, reason }) => [{ time: dueAt }, reasons[reason]]),
    ),
    note(skippedMore && 'Later ones were not kept.'),
  ]
}
