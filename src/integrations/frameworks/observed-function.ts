// What integrations do alike: functions that are observed, steps around them, and applications that are observed once.

import { isPromise } from '../../base/members.ts'
import type { ObservedRequest, Observer, Registered, Step, StepKind } from '../integration.ts'
import { followCall } from '../../http/kernel/follow-call.ts'
import { shielded } from '../replace-method.ts'

export type Callable = (this: unknown, ...args: readonly unknown[]) => unknown

/** What runs in place of a function; `run` runs the function itself, on the same object, with these arguments. */
export type Around = (args: readonly unknown[], run: (args: readonly unknown[]) => unknown) => unknown

const observedMark = Symbol.for('fanlight.observed')
const attachedMark = Symbol.for('fanlight.attached')
const registration = Symbol.for('fanlight.registration')

/**
 * The function as it was in all that can be read of it, name, length and properties; calls of it run `around`. Twice is once. What `around`
 * throws by itself is noted.
 */
export function observedFunction<F extends object>(observed: F, around: Around, observer: Observer): F {
  if (observedMark in observed || typeof observed !== 'function') return observed
  const place = `around ${nameOf(observed)}()`
  return new Proxy(observed, {
    apply: (target, self, args: readonly unknown[]) =>
      shielded(
        observer,
        place,
        (given: readonly unknown[] = args) => Reflect.apply(target, self, given),
        (run) => around(args, run),
      ),
    has: (target, key) => key === observedMark || Reflect.has(target, key),
  })
}

/** Whether an application is attached for the first time; from then on it is not. */
export function isFirstTime(application: object): boolean {
  if (isAttached(application)) return false
  Object.defineProperty(application, attachedMark, { value: true })
  return true
}

export function isAttached(application: object): boolean {
  return Object.hasOwn(application, attachedMark)
}

/**
 * Keeps where the application registers something: right now, where nobody has kept it, or where `mark` was made. As text: the frames
 * that V8 holds keep in memory what they ran on. `isCopied`: copies that the framework makes have it, too.
 */
export function keepRegistration<Kept extends object>(registered: Kept, mark?: Error, isCopied = false): Kept {
  if (mark === undefined && Object.hasOwn(registered, registration)) return registered
  const made = mark ?? new Error('registered')
  void made.stack
  Object.defineProperty(registered, registration, { value: made, configurable: true, enumerable: isCopied })
  return registered
}

/** `undefined` if nobody kept it. */
export function registrationOf(registered: unknown): Error | undefined {
  return Reflect.get(Object(registered), registration) as Error | undefined
}

/** The name of a function; empty if it has none. */
export function nameOf(named: unknown): string {
  return typeof named === 'function' ? named.name.replace(/^(?:bound )+/, '') : ''
}

/** Finds the request that a function is called for. */
export type RequestOf = (args: readonly unknown[]) => ObservedRequest | undefined

interface AfterStep {
  ended?(result: unknown): void
  failed?(thrown: unknown): void
}

interface StepOf {
  readonly observed: ObservedRequest
  /** Empty if the function has none. */
  readonly name: string
  readonly kind: StepKind
  readonly observer: Observer
  readonly registered?: Registered | undefined
}

/** The function with a step around each call, of the request that `requestOf` finds by its arguments. */
export function observedStep<F extends object>(
  own: F,
  requestOf: RequestOf,
  step: Omit<StepOf, 'observed'>,
  after?: AfterStep,
): F {
  const { name, kind, observer } = step
  const around: Around = (args, run) => {
    const observed = observer.guard(`the request of ${kind} ${name}`, () => requestOf(args))
    return observed === undefined ? run(args) : runStep({ ...step, observed }, () => run(args), after)
  }
  return observedFunction(own, around, observer)
}

/** Runs `work` as a step, which ends when the work is done, its promise included. What it throws is told, and thrown on. */
export function runStep(
  { observed, name, kind, observer, registered }: StepOf,
  work: () => unknown,
  after: AfterStep = {},
): unknown {
  const step = observer.guard(`the step ${name}`, () => observed.startStep(name, kind, registered))
  const told: Required<AfterStep> = {
    ended(result) {
      step?.end()
      after.ended?.(result)
    },
    failed(thrown) {
      step?.end('error')
      // The first error counts, and the integration may know of an earlier one.
      after.failed?.(thrown)
      observed.failed(thrown)
    },
  }
  return settled(work, told, observer)
}

/** What `work` gives or throws, after it was told in a guard; a promise is told of when it is settled. */
export function settled(work: () => unknown, after: Required<AfterStep>, observer: Observer): unknown {
  return followCall(
    () => {
      const result = work()
      // A thenable of another kind may give nothing back from `then`.
      return isPromise(result) ? Promise.resolve(result) : result
    },
    (result) => observer.guard('the end of a step', () => after.ended(result)),
    (thrown) => observer.guard('the error of a step', () => after.failed(thrown)),
  )
}

/** A step that has begun, and what tells of its end. */
interface EndsLater {
  readonly step: Step
  readonly observer: Observer
  /** Whether there is a response, so that the function need not say anything. */
  isOver(): boolean
}

/** Runs a function that says by calling its last argument that it is done, with an error or without, or by the promise that it returns. */
export function runUntilDone(
  { step, observer, isOver }: EndsLater,
  args: readonly unknown[],
  run: (args: readonly unknown[]) => unknown,
): unknown {
  const done = args.at(-1)
  const observedDone = (...results: readonly unknown[]): unknown => {
    observer.guard('the end of a step', () => step.end(results[0] instanceof Error ? 'error' : 'passed'))
    return typeof done === 'function' ? Reflect.apply(done, undefined, results) : undefined
  }
  let isAsync = false
  const work = (): unknown => {
    const result = run(typeof done === 'function' ? [...args.slice(0, -1), observedDone] : args)
    isAsync = isPromise(result)
    return result
  }
  const told: Required<AfterStep> = {
    failed: () => step.end('error'),
    ended: () => {
      if (isAsync || isOver()) step.end(isOver() ? 'ok' : 'passed')
    },
  }
  return settled(work, told, observer)
}
