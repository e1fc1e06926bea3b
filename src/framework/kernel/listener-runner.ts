// Runs the listeners of each moment. Each gets a span while the request is recorded.

import type { Reply } from '../http/reply.ts'
import { listenerFailed } from '../log/lines.ts'
import type { Log } from '../log/logger.ts'
import type { Awaitable } from './awaitable.ts'
import { describeFailure } from './describe-failure.ts'
import type { Exchange } from './exchange.ts'
import { withCookies, type Handler } from './handler.ts'
import { inSpan } from './in-span.ts'
import type { Listener } from './listener.ts'

type Moment = 'onRequest' | 'onMatch' | 'onError' | 'onResponse' | 'onTerminate'
type Result = Awaitable<Reply | undefined | void>

interface Step {
  readonly listener: string
  /** `currency onRequest`. */
  readonly spanName: string
  readonly isInstrumentation: boolean
  readonly run: (exchange: Exchange, reply?: Reply) => Result
}

/** The listeners of an application, sorted by moment once at start. */
export class ListenerRunner {
  readonly #onRequest: readonly Step[]
  readonly #onMatch: readonly Step[]
  readonly #onError: readonly Step[]
  readonly #onResponse: readonly Step[]
  readonly #onTerminate: readonly Step[]
  readonly #log: Log
  /** Whether any listener has `onTerminate`. */
  readonly hasTerminate: boolean

  constructor(listeners: readonly Listener[], log: Log) {
    this.#log = log
    this.#onRequest = stepsOf(listeners, 'onRequest')
    this.#onMatch = stepsOf(listeners, 'onMatch')
    this.#onError = stepsOf(listeners, 'onError')
    // First in, last out; the profiler, wherever it stands, sees the response as it leaves.
    this.#onResponse = stepsOf(listeners, 'onResponse')
      .toReversed()
      .toSorted((one, other) => Number(one.isInstrumentation) - Number(other.isInstrumentation))
    this.#onTerminate = stepsOf(listeners, 'onTerminate')
    this.hasTerminate = this.#onTerminate.length > 0
  }

  /** The first reply ends the moment and the request. */
  async onRequest(exchange: Exchange): Promise<Reply | undefined> {
    for (const step of this.#onRequest) {
      const reply = await runStep(step, exchange)
      if (reply !== undefined) return withCookies(reply, exchange)
    }
    return undefined
  }

  async onMatch(exchange: Exchange): Promise<void> {
    for (const step of this.#onMatch) await runStep(step, exchange)
  }

  /** Runs the handler, in a span while the request is recorded. */
  handler(exchange: Exchange, handler: Handler): Awaitable<unknown> {
    const { recording, handlerName } = exchange
    if (recording === undefined) return handler(exchange)
    return inSpan(recording, handlerName, 'controller', () => handler(exchange))
  }

  /** A listener that throws is logged; the error reply is made anyway. */
  async onError(exchange: Exchange): Promise<void> {
    for (const step of this.#onError) {
      try {
        await runStep(step, exchange)
      } catch (thrown) {
        this.#report('onError', step, thrown)
      }
    }
  }

  /** Runs in reverse order. Each listener sees the reply as the one before left it; the last reply is given back. */
  async onResponse(exchange: Exchange, reply: Reply): Promise<Reply> {
    let current = reply
    for (const step of this.#onResponse) {
      current = withCookies((await runStep(step, exchange, current)) ?? current, exchange)
      exchange.reply = current
    }
    return current
  }

  /** All begin at once; one that fails is logged. */
  async onTerminate(exchange: Exchange): Promise<void> {
    await Promise.all(
      this.#onTerminate.map(async (step) => {
        try {
          // The recording is closed by now, so there are no spans.
          await step.run(exchange, exchange.reply)
        } catch (thrown) {
          this.#report('onTerminate', step, thrown)
        }
      }),
    )
  }

  #report(moment: Moment, { listener }: Step, thrown: unknown): void {
    this.#log.write(listenerFailed({ moment, listener, ...describeFailure(thrown) }))
  }
}

function stepsOf(listeners: readonly Listener[], moment: Moment): readonly Step[] {
  const steps: Step[] = []
  for (const listener of listeners) {
    const method = listener[moment]
    if (method === undefined) continue
    steps.push({
      listener: listener.name,
      spanName: `${listener.name} ${moment}`,
      isInstrumentation: listener.isInstrumentation === true,
      run: method.bind(listener) as Step['run'],
    })
  }
  return steps
}

function runStep(step: Step, exchange: Exchange, reply?: Reply): Result {
  // The profiler's own onRequest makes the recording.
  const { recording } = exchange
  if (recording === undefined) return step.run(exchange, reply)
  if (!step.isInstrumentation) return inSpan(recording, step.spanName, 'listener', () => step.run(exchange, reply))
  const { stopwatch } = recording
  const startMs = stopwatch.elapsedMs()
  try {
    return step.run(exchange, reply)
  } finally {
    stopwatch.instrumentationMs += stopwatch.elapsedMs() - startMs
  }
}
