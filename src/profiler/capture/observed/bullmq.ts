// Queues, workers and flow producers of BullMQ. Its telemetry tells what happens; events add what it leaves out: data, attempts, errors.

import { currentExchange } from '../../../framework/kernel/current-exchange.ts'
import type { JobData } from '../../collectors/job.ts'
import { mayRecordRuns } from '../../runs/run-recorder.ts'
import { listen, type Emitter } from '../sources/tracing-source.ts'
import type { Observable } from './observable.ts'
import { JobTelemetry, type Telemetry } from './bullmq-telemetry.ts'
import { hasMethods, markObserved } from './wrap-method.ts'

/** A queue or a worker has it in its options, a flow producer as a member. */
interface BullmqPart extends Emitter {
  readonly opts: { telemetry?: Telemetry | undefined }
  telemetry?: Telemetry | undefined
}

/** What is read of a job. */
interface Job {
  readonly data?: unknown
  readonly attemptsMade?: unknown
  readonly timestamp?: unknown
  readonly processedOn?: unknown
  readonly finishedOn?: unknown
  readonly delay?: unknown
  readonly opts?: { readonly attempts?: unknown; readonly delay?: unknown }
}

export const bullmqParts: Observable = {
  what: 'a Queue, a Worker or a FlowProducer of bullmq',
  fits: (target) => {
    const { opts } = target as Partial<BullmqPart>
    if (typeof opts !== 'object' || opts === null || !('on' in target)) return false
    return hasMethods(target, ['processJob']) || hasMethods(target, ['addBulk'])
  },
  observe: (target) => {
    if (markObserved(target)) observePart(target as BullmqPart)
  },
}

function observePart(target: BullmqPart): void {
  const given = target.opts.telemetry
  const telemetry = new JobTelemetry(given)
  // BullMQ reads it with each call: outside debug it finds what the application gave it.
  const own = { get: () => (mayRecordRuns() ? telemetry : given), enumerable: true, configurable: true }
  Object.defineProperty(target.opts, 'telemetry', own)
  // A flow producer has taken it out of its options.
  if ('addBulk' in target && !('jobsOpts' in target)) Object.defineProperty(target, 'telemetry', own)
  listen(target, 'waiting', (job: unknown) => {
    const delay = numberOr(Object(job as object), 'delay')
    if (delay !== null) telemetry.run?.added(delay)
  })
  listen(target, 'completed', (job: Job, result: unknown) => {
    const facts = { outcome: 'completed', result: result === undefined ? null : dumped(result) } as const
    telemetry.run?.ended({ ...factsOf(job), ...facts }, null)
  })
  listen(target, 'failed', (job: Job | undefined, thrown: unknown) => {
    const { run } = telemetry
    if (job === undefined || run === undefined) return
    const isLast = typeof job.finishedOn === 'number'
    const retryDelayMs = isLast ? null : run.isDelayed ? numberOr(job, 'delay') : 0
    run.ended({ ...factsOf(job), outcome: isLast ? 'failed' : 'retried', retryDelayMs }, { thrown })
  })
}

/** `attemptsMade` counts this run, too: it has ended. */
function factsOf(job: Job): Partial<JobData> {
  const [addedAt, startedAt] = [numberOr(job, 'timestamp'), numberOr(job, 'processedOn')]
  return {
    attempt: numberOr(job, 'attemptsMade'),
    maxAttempts: Math.max(1, numberOr(Object(job.opts), 'attempts') ?? 1),
    addedAt,
    waitedMs: addedAt === null || startedAt === null ? null : Math.max(0, startedAt - addedAt),
    delayMs: numberOr(Object(job.opts), 'delay') ?? 0,
    data: dumped(job.data),
  }
}

const limits = { maxTotalLength: 8192, maxDepth: 8 } as const

function dumped(value: unknown): JobData['data'] {
  return currentExchange()?.recording?.redactor.dumped({ value }, 'value', limits) ?? null
}

function numberOr(holder: object, name: string): number | null {
  const value: unknown = Reflect.get(holder, name)
  return typeof value === 'number' ? value : null
}
