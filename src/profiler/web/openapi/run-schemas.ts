// Schemas of runs of jobs and tasks, and of jobs that were added.

import type { JobData, JobRun } from '../../collectors/job.ts'
import type { JobsData } from '../../collectors/jobs.ts'
import type { SkippedRun, TaskData } from '../../collectors/task.ts'
import { activities, happening } from './activities.ts'
import { instant, nullableNumber, nullableText, sentences, token } from './profiles.ts'
import type { KnownTask, KnownTasks, TaskRun } from '../../runs/read-tasks.ts'
import {
  boolean,
  integer,
  list,
  named,
  nullable,
  number,
  object,
  oneOf,
  optional,
  text,
  type Schema,
} from './schema.ts'
import { dumpedValue } from './values.ts'

const jobRun: Schema<JobRun> = named(
  'JobRun',
  'A run of a job. Status 200: it completed; 500: it failed.',
  object<JobRun>({ token, status: integer() }),
)

export const job: Schema<JobData> = named(
  'JobData',
  'A run of a job. Instants are milliseconds since 1970, times milliseconds; null: unknown.',
  object<JobData>({
    library: text(),
    queue: text(),
    name: text(),
    id: text(),
    outcome: oneOf('running', 'completed', 'failed', 'retried', 'moved'),
    attempt: nullableNumber,
    maxAttempts: nullableNumber,
    addedAt: nullableNumber,
    waitedMs: nullableNumber,
    delayMs: nullableNumber,
    retryDelayMs: nullableNumber,
    data: nullable(dumpedValue),
    result: nullable(dumpedValue),
    addedBy: nullable(token),
    runs: optional(list(jobRun)),
  }),
)

export const task: Schema<TaskData> = named(
  'TaskData',
  'A run of a scheduled task. Instants are milliseconds since 1970, times milliseconds; null: unknown.',
  object<TaskData>({
    library: text(),
    name: text(),
    pattern: text(),
    reason: oneOf('scheduled', 'invoked'),
    dueAt: nullableNumber,
    lateMs: nullableNumber,
    nextAt: nullableNumber,
    stillRunning: integer(),
    skipped: list(object<SkippedRun>({ dueAt: number(), reason: oneOf('overlap', 'missed') })),
    skippedMore: boolean(),
  }),
)

export const jobs: Schema<JobsData> = activities(
  'JobsData',
  'Jobs that the request added to queues, with the runs that there are of them. Times are milliseconds; null: unknown.',
  object<JobsData['entries'][number]>({
    ...happening,
    library: text(),
    queue: text(),
    names: sentences,
    count: integer(),
    ids: sentences,
    delayMs: nullableNumber,
    runs: optional(list(jobRun)),
  }),
)

const taskRun = named(
  'TaskRun',
  'A run of a scheduled task, and what it failed with.',
  object<TaskRun>({ token, time: instant, durationMs: number(), error: nullableText }),
)

export const knownTasks: Schema<KnownTasks> = named(
  'KnownTasks',
  'The scheduled tasks of kept runs. isCut: the store has older runs.',
  object<KnownTasks>({
    tasks: list(
      object<KnownTask>({
        name: text(),
        service: nullableText,
        library: nullableText,
        pattern: nullableText,
        runs: integer(),
        failed: integer(),
        last: taskRun,
        lastFailed: nullable(taskRun),
        nextAt: nullable(instant),
      }),
    ),
    isCut: boolean(),
  }),
)
