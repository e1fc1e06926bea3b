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

type MomentName = 'onRequest' | 'onMatch' | 'onError' | 'onResponse' | 'onTerminate'
type Step = (exchange: Exchange, reply: Reply) => Awaitable<Reply | undefined | void>

interface NamedStep {
  readonly name: string
  readonly run: Step
}

/** The listeners of an application, sorted by moment once at start. */
export class Moments {
  readonly #steps: Readonly<Record<MomentName, readonly NamedStep[]>>
  readonly #log: LogSink

  constructor(listeners: readonly Listener[], log: LogSink) {
    this.#log = log
    this.#steps = {
      onRequest: stepsOf(listeners, 'onRequest'),
      onMatch: stepsOf(listeners, 'onMatch'),
      onError: stepsOf(listeners, 'onError'),
      onResponse: stepsOf(listeners, 'onResponse'),
      onTerminate: stepsOf(listeners, 'onTerminate'),
    }
  }

  /** `onRequest`: the first reply ends the moment and the request. */
  request(exchange: Exchange): Awaitable<Reply | undefined> {
    return this.#untilReply('onRequest', exchange, 0)
  }

  /** `onMatch`. */
  match(exchange: Exchange): Awaitable<Reply | undefined> {
    return this.#untilReply('onMatch', exchange, 0)
  }

  /** Runs the handler itself, inside a span of its own while the request is recorded. */
  controller(exchange: Exchange, handler: Handler): unknown {
    const recording = exchange.recording
    if (recording === undefined) return handler(exchange)
    return inSpan(exchange, { name: exchange.handlerName, category: 'controller' }, () => handler(exchange))
  }

  /** `onError`: a listener that throws is reported; the error answer is made all the same. */
  error(exchange: Exchange): Awaitable<void> {
    return this.#guarded('onError', exchange, undefined)
  }

  /** `onResponse`: each listener sees the answer as the one before left it. */
  response(exchange: Exchange, reply: Reply): Awaitable<Reply | undefined> {
    return this.#passingOn(exchange, reply, 0)
  }

  /** `onTerminate`: after the answer; a listener that throws or rejects is reported. */
  terminate(exchange: Exchange): void {
    const done = this.#guarded('onTerminate', exchange, exchange.reply)
    if (isPromise(done)) void done.catch((thrown: unknown) => this.#report('onTerminate', 'kernel', thrown))
  }

  #untilReply(moment: 'onRequest' | 'onMatch', exchange: Exchange, from: number): Awaitable<Reply | undefined> {
    const steps = this.#steps[moment]
    for (let index = from; index < steps.length; index += 1) {
      const result = runStep(steps[index]!, moment, exchange, undefined)
      if (isPromise(result)) return result.then((reply) => reply ?? this.#untilReply(moment, exchange, index + 1))
      if (result !== undefined) return result
    }
    return undefined
  }

  #passingOn(exchange: Exchange, reply: Reply, from: number): Awaitable<Reply | undefined> {
    const steps = this.#steps.onResponse
    let current = reply
    for (let index = from; index < steps.length; index += 1) {
      const result = runStep(steps[index]!, 'onResponse', exchange, current)
      if (isPromise(result)) return result.then((next) => this.#passingOn(exchange, next ?? current, index + 1))
      if (result !== undefined) current = result
    }
    return current
  }

  #guarded(moment: 'onError' | 'onTerminate', exchange: Exchange, reply: Reply | undefined): Awaitable<void> {
    let pending: Promise<unknown> | undefined
    for (const step of this.#steps[moment]) {
      try {
        const result = runStep(step, moment, exchange, reply)
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

function stepsOf(listeners: readonly Listener[], moment: MomentName): readonly NamedStep[] {
  const steps: NamedStep[] = []
  for (const listener of listeners) {
    const method = listener[moment]
    if (method !== undefined) steps.push({ name: listener.name, run: method.bind(listener) as Step })
  }
  return steps
}

function runStep(step: NamedStep, moment: MomentName, exchange: Exchange, reply: Reply | undefined): ReturnType<Step> {
  // Before the profiler's own onRequest there is no recording, and after its onTerminate nobody reads one.
  if (exchange.recording === undefined || moment === 'onTerminate') return step.run(exchange, reply as Reply)
  const span = { name: `${step.name} ${moment}`, category: 'listener' }
  return inSpan(exchange, span, () => step.run(exchange, reply as Reply)) as ReturnType<Step>
}

function inSpan(exchange: Exchange, start: { name: string; category: string }, work: () => unknown): unknown {
  const span = exchange.recording?.startSpan(start)
  try {
    const result = work()
    if (!isPromise(result)) {
      span?.end()
      return result
    }
    return result.then(
      (value) => {
        span?.end()
        return value
      },
      (thrown: unknown) => {
        span?.end('error')
        throw thrown
      },
    )
  } catch (thrown) {
    span?.end('error')
    throw thrown
  }
}
