// One method of one listener, and how it is run.

import { asApplication } from '../timing/builtins.ts'
import { nameError } from '../http/name-error.ts'
import { Reply } from '../http/reply.ts'
import type { Awaitable } from './awaitable.ts'
import type { Exchange } from './exchange.ts'
import { withCookies } from './handler.ts'
import { inSpan } from './in-span.ts'
import type { Listener, Next } from './listener.ts'

/** The methods of a listener. */
export const moments = ['onRequest', 'onMatch', 'onMiss', 'around', 'onError', 'onResponse', 'onTerminate'] as const

export type Moment = (typeof moments)[number]

/** What a method gets in addition to the exchange. */
type Given = Reply | Next | readonly string[] | undefined

export interface Step {
  readonly listener: string
  readonly moment: Moment
  /** Place of the listener in its list. */
  readonly index: number
  readonly isInstrumentation: boolean
  readonly encodesBody: boolean
  readonly run: (exchange: Exchange, given?: Given) => unknown
}

/** A listener returned something else than a `Reply` or nothing. */
class ListenerResultError extends TypeError {
  get code(): 'ERR_LISTENER_RESULT' {
    return 'ERR_LISTENER_RESULT'
  }
}
nameError(ListenerResultError)

/** The steps of a moment, in the order of the list. */
export function stepsOf(listeners: readonly Listener[], moment: Moment): readonly Step[] {
  const steps: Step[] = []
  for (const [index, listener] of listeners.entries()) {
    const method = listener[moment]
    if (method === undefined) continue
    const run = method.bind(listener) as Step['run']
    steps.push({
      listener: listener.name,
      moment,
      index,
      isInstrumentation: listener.isInstrumentation === true,
      encodesBody: listener.encodesBody === true,
      run: listener.isInstrumentation === true ? run : (...given) => asApplication(() => run(...given)),
    })
  }
  return steps
}

/** The reply that a step returned, if any. Throws a `ListenerResultError` for a result that cannot be used. */
export function replyOf(step: Step, exchange: Exchange, result: unknown): Reply | undefined {
  if (result === undefined) return undefined
  if (result instanceof Reply) return withCookies(result, exchange)
  const what = result === null ? 'null' : `a value of type ${typeof result}`
  throw new ListenerResultError(
    `Listener "${step.listener}" returned ${what} from ${step.moment}; return a Reply (json(), text(), redirect(), …) or nothing`,
  )
}

/** Puts an `around` around the rest. If it returns no reply, the result of `next()` counts. */
export function aroundStep(step: Step, exchange: Exchange, inner: Next): Next {
  return async () => {
    let running: Promise<Reply> | undefined
    // Not async: the promise that is given is the one that is waited for below.
    const next: Next = () => {
      if (running !== undefined) {
        return Promise.reject(new ListenerResultError(`Listener "${step.listener}" called next() twice`))
      }
      running = inner()
      return running
    }
    const own = replyOf(step, exchange, await runStep(step, exchange, next))
    if (own !== undefined) return own
    if (running !== undefined) return withCookies(await running, exchange)
    throw new ListenerResultError(`Listener "${step.listener}" neither called next() nor returned a Reply from around`)
  }
}

/** Runs a step, in a span while the request is recorded. */
export function runStep(step: Step, exchange: Exchange, given?: Given): Awaitable<unknown> {
  // The profiler's own onRequest makes the recording.
  const { recording } = exchange
  if (recording === undefined) return step.run(exchange, given)
  if (!step.isInstrumentation) {
    return inSpan(recording, `${step.listener} ${step.moment}`, 'listener', () => step.run(exchange, given))
  }
  return step.moment === 'onResponse' ? recording.aside(() => step.run(exchange, given)) : step.run(exchange, given)
}
