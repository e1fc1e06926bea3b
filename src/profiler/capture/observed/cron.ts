// Jobs of croner, and tasks of node-cron.

import type { Observable } from './observable.ts'
import { TaskRuns, type TaskStart } from './task-runs.ts'
import { hasMethods, markObserved, wrapMethod } from './wrap-method.ts'
import { withRunRecorder } from '../../runs/run-recorder.ts'
import { define, listen, type Emitter } from '../sources/tracing-source.ts'

interface Cron {
  readonly name?: string
  readonly getPattern: () => string | undefined
  readonly getOnce: () => Date | null
  readonly nextRuns: (count: number) => readonly Date[]
  readonly isRunning: () => boolean
  /** What it calls; given to the constructor or to `schedule`. */
  fn?: unknown
}

export const cronerJob: Observable = {
  what: 'a Cron of croner',
  fits: (target) => hasMethods(target, ['getPattern', 'nextRuns', 'trigger', 'schedule']),
  observe: (target) => {
    if (markObserved(target)) observeCron(target as Cron)
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
          return runs.run({ reason }, () => Reflect.apply(work, this, args) as unknown)
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
  /** Only where the task runs in this process. */
  readonly runner?: { onMatch?: unknown }
}

interface Execution {
  readonly id: string
  readonly reason: TaskStart['reason']
  readonly error?: unknown
}

interface TaskEvent {
  readonly date: Date
  readonly execution?: Execution
}

export const nodeCronTask: Observable = {
  what: 'a task of node-cron',
  fits: (target) => hasMethods(target, ['getPattern', 'getNextRuns', 'execute', 'on']),
  observe: (target) => {
    if (markObserved(target)) observeTask(target as Task)
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
  if (runner === undefined || typeof onMatch !== 'function') return followTask(task, runs)
  define(runner, 'onMatch', (date: Date, execution: Execution) => {
    return runs.run(startOf({ date, execution }), () => Reflect.apply(onMatch, runner, [date, execution]) as unknown)
  })
}

/** Of another process, begin and end are known. */
function followTask(task: Task, runs: TaskRuns): void {
  const open = new Map<string, ReturnType<TaskRuns['begin']>>()
  listen(task, 'execution:started', (event: TaskEvent) => {
    void withRunRecorder((recorder) => {
      const { execution } = event
      if (recorder !== undefined && execution !== undefined)
        open.set(execution.id, runs.begin(recorder, startOf(event)))
    })
  })
  for (const name of ['execution:finished', 'execution:failed']) {
    listen(task, name, ({ execution }: TaskEvent) => {
      if (execution === undefined) return
      const run = open.get(execution.id)
      open.delete(execution.id)
      run?.end(name === 'execution:failed' ? { thrown: execution.error } : null)
    })
  }
}

function startOf({ date, execution }: TaskEvent): TaskStart {
  return execution?.reason === 'invoked' ? { reason: 'invoked' } : { reason: 'scheduled', dueAt: date.getTime() }
}
