// Observes objects of libraries that publish nothing.

import { mailTransporter } from './observed/nodemailer.ts'
import { cronerJob, nodeCronTask } from './observed/cron.ts'
import { eta, ejs, handlebars, nunjucks } from './observed/templates.ts'
import { webSocketClient, webSocketServer } from './sources/websockets.ts'
import { isPublished } from './sources/caches.ts'
import { beginCacheAccess, cacheKey } from '../capture/begin-query.ts'
import { followCall } from '../http/kernel/follow-call.ts'
import { wrapMethod, hasMethods, markObserved, type Observable, type ObservableOf } from './observed/wrap-method.ts'
import { currentExchange } from '../http/kernel/current-exchange.ts'
import type { JobData } from '../observe/collectors/runs.ts'
import { mayRecordRuns } from '../profiles/runs/run-recorder.ts'
import { listen, type Emitter } from '../observe/tracing-source.ts'
import { JobTelemetry, type Telemetry } from './observed/bullmq-telemetry.ts'
import type { StandardIssue } from '../http/kernel/handler-options.ts'
import { checkObserved, checkUnobserved, issuesIn } from '../capture/validations.ts'
import { membersOf } from '../base/members.ts'

/** The methods of a schema of zod, and the one that `parse` and others of valibot call. */
const checkingMethods = ['parse', 'safeParse', 'parseAsync', 'safeParseAsync'] as const

const standardSchema: Observable = {
  what: 'a schema of valibot, zod and other validators with the Standard Schema interface',
  fits: (target) => standardOf(target) !== undefined,
  observe: (target) => {
    const standard = standardOf(target)
    if (standard === undefined) return
    const { vendor } = standard
    for (const name of checkingMethods) observeCheck(target, name, vendor, ([input]) => input)
    observeCheck(target, '~run', vendor, ([dataset]) => Reflect.get(Object(dataset), 'value'))
    // A getter of some validators makes a new object each time: a similar one takes its place.
    const own = { ...standard }
    observeCheck(own, 'validate', vendor, ([input]) => input)
    Object.defineProperty(target, '~standard', { value: own, configurable: true, enumerable: true, writable: true })
  },
}

interface Standard {
  readonly vendor: string
  readonly validate: unknown
}

function standardOf(target: object): Standard | undefined {
  const standard: unknown = Reflect.get(target, '~standard')
  return isStandard(standard) ? standard : undefined
}

function isStandard(value: unknown): value is Standard {
  const { vendor, validate } = membersOf(value)
  return typeof vendor === 'string' && typeof validate === 'function'
}

function observeCheck(
  target: object,
  name: string,
  library: string,
  inputOf: (args: readonly unknown[]) => unknown,
): void {
  wrapMethod(target, name, (_own, args, run) =>
    checkObserved(() => ({ library, part: null, input: inputOf(args) }), run, issuesIn),
  )
}

const ajv: Observable = {
  what: 'an Ajv',
  fits: (target) => hasMethods(target, ['compile', 'compileAsync', 'addKeyword', 'addSchema', 'getSchema']),
  observe: (target) => {
    // Compiling a schema checks the schema itself.
    for (const name of ['compile', 'getSchema']) {
      wrapMethod(target, name, (_own, _args, run) => checking(checkUnobserved(run)))
    }
    wrapMethod(target, 'compileAsync', async (_own, _args, run) => checking(await run()))
  },
}

const isChecking = Symbol('reports what it checks')

/** The same function that checks; it reports what it finds. */
function checking(validate: unknown): unknown {
  if (typeof validate !== 'function' || isChecking in validate) return validate
  return new Proxy(validate, {
    has: (check, name) => name === isChecking || name in check,
    apply: (check, own, args) =>
      checkObserved(
        () => ({ library: 'ajv', part: null, input: args[0] }),
        () => Reflect.apply(check, own, args),
        (outcome) =>
          ajvIssues(outcome === false ? Reflect.get(check, 'errors') : Reflect.get(Object(outcome), 'errors')),
      ),
  })
}

function ajvIssues(errors: unknown): readonly StandardIssue[] | undefined {
  if (!Array.isArray(errors)) return undefined
  return errors.map((error: unknown) => {
    const { instancePath, message } = membersOf(error)
    const path = typeof instancePath === 'string' ? instancePath.split('/').slice(1) : []
    return {
      path: path.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~')),
      message: typeof message === 'string' ? message : 'is not valid',
    }
  })
}

/** A queue or a worker has it in its options, a flow producer as a member. */
interface BullmqPart extends Emitter {
  readonly opts: { telemetry?: Telemetry | undefined }
  telemetry?: Telemetry | undefined
}

interface Job {
  readonly data?: unknown
  readonly attemptsMade?: unknown
  readonly timestamp?: unknown
  readonly processedOn?: unknown
  readonly finishedOn?: unknown
  readonly delay?: unknown
  readonly opts?: { readonly attempts?: unknown; readonly delay?: unknown }
}

const bullmqParts: ObservableOf<BullmqPart> = {
  what: 'a Queue, a Worker or a FlowProducer of bullmq',
  fits: (target): target is BullmqPart => {
    const { opts } = membersOf(target)
    if (typeof opts !== 'object' || opts === null || !('on' in target)) return false
    return hasMethods(target, ['processJob']) || hasMethods(target, ['addBulk'])
  },
  observe: (target) => {
    if (markObserved(target)) observePart(target)
  },
}

function observePart(target: BullmqPart): void {
  // The application's own stays alone; ours came with the options of another queue.
  const given = target.opts.telemetry
  if (given !== undefined && !(given instanceof JobTelemetry)) return
  const telemetry = new JobTelemetry()
  // BullMQ reads it with each call: outside debug it finds none.
  const own = { get: () => (mayRecordRuns() ? telemetry : undefined), enumerable: true, configurable: true }
  Object.defineProperty(target.opts, 'telemetry', own)
  // A flow producer has taken it out of its options.
  if ('addBulk' in target && !('jobsOpts' in target)) Object.defineProperty(target, 'telemetry', own)
  listen(target, 'waiting', (job: unknown) => {
    const delay = numberOr(Object(job), 'delay')
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

/** A `Map`, or a cache with its methods: `keyv`, `node-cache`, `cache-manager`. */
const cacheObject: Observable = {
  what: 'a Map or another cache with get, set, and delete or del',
  fits: (target) =>
    hasMethods(target, ['get', 'set']) && (hasMethods(target, ['delete']) || hasMethods(target, ['del'])),
  observe: observeCache,
}

/** Everything that can be observed. The first that fits is taken. */
const observables: readonly Observable[] = [
  eta,
  ejs,
  nunjucks,
  handlebars,
  mailTransporter,
  ajv,
  standardSchema,
  webSocketServer,
  webSocketClient,
  bullmqParts,
  nodeCronTask,
  cronerJob,
  cacheObject,
]

/**
 * Records in the profile what `target` does while requests are recorded. Hand it over once, where you make it: a cache with the methods of a `Map`,
 * an engine of templates, a queue or worker of BullMQ, a scheduled task.
 * Returns the same object; a second call changes nothing. Throws a TypeError for anything else, which names what is allowed.
 */
export function observe<Target extends object>(target: Target): Target {
  const known = Object(target) === target ? observables.find(({ fits }) => fits(target)) : undefined
  if (known === undefined) {
    const allowed = observables.map(({ what }) => what).join(', ')
    throw new TypeError(`observe() cannot observe ${kindOf(target)}; it observes: ${allowed}`)
  }
  known.observe(target)
  return target
}

/** Never the value, which may hold secrets: `a Pool`, `a function`, `undefined`. */
function kindOf(target: unknown): string {
  if (target === undefined || target === null) return String(target)
  if (typeof target !== 'object') return `a ${typeof target}`
  const name = classOf(target)
  return name === 'Object' ? 'a plain object' : `a ${name}`
}

function classOf(target: object): string {
  const name: unknown = Reflect.get(Object(Reflect.get(target, 'constructor')), 'name')
  return typeof name === 'string' && name !== '' ? name : 'Object'
}

function observeCache(target: object): void {
  if (isPublished(target)) return
  // What a function makes is of no class.
  const name = classOf(target).replace(/^Object$/, 'cache')
  for (const operation of ['get', 'has', 'set', 'delete', 'del', 'clear']) {
    const isRead = operation === 'get' || operation === 'has'
    wrapMethod(target, operation, (_own, [key], run) => {
      const shown = cacheKey(key)
      const access = beginCacheAccess({ cache: name, operation, ...(shown !== null && { key: shown }) })
      if (access === undefined) return run()
      // A Map may hold nothing under a key that it has.
      const isHeld = isRead && target instanceof Map && Map.prototype.has.call(target, key)
      const end = (value: unknown): void => {
        const isMiss = value === undefined || value === null || value === false
        access.end(isRead ? (isMiss && !isHeld ? 'miss' : 'hit') : undefined)
      }
      return followCall(run, end, access.fail)
    })
  }
}
