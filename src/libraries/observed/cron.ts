// Scheduled tasks: jobs of croner and tasks of node-cron, and the runs of each.

import { define, followCall } from '../../http/kernel/follow-call.ts'
import { hasMethods, markObserved, wrapMethod, type ObservableOf } from './wrap-method.ts'
import { withRunRecorder, type RunRecorder } from '../../profiles/runs/run-recorder.ts'
import { listen, type Emitter } from '../../observe/tracing-source.ts'
import { runInExchange } from '../../http/kernel/current-exchange.ts'
import type { Exchange, Failure } from '../../http/kernel/exchange.ts'
import type { SkippedRun, TaskData } from '../../observe/collectors/runs.ts'

interface Cron {
  readonly name?: string
  readonly getPattern: () => string | undefined
  readonly getOnce: () => Date | null
  readonly nextRuns: (count: number) => readonly Date[]
  readonly isRunning: () => boolean
  /** What it calls; given to the constructor or to `schedule`. */
  fn?: unknown
}

export const cronerJob: ObservableOf<Cron> = {
  what: 'a Cron of croner',
  fits: (target): target is Cron => hasMethods(target, ['getPattern', 'nextRuns', 'trigger', 'schedule']),
  observe: (target) => {
    if (markObserved(target)) observeCron(target)
  },
}

function observeCron(cron: Cron): void {
  const pattern = (): string => cron.getPattern() ?? cron.getOnce()?.toISOString() ?? ''
  const runs = new TaskRuns({
    library: 'croner',
    name: () => cron.name ?? pattern(),
    pattern,
    nextRuns: (count) => (cron.isRunning() ? cron.nextRuns(count).filter((date) => date.getTime() > Date.now()) : []),
  })
  let reason: TaskStart['reason'] = 'scheduled'
  const observed = (work: unknown): unknown =>
    typeof work !== 'function'
      ? work
      : function run(this: unknown, ...args: unknown[]): unknown {
          return runs.run({ reason }, () => Reflect.apply(work, this, args))
        }
  if (cron.fn !== undefined) cron.fn = observed(cron.fn)
  wrapMethod(cron, 'schedule', (_own, args, run) =>
    run(args.length === 0 ? args : [observed(args[0]), ...args.slice(1)]),
  )
  wrapMethod(cron, 'trigger', (_own, _args, run) => {
    // The job is called before this returns.
    reason = 'invoked'
    try {
      return run()
    } finally {
      reason = 'scheduled'
    }
  })
  for (const name of ['pause', 'stop']) {
    wrapMethod(cron, name, (_own, _args, run) => {
      runs.stopped()
      return run()
    })
  }
}

interface Task extends Emitter {
  readonly id: string
  readonly name?: string
  readonly getPattern: () => string
  readonly getNextRuns: (count: number) => readonly Date[]
  readonly getStatus: () => string
  /** Only where the task runs in this process; what runs in another one is not seen. */
  readonly runner?: { onMatch?: unknown }
}

export const nodeCronTask: ObservableOf<Task> = {
  what: 'a task of node-cron',
  fits: (target): target is Task => hasMethods(target, ['getPattern', 'getNextRuns', 'execute', 'on']),
  observe: (target) => {
    if (markObserved(target)) observeTask(target)
  },
}

function observeTask(task: Task): void {
  const runs = new TaskRuns({
    library: 'node-cron',
    // A task without a name has its id in its place.
    name: () => (task.name === undefined || task.name === task.id ? task.getPattern() : task.name),
    pattern: () => task.getPattern(),
    nextRuns: (count) => (task.getStatus() === 'stopped' ? [] : task.getNextRuns(count)),
  })
  listen(task, 'task:stopped', () => runs.stopped())
  const { runner } = task
  const onMatch = runner?.onMatch
  if (runner === undefined || typeof onMatch !== 'function') return
  define(runner, 'onMatch', (date: Date, execution: { readonly reason: TaskStart['reason'] }) => {
    const { reason } = execution
    const start: TaskStart = reason === 'invoked' ? { reason } : { reason: 'scheduled', dueAt: date.getTime() }
    return runs.run(start, () => Reflect.apply(onMatch, runner, [date, execution]))
  })
}

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
      const begun = recorder === undefined ? undefined : this.#begin(recorder, start)
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

  /** `undefined`: it is not recorded. */
  #begin(recorder: RunRecorder, { reason, dueAt }: TaskStart): { exchange: Exchange; end: EndRun } | undefined {
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
