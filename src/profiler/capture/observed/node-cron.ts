// Tasks of node-cron, those that run in this process and those that it runs in another one.

import { withRunRecorder } from '../../runs/run-recorder.ts'
import { define, listen, type Emitter } from '../sources/tracing-source.ts'
import type { Observable } from './observable.ts'
import { TaskRuns, type TaskStart } from './task-runs.ts'
import { hasMethods, markObserved } from './wrap-method.ts'

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
