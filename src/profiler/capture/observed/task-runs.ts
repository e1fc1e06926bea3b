// The runs of one scheduled task, whichever library calls it.

import { runInExchange } from '../../../framework/kernel/current-exchange.ts'
import type { Exchange, Failure } from '../../../framework/kernel/exchange.ts'
import type { SkippedRun, TaskData } from '../../collectors/task.ts'
import { withRunRecorder, type RunRecorder } from '../../runs/run-recorder.ts'
import { followCall } from '../follow-call.ts'

/** What its library knows of a task. */
export interface Schedule {
  readonly library: string
  name(): string
  pattern(): string
  /** The times at which it is due next, none if it is stopped. */
  nextRuns(count: number): readonly Date[]
}

export interface TaskStart {
  readonly reason: TaskData['reason']
  /** Milliseconds since 1970. Default: the latest time at which the task was due. */
  readonly dueAt?: number
}

/** Ends a run; `null`: it did not fail. */
type EndRun = (failure: Failure | null) => void

/** Skipped times that a run tells of. */
const maxSkipped = 20
const maxTextLength = 200

export class TaskRuns {
  readonly #schedule: Schedule
  /** The times at which the task is due, from the newest run on. */
  #due: readonly number[] = []
  #running = 0
  #newest: { readonly startedAt: number; endedAt: number | null } | undefined

  constructor(schedule: Schedule) {
    this.#schedule = schedule
    this.#due = this.#nextTimes()
  }

  /** Runs it as a recorded run. What it gives and throws passes through. */
  run(start: TaskStart, work: () => unknown): unknown {
    return withRunRecorder((recorder) => {
      const begun = recorder === undefined ? undefined : this.begin(recorder, start)
      if (begun === undefined) return work()
      const { exchange, end } = begun
      return runInExchange(exchange, () => {
        const span = exchange.recording?.startSpan({ name: exchange.handlerName, category: 'controller' })
        const ended = (failure: Failure | null): void => {
          span?.end(failure === null ? 'ok' : 'error')
          end(failure)
        }
        return followCall(
          work,
          () => ended(null),
          (thrown) => ended({ thrown }),
        )
      })
    })
  }

  /** Begins a run whose code is elsewhere, or that `run` runs. `undefined`: it is not recorded. */
  begin(recorder: RunRecorder, { reason, dueAt }: TaskStart): { exchange: Exchange; end: EndRun } | undefined {
    const name = this.#schedule.name().slice(0, maxTextLength)
    const run = recorder.begin({ type: 'task', name })
    if (run === undefined) return undefined
    const now = Date.now()
    const data = this.#dataOf(name, reason, now, dueAt)
    if (reason === 'scheduled') this.#due = this.#nextTimes()
    run.keep({ ...data, nextAt: this.#due[0] ?? null })
    const own = { startedAt: now, endedAt: null as number | null }
    this.#newest = own
    this.#running += 1
    return {
      exchange: run.exchange,
      end: (failure) => {
        this.#running -= 1
        own.endedAt = Date.now()
        void run.end(failure)
      },
    }
  }

  /** For a task that was stopped: it skips nothing until it runs again. */
  stopped(): void {
    this.#due = []
  }

  #dataOf(name: string, reason: TaskData['reason'], now: number, given: number | undefined): TaskData {
    const { library } = this.#schedule
    const isScheduled = reason === 'scheduled'
    const dueAt = isScheduled ? (given ?? this.#due.findLast((time) => time <= now) ?? null) : null
    const skipped = dueAt === null ? [] : this.#due.filter((time) => time < dueAt)
    return {
      library,
      name,
      pattern: this.#schedule.pattern().slice(0, maxTextLength),
      reason,
      dueAt,
      lateMs: dueAt === null ? null : Math.max(0, now - dueAt),
      nextAt: null,
      stillRunning: this.#running,
      skipped: skipped.slice(0, maxSkipped).map((time) => this.#skipped(time)),
      skippedMore: skipped.length > maxSkipped,
    }
  }

  #skipped(dueAt: number): SkippedRun {
    const { startedAt, endedAt } = this.#newest ?? { startedAt: Infinity, endedAt: null }
    const isOverlap = dueAt >= startedAt && (endedAt === null || dueAt <= endedAt)
    return { dueAt, reason: isOverlap ? 'overlap' : 'missed' }
  }

  #nextTimes(): readonly number[] {
    try {
      return this.#schedule.nextRuns(maxSkipped + 1).map((date) => date.getTime())
    } catch {
      // A pattern that never comes again.
      return []
    }
  }
}
