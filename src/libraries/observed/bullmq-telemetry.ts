// The telemetry that BullMQ calls: jobs that a request adds, and jobs that run here.

import { AsyncLocalStorage } from 'node:async_hooks'
import { currentExchange, runInExchange, switchExchange } from '../../http/kernel/current-exchange.ts'
import type { RunningSpan } from '../../base/timing/stopwatch.ts'
import { type RunningActivity } from '../../observe/activities/activity.ts'
import { beginActivity } from '../../observe/activities/begin-activity.ts'
import { jobs, type JobsFacts } from '../../capture/activities/jobs.ts'
import { jobRunName, jobRunQuery, type JobData } from '../../observe/collectors/runs.ts'
import { withRunRecorder, type RecordedRun, type RunRecorder } from '../../profiles/runs/run-recorder.ts'
import { deepStackFrames } from '../../capture/begin-query.ts'
import { openRecording, ownerOf } from '../../observe/owner.ts'
import { valueOfJson } from '../../base/http/json.ts'
import { parseTraceparent } from '../../observe/outgoing/trace-context.ts'
import { tokenPattern } from '../../observe/profile.ts'
import { membersOf } from '../../base/members.ts'

/** What the interface of BullMQ asks for. */
export interface Telemetry {
  readonly tracer: { startSpan(name: string, options?: unknown, context?: unknown): JobSpan }
  readonly contextManager: {
    with(context: unknown, work: () => unknown): unknown
    active(): unknown
    getMetadata(context: unknown): string
    fromMetadata(active: unknown, metadata: string): unknown
  }
}

interface Context {
  readonly span?: JobSpan | undefined
  readonly origin?: JobOrigin | null | undefined
}

/** Only contexts that this telemetry made come back. */
const asContext = (context: unknown): Context => Object(context) as Context

/** Operations that add jobs. Those around them, such as `addFlow`, begin one of these for each job. */
const adding: ReadonlySet<string> = new Set(['add', 'addBulk', 'addNode'])
/** Operations that come when the code of a job has ended. */
const ending: ReadonlySet<string> = new Set(['complete', 'fail', 'retry', 'delay'])

const maxNames = 20
const maxIds = 100
const maxNameLength = 200

export class JobTelemetry implements Telemetry {
  readonly #active = new AsyncLocalStorage<JobSpan>()
  readonly tracer: Telemetry['tracer'] = {
    startSpan: (name, _, context) => {
      const [operation = ''] = name.split(' ')
      if (ending.has(operation)) this.run?.endWork(operation === 'delay')
      return new JobSpan(operation, asContext(context).origin ?? null)
    },
  }
  readonly contextManager: Telemetry['contextManager'] = {
    active: (): Context => ({ span: this.run }),
    getMetadata: (context) => originMetadata(originToHandOn(asContext(context).span)),
    fromMetadata: (context, metadata): Context => ({ ...asContext(context), origin: readOrigin(metadata) }),
    with: (context, work) => {
      const { span } = asContext(context)
      const run = span === undefined ? work : (): unknown => this.#active.run(span, work)
      if (span?.operation === 'addBulk') return Promise.resolve(run()).then((jobs) => span.addedBulk(jobs))
      if (span?.operation !== 'process') return run()
      return withRunRecorder((recorder) => {
        span.recorder = recorder
        return runInExchange(undefined, run)
      })
    },
  }

  /** The run whose code is running. */
  get run(): JobSpan | undefined {
    return this.#active.getStore()
  }
}

/** A job that is tried again keeps the profile that added it first. */
function originToHandOn(span: JobSpan | undefined): JobOrigin | null {
  if (span === undefined || !adding.has(span.operation)) return span?.origin ?? null
  const exchange = currentExchange()
  const recording = openRecording(exchange)
  if (exchange === undefined || recording === undefined) return null
  const owner = ownerOf(recording)
  return owner === undefined ? null : { token: recording.token, traceparent: owner.handOn(exchange, recording) }
}

export class JobSpan {
  readonly operation: string
  /** Records the run; set before the span of one learns its job. */
  recorder: RunRecorder | undefined
  /** For a run: what added its job. */
  readonly origin: JobOrigin | null
  /** Whether the job waits before it is tried again. */
  isDelayed = false
  readonly #known: Record<string, unknown> = {}
  #activity: RunningActivity<JobsFacts> | undefined
  #isNoted = false
  #ids: readonly string[] = []
  #delayMs: number | null = null
  #run: RecordedRun<JobData> | undefined
  #work: RunningSpan | undefined
  #data: JobData | undefined
  #failure: { readonly thrown: unknown } | null = null

  constructor(operation: string, origin: JobOrigin | null) {
    this.operation = operation
    this.origin = origin
  }

  setSpanOnContext(context: unknown): Context {
    return { ...asContext(context), span: this }
  }

  setAttribute(key: string, value: unknown): void {
    this.setAttributes({ [key]: value })
  }

  setAttributes(attributes: Readonly<Record<string, unknown>>): void {
    Object.assign(this.#known, attributes)
    if (!this.#isNoted && adding.has(this.operation)) {
      this.#isNoted = true
      this.#activity = beginActivity(jobs, () => {
        const name = `add to ${this.#text('bullmq.queue.name') ?? 'a queue'}`
        return { facts: this.#facts(), site: deepStackFrames, span: { name, category: 'app' } }
      })
    }
    if (this.recorder !== undefined && 'bullmq.job.id' in attributes) this.#begin(this.recorder)
  }

  addEvent(): void {}

  recordException(exception: unknown): void {
    this.#activity?.fail(exception, this.#facts())
    this.#failure ??= { thrown: exception }
  }

  end(): void {
    this.#activity?.end(this.#facts())
    const run = this.#run
    if (run === undefined || this.#data === undefined) return
    this.endWork()
    const outcome = this.#data.outcome === 'running' ? 'moved' : this.#data.outcome
    run.keep({ ...this.#data, outcome })
    void run.end(this.#failure)
  }

  /** The jobs that one call added; the same are returned. */
  addedBulk(jobs: unknown): unknown {
    const ids = Array.isArray(jobs) ? jobs.slice(0, maxIds).map((job: unknown) => Reflect.get(Object(job), 'id')) : []
    this.#ids = ids.filter((id) => typeof id === 'string').map((id) => id.slice(0, maxNameLength))
    return jobs
  }

  /** What a job that is being added was given. */
  added(delayMs: number): void {
    this.#delayMs = delayMs
  }

  /** What is known of a run when it has ended. */
  ended(facts: Partial<JobData>, failure: { readonly thrown: unknown } | null): void {
    if (this.#data === undefined) return
    this.#data = { ...this.#data, ...facts }
    this.#failure = failure
  }

  /** The code of the job has ended; what comes is the work of the queue. */
  endWork(isDelayed = false): void {
    this.isDelayed ||= isDelayed
    this.#work?.end(this.#failure === null ? 'ok' : 'error')
    this.#work = undefined
  }

  #begin(recorder: RunRecorder): void {
    this.recorder = undefined
    const queue = this.#text('bullmq.queue.name') ?? ''
    const name = this.#text('bullmq.job.name') ?? ''
    const id = this.#text('bullmq.job.id') ?? ''
    const run = recorder.begin({
      type: 'job',
      name: jobRunName(queue, name),
      query: jobRunQuery(id),
      traceparent: this.origin?.traceparent ?? null,
    })
    if (run === undefined) return
    this.#run = run
    const data: JobData = { ...unknownJob, queue, name, id, addedBy: this.origin?.token ?? null }
    this.#data = data
    run.keep(data)
    this.#work = run.exchange.recording?.startSpan({ name, category: 'controller' })
    // What follows in the function that BullMQ runs in this span is the run.
    switchExchange(run.exchange)
  }

  #facts(): JobsFacts {
    const { 'bullmq.job.name': name, 'bullmq.job.bulk.names': bulk, 'bullmq.job.bulk.count': count } = this.#known
    const id = this.#text('bullmq.job.id')
    const names = (Array.isArray(bulk) ? bulk : [name]).filter((one) => typeof one === 'string')
    return {
      library: 'bullmq',
      queue: this.#text('bullmq.queue.name') ?? '',
      names: [...new Set(names.map((one) => one.slice(0, maxNameLength)))].slice(0, maxNames),
      count: typeof count === 'number' ? count : 1,
      ids: id === null ? this.#ids : [id],
      delayMs: this.#delayMs,
    }
  }

  #text(attribute: string): string | null {
    const { [attribute]: value } = this.#known
    return typeof value === 'string' ? value.slice(0, maxNameLength) : null
  }
}

const unknownJob: Omit<JobData, 'queue' | 'name' | 'id' | 'addedBy'> = {
  library: 'bullmq',
  outcome: 'running',
  attempt: null,
  maxAttempts: null,
  addedAt: null,
  waitedMs: null,
  delayMs: null,
  retryDelayMs: null,
  data: null,
  result: null,
}

export interface JobOrigin {
  readonly token: string
  readonly traceparent: string
}

const maxLength = 10_000

/** The metadata of a job; empty if there is nothing to tell. */
export function originMetadata(origin: JobOrigin | null): string {
  return origin === null ? '' : JSON.stringify({ traceparent: origin.traceparent, fanlight: origin })
}

/** Reads it; `null` if it cannot be used. Anybody who can write to the queue may have written it. */
export function readOrigin(metadata: unknown): JobOrigin | null {
  if (typeof metadata !== 'string' || metadata.length > maxLength) return null
  const origin: unknown = Reflect.get(Object(valueOfJson(metadata)), 'fanlight')
  const { token, traceparent } = membersOf(origin)
  if (typeof token !== 'string' || !tokenPattern.test(token)) return null
  return typeof traceparent === 'string' && parseTraceparent(traceparent) !== null ? { token, traceparent } : null
}
