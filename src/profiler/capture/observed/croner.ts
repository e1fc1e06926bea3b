// Jobs of croner.

import type { Observable } from './observable.ts'
import { TaskRuns, type TaskStart } from './task-runs.ts'
import { hasMethods, markObserved, wrapMethod } from './wrap-method.ts'

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
