// Jobs of croner.

import { define } from '../sources/tracing-source.ts'
import type { Observable } from './observable.ts'
import { TaskRuns, type TaskStart } from './task-runs.ts'

interface Cron {
  readonly name?: string
  readonly getPattern: () => string | undefined
  readonly getOnce: () => Date | null
  readonly nextRuns: (count: number) => readonly Date[]
  readonly isRunning: () => boolean
  readonly trigger: () => Promise<void>
  readonly schedule: (work?: unknown) => unknown
  readonly pause: () => boolean
  readonly stop: () => void
  /** What it calls; given to the constructor or to `schedule`. */
  fn?: unknown
}

export const cronerJob: Observable = {
  what: 'a Cron of croner',
  fits: (target) =>
    ['getPattern', 'nextRuns', 'trigger', 'schedule'].every((name) => typeof Reflect.get(target, name) === 'function'),
  observe: (target) => {
    if (!Object.hasOwn(target, 'trigger')) observeCron(target as Cron)
  },
}

function observeCron(cron: Cron): void {
  const { trigger, schedule, pause, stop } = cron
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
  define(cron, 'schedule', (...args: unknown[]) => {
    return Reflect.apply(schedule, cron, args.length === 0 ? args : [observed(args[0]), ...args.slice(1)]) as unknown
  })
  define(cron, 'trigger', () => {
    // The job is called before this returns.
    reason = 'invoked'
    try {
      return Reflect.apply(trigger, cron, [])
    } finally {
      reason = 'scheduled'
    }
  })
  define(cron, 'pause', () => {
    runs.stopped()
    return Reflect.apply(pause, cron, [])
  })
  define(cron, 'stop', () => {
    runs.stopped()
    Reflect.apply(stop, cron, [])
  })
}
