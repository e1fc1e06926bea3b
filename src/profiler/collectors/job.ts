// Data of the collector `job`: one run of a job of a queue.

import type { DumpedValue } from '../../framework/redact/redactor.ts'

/** What became of a run: `retried` failed and is run again; `moved` left the job in the queue without an end. */
export type JobOutcome = 'running' | 'completed' | 'failed' | 'retried' | 'moved'

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
}

/** The name of a run: `mail/welcome`. */
export function jobRunName(queue: string, name: string): string {
  return `${queue}/${name}`
}

/** What tells runs of one name apart: `id=12`. */
export function jobRunQuery(id: string): string {
  return `id=${encodeURIComponent(id)}`
}
