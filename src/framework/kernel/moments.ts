// Runs the listeners of each moment in the order of the list. A moment that nobody listens to costs a length check, and
// each listener gets its own span only while the request is recorded.

import type { Reply } from '../http/reply.ts'
import { listenerFailed } from '../log/lines.ts'
import type { LogSink } from '../log/logger.ts'
import { isPromise, type Awaitable } from './awaitable.ts'
import { describeFailure } from './describe-failure.ts'
import type { Exchange } from './exchange.ts'
import type { Handler } from './handler.ts'
import type { Listener } from './listener.ts'
import { endingWith, inSpan } from './in-span.ts'

type MomentName = 'onRequest' | 'onMatch' | 'onError' | 'onResponse' | 'onTerminate'
type Result = Awaitable<Reply | undefined | void>
type Step = (exchange: Exchange, reply: Reply | undefined) => Result

interface NamedStep {
  readonly name: string
  /** What its span is called: `currency onRequest`. */
  readonly spanName: string
  readonly isInstrumentation: boolean
  readonly run: Step
}

/** The listeners of an application, sorted by moment once at start. */
export class Moments {
  readonly #onRequest: readonly NamedStep[]
  readonly #onMatch: readonly NamedStep[]
  readonly #onError: readonly NamedStep[]
  readonly #onResponse: readonly NamedStep[]
  readonly #onTerminate: readonly NamedStep[]
  readonly #log: LogSink

  constructor(listeners: readonly Listener[], log: LogSink) {
    this.#log = log
    this.#onRequest = stepsOf(listeners, 'onRequest')
    this.#onMatch = stepsOf(listeners, 'onMatch')
    this.#onError = stepsOf(listeners, 'onError')
    this.#onResponse = stepsOf(listeners, 'onResponse')
    this.#onTerminate = stepsOf(listeners, 'onTerminate')
  }

  /** Whether a listener cares for `onTerminate`. */
  get hasTerminate(): boolean {
    return this.#onTerminate.length > 0
  }

  /** `onRequest`: the first reply ends the moment and the request. */
  request(exchange: Exchange): Awaitable<Reply | undefined> {
    return untilReply(this.#onRequest, exchange, 0)
  }

  /** `onMatch`. */
  match(exchange: Exchange): Awaitable<unknown> {
    return untilReply(this.#onMatch, exchange, 0)
  }

  /** Runs the handler itself, inside a span of its own while the request is recorded. */
  controller(exchange: Exchange, handler: Handler): Awaitable<unknown> {
    const recording = exchange.recording
    if (recording === undefined) return handler(exchange)
    return inSpan(recording, exchange.handlerName, 'controller', () => handler(exchange))
  }

  /** `onError`: a listener that throws is reported; the error answer is made all the same. */
  error(exchange: Exchange): Awaitable<void> {
    return this.#onError.length === 0 ? undefined : this.#guarded('onError', this.#onError, exchange)
  }

  /** `onResponse`: each listener sees the answer as the one before left it. Gives the last one. */
  response(exchange: Exchange, reply: Reply): Awaitable<Reply> {
    return passOn(this.#onResponse, exchange, reply, 0)
  }

  /** `onTerminate`: after the answer; a listener that throws or rejects is reported. */
  terminate(exchange: Exchange): void {
    if (this.#onTerminate.length === 0) return
    const done = this.#guarded('onTerminate', this.#onTerminate, exchange)
    if (isPromise(done)) void done.catch((thrown: unknown) => this.#report('onTerminate', 'kernel', thrown))
  }

  #guarded(moment: 'onError' | 'onTerminate', steps: readonly NamedStep[], exchange: Exchange): Awaitable<void> {
    const isTerminate = moment === 'onTerminate'
    let pending: Promise<unknown> | undefined
    for (const step of steps) {
      try {
        // After the profiler's own onTerminate nobody reads a recording.
        const result = isTerminate ? step.run(exchange, exchange.reply) : runStep(step, exchange, undefined)
        if (isPromise(result)) {
          const reported = result.catch((thrown: unknown) => this.#report(moment, step.name, thrown))
          pending = pending === undefined ? reported : Promise.all([pending, reported])
        }
      } catch (thrown) {
        this.#report(moment, step.name, thrown)
      }
    }
    return pending?.then(() => undefined)
  }

  #report(moment: MomentName, listener: string, thrown: unknown): void {
    this.#log.write(listenerFailed({ moment, listener, ...describeFailure(thrown) }))
  }
}

function untilReply(steps: readonly NamedStep[], exchange: Exchange, from: number): Awaitable<Reply | undefined> {
  for (let index = from; index < steps.length; index += 1) {
    const result = runStep(steps[index]!, exchange, undefined)
    if (result === undefined) continue
    if (isPromise(result)) return result.then((reply) => reply ?? untilReply(steps, exchange, index + 1))
    return result
  }
  return undefined
}

function passOn(steps: readonly NamedStep[], exchange: Exchange, reply: Reply, from: number): Awaitable<Reply> {
  let current = reply
  for (let index = from; index < steps.length; index += 1) {
    const result = runStep(steps[index]!, exchange, current)
    if (result === undefined) continue
    if (isPromise(result)) return result.then((next) => passOn(steps, exchange, next ?? current, index + 1))
    current = result
  }
  return current
}

function stepsOf(listeners: readonly Listener[], moment: MomentName): readonly NamedStep[] {
  const steps: NamedStep[] = []
  for (const listener of listeners) {
    const method = listener[moment]
    if (method === undefined) continue
    steps.push({
      name: listener.name,
      spanName: `${listener.name} ${moment}`,
      isInstrumentation: listener.isInstrumentation === true,
      run: method.bind(listener) as Step,
    })
  }
  return steps
}

function runStep(step: NamedStep, exchange: Exchange, reply: Reply | undefined): Result {
  // Before the profiler's own onRequest there is no recording.
  const recording = exchange.recording
  if (recording === undefined) return step.run(exchange, reply)
  const { stopwatch } = recording
  if (step.isInstrumentation) {
    const startMs = stopwatch.elapsedMs()
    try {
      return step.run(exchange, reply)
    } finally {
      stopwatch.addInstrumentation(stopwatch.elapsedMs() - startMs)
    }
  }
  const span = stopwatch.startInternal(step.spanName, 'listener')
  try {
    return endingWith(stopwatch, span, step.run(exchange, reply))
  } catch (thrown) {
    stopwatch.end(span, 'error')
    throw thrown
  }
}
