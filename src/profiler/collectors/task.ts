// Data of the collector `task`: one run of a task of a schedule.

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
