// One run of a job of a queue: what it was given, how it ended, who added it and which other runs there are.

import { formatCount, formatDuration } from '../../base/html/components.ts'
import { type Blocks, type Inline, type Line, facts, heading, text, value } from '../blocks/blocks.ts'
import type { DescribedPart } from '../blocks/described-part.ts'
import type { DumpedValue } from '../../base/redact/redactor.ts'
import type { KeptName } from '../../http/recording/recording.ts'

/** What became of a run: `retried` failed and is run again; `moved` left the job in the queue without an end. */
export type JobOutcome = 'running' | 'completed' | 'failed' | 'retried' | 'moved'

export const jobName: KeptName<JobData> = 'job'

export interface JobData {
  /** `bullmq` */
  readonly library: string
  readonly queue: string
  readonly name: string
  readonly id: string
  readonly outcome: JobOutcome
  /** Counted from 1; `null` while it is not known. */
  readonly attempt: number | null
  readonly maxAttempts: number | null
  /** When it was added, by the clock of that machine, milliseconds since 1970. */
  readonly addedAt: number | null
  /** Milliseconds between that and its start. */
  readonly waitedMs: number | null
  /** The delay that it was added with, in milliseconds. */
  readonly delayMs: number | null
  /** Until it is run again, in milliseconds; `null` if it is not. */
  readonly retryDelayMs: number | null
  /** Masked. */
  readonly data: DumpedValue | null
  readonly result: DumpedValue | null
  /** Token of the profile that added it. */
  readonly addedBy: string | null
  /** All runs of the job, this one included, oldest first. Known when the profile is read. */
  readonly runs?: readonly JobRun[]
}

/** A run of a job, as profiles that name the job link to it. */
export interface JobRun {
  readonly token: string
  readonly status: number
  readonly durationMs: number
}

/** The name of a run: `mail/welcome`. */
export function jobRunName(queue: string, name: string): string {
  return `${queue}/${name}`
}

/** What tells runs of one name apart: `id=12`. */
export function jobRunQuery(id: string): string {
  return `id=${encodeURIComponent(id)}`
}

export const jobPart: DescribedPart<JobData> = {
  name: 'job',
  title: 'Job',
  of: 'jobs',
  empty: 'This is not the profile of a job.',
  badge: ({ outcome }) =>
    outcome === 'failed' || outcome === 'retried' ? { count: 1, tone: 'error', hint: 'failed' } : undefined,
  draw: (data) => [
    facts('Job', [
      ['Queue', [{ code: data.queue }, { recorded: `(${data.library})` }]],
      ['Job', [{ code: data.name }, 'id', { code: data.id }]],
      ['Ended', ending(data)],
      ['Attempt', attempt(data)],
      ['Added', added(data)],
      ['Added by', data.addedBy === null ? 'no recorded request' : { profile: data.addedBy, panel: 'jobs' }],
    ]),
    ...otherRuns(data.runs ?? []),
    value('Data', data.data, true),
    value('Result', data.result, true),
  ],
}

const endings: Readonly<Record<JobOutcome, Line>> = {
  running: { mark: 'still running' },
  completed: { mark: 'completed', tone: 'success' },
  failed: { mark: 'failed', tone: 'error' },
  retried: { mark: 'failed, runs again', tone: 'error' },
  moved: { mark: 'put back into its queue' },
}

function ending({ outcome, retryDelayMs }: JobData): Line {
  const wait = retryDelayMs === null ? null : retryDelayMs === 0 ? 'at once' : `in ${formatDuration(retryDelayMs)}`
  return [endings[outcome], wait].flat()
}

function attempt({ attempt: count, maxAttempts }: JobData): string {
  if (count === null) return 'not known'
  return `${formatCount(count)}${maxAttempts === null ? '' : ` of ${formatCount(maxAttempts)}`}`
}

function added({ addedAt, waitedMs, delayMs }: JobData): Line {
  if (addedAt === null) return 'not known'
  const wait = waitedMs === null ? null : `${formatDuration(waitedMs)} before this run`
  const delay = delayMs === null || delayMs === 0 ? null : `with a delay of ${formatDuration(delayMs)}`
  return [{ time: addedAt }, wait, delay]
}

function otherRuns(runs: readonly JobRun[]): Blocks {
  return runs.length < 2 ? [] : [heading('All runs of this job'), text(runLinks(runs))]
}

/** The runs of a job, oldest first, with how each ended. */
export function runLinks(runs: readonly JobRun[]): readonly Inline[] {
  return runs.flatMap(({ token, status, durationMs }) => [
    status === 200 ? { mark: 'done', tone: 'success' } : { mark: 'failed', tone: 'error' },
    { profile: token, text: `in ${formatDuration(durationMs)}` },
  ])
}
