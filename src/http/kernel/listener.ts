// The moments of a request that code can take part in.

import { Reply } from '../../base/http/reply.ts'
import { type Awaitable, isPromise, membersOf } from '../../base/members.ts'
import type { Exchange } from './exchange.ts'
import { asApplication } from '../../base/timing/builtins.ts'
import { nameError } from '../../base/http/http-error.ts'
import { withCookies, toReply, type Handler } from './handler.ts'
import { inSpan } from '../recording/recording.ts'
import { describe, nearestName } from '../../base/options/check-options.ts'
import { listenerFailed } from '../../base/log/lines.ts'
import type { AnyHandlerOptions } from '../../routing/route-definition.ts'
import type { Route } from '../../routing/route.ts'
import { describeFailure } from './describe-failure.ts'

/** Runs the rest: the `around` of inner listeners, and the handler. Gives their reply, and throws what they throw. Call it once. */
export type Next = () => Promise<Reply>

/**
 * Takes part in every request, or in those of a group of routes. What is first in is last out: `onRequest`, `onMatch` and `around` run in the
 * order of the list, listeners of groups after those of the application; `onError` and `onResponse` run in reverse.
 */
export interface Listener {
  /** For people: shown in the profiler and in log lines. */
  readonly name: string
  /** Marks the profiler's own instrumentation: it gets no span, and its time is charged to the profiler. Default: not set. */
  readonly isInstrumentation?: true
  /** Its `onResponse` encodes the body, and so runs after all others, those of the profiler too. Default: not set. */
  readonly encodesBody?: true
  /**
   * Before the route is looked up, so a listener of a group cannot have it. A `Reply` is sent without route and handler; only listeners
   * before this one get their `onResponse`.
   */
  onRequest?(exchange: Exchange): Awaitable<Reply | undefined | void>
  /** A route matched: `exchange.route` and `exchange.request.params` are set. A `Reply` is sent in place of the handler's. */
  onMatch?(exchange: Exchange): Awaitable<Reply | undefined | void>
  /**
   * No route matched: in place of the 404 or 405 a `Reply` is sent, the first one of all listeners. `allow` are the methods that routes of this
   * path take; without any the response would be a 404. A listener of a group cannot have it.
   */
  onMiss?(exchange: Exchange, allow: readonly string[]): Awaitable<Reply | undefined | void>
  /**
   * Around the handler, after guards and validation. Returns a `Reply`, or nothing for the one that `next()` gave. What it throws becomes an
   * error response.
   */
  around?(exchange: Exchange, next: Next): Awaitable<Reply | undefined | void>
  /**
   * Something was thrown: `exchange.failure` is set. All of these run; the first `Reply` is sent in place of the error response. The error is
   * logged and shown in the profile either way.
   */
  onError?(exchange: Exchange): Awaitable<Reply | undefined | void>
  /** There is a reply. Change its headers, or return another one. */
  onResponse?(exchange: Exchange, reply: Reply): Awaitable<Reply | undefined | void>
  /** The response has left, or never could. Nobody waits for this. */
  onTerminate?(exchange: Exchange, reply: Reply): Awaitable<void>
}

const moments = ['onRequest', 'onMatch', 'onMiss', 'around', 'onError', 'onResponse', 'onTerminate'] as const

type Moment = (typeof moments)[number]

/** What a method gets in addition to the exchange. */
type Given = Reply | Next | readonly string[] | undefined

interface Step {
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
  declare readonly code: 'ERR_LISTENER_RESULT'
}
nameError(ListenerResultError, 'ERR_LISTENER_RESULT')

/** The steps of a moment, in the order of the list. */
function stepsOf(listeners: readonly Listener[], moment: Moment): readonly Step[] {
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
function replyOf(step: Step, exchange: Exchange, result: unknown): Reply | undefined {
  if (result === undefined) return undefined
  if (result instanceof Reply) return withCookies(result, exchange)
  const what = result === null ? 'null' : `a value of type ${typeof result}`
  throw new ListenerResultError(
    `Listener "${step.listener}" returned ${what} from ${step.moment}; return a Reply (json(), text(), redirect(), …) or nothing`,
  )
}

/** Puts an `around` around the rest. If it returns no reply, the result of `next()` counts. */
function aroundStep(step: Step, exchange: Exchange, inner: Next): Next {
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
function runStep(step: Step, exchange: Exchange, given?: Given): Awaitable<unknown> {
  // The profiler's own onRequest makes the recording.
  const { recording } = exchange
  if (recording === undefined) return step.run(exchange, given)
  if (!step.isInstrumentation) {
    return inSpan(recording, `${step.listener} ${step.moment}`, 'listener', () => step.run(exchange, given))
  }
  return step.moment === 'onResponse' ? recording.aside(() => step.run(exchange, given)) : step.run(exchange, given)
}

export const listenerMoments: ReadonlySet<string> = new Set(moments)

/** Throws a TypeError for a value that is not a listener, or has a method whose name is almost one of a listener. */
export function checkListener(place: string, listener: unknown): void {
  const refuse = (what: string): never => {
    throw new TypeError(`${place} ${what}; a listener is an object: { name: 'login', onRequest(exchange) {} }`)
  }
  if (typeof listener !== 'object' || listener === null) return refuse(`is ${describe(listener)}`)
  const { name } = membersOf(listener)
  if (typeof name !== 'string' || name === '') return refuse('has no name')
  for (const method of methodsOf(listener)) {
    if (listenerMoments.has(method)) continue
    const near = nearestName(method, moments)
    if (near === null && !/^on[A-Z]/.test(method)) continue
    const advice = near === null ? `There are ${moments.join(', ')}.` : `Did you mean "${near}"?`
    throw new TypeError(`Listener "${name}" has a method "${method}", which is never called. ${advice}`)
  }
  for (const moment of moments) {
    const value: unknown = membersOf(listener)[moment]
    if (value === undefined || typeof value === 'function') continue
    throw new TypeError(`"${moment}" of listener "${name}" is ${describe(value)}; allowed: a function`)
  }
}

/** Names of an object's methods, its own and those of its classes. */
function methodsOf(listener: object): readonly string[] {
  const names: string[] = []
  for (let one: object | null = listener; one !== Object.prototype && one !== null; one = Object.getPrototypeOf(one)) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(one))) {
      if (typeof value === 'function' && name !== 'constructor') names.push(name)
    }
  }
  return names
}

/** Listeners sorted by moment, each in the order in which they run. */
type Moments = Readonly<Record<Moment, readonly Step[]>>

type ListenedRoute = Pick<Route, 'key' | 'handlerOptions' | 'definedAt'>

/** The listeners of an application and of its routes, sorted once at start. */
export class ListenerRunner {
  readonly #application: Moments
  /** Those of the application and of groups, for routes whose groups have some. */
  readonly #ofGroups = new Map<readonly AnyHandlerOptions[], Moments>()
  /** Whether any listener has `onTerminate`. */
  readonly hasTerminate: boolean

  /** Throws a TypeError for a listener of a route or group that has `onRequest` or `onMiss`. */
  constructor(listeners: readonly Listener[], routes: Iterable<ListenedRoute> = []) {
    this.#application = momentsOf(listeners)
    for (const route of routes) {
      const { handlerOptions } = route
      if (this.#ofGroups.has(handlerOptions)) continue
      const own = handlerOptions.flatMap((options) => options.listeners ?? [])
      if (own.length === 0) continue
      for (const listener of own) {
        checkListener(`A listener of route "${route.key}"`, listener)
        refuseEarly(listener, route)
      }
      this.#ofGroups.set(handlerOptions, momentsOf([...listeners, ...own]))
    }
    const all = [this.#application, ...this.#ofGroups.values()]
    this.hasTerminate = all.some(({ onTerminate }) => onTerminate.length > 0)
  }

  /**
   * The first reply ends `onRequest`, `onMatch` or `onMiss`. One of `onRequest` ends the request, too, and on its way out passes the
   * listeners that came before. `allow`: methods that routes of the path of a miss take.
   */
  firstReply(moment: Moment, exchange: Exchange, allow?: readonly string[]): Awaitable<Reply | undefined> {
    const steps = this.#momentsOf(exchange)[moment]
    return steps.length === 0 ? undefined : this.#askInTurn(exchange, steps, allow)
  }

  /** Waits only for what gives a promise: a response may leave in the turn in which its request came. */
  #askInTurn(exchange: Exchange, steps: readonly Step[], given: Given, from = 0): Awaitable<Reply | undefined> {
    const step = steps[from]
    if (step === undefined) return undefined
    const goOn = (result: unknown): Awaitable<Reply | undefined> => {
      const reply = replyOf(step, exchange, result)
      if (reply === undefined) return this.#askInTurn(exchange, steps, given, from + 1)
      if (step.moment === 'onMiss') exchange.handlerName = step.listener
      return step.moment === 'onRequest' ? this.#respond(exchange, reply, step.index) : reply
    }
    const result = runStep(step, exchange, given)
    return isPromise(result) ? Promise.resolve(result).then(goOn) : goOn(result)
  }

  /** Runs the handler inside every `around`. */
  handler(exchange: Exchange, handler: Handler): Awaitable<unknown> {
    const { around } = this.#momentsOf(exchange)
    if (around.length === 0) return this.#inSpan(exchange, handler, exchange.parent === undefined)
    let run: Next = async () => toReply(await this.#inSpan(exchange, handler), exchange)
    for (const step of around) run = aroundStep(step, exchange, run)
    return run()
  }

  /** A span while the request is recorded. */
  #inSpan(exchange: Exchange, handler: Handler, isOutermost = false): Awaitable<unknown> {
    const { recording, handlerName } = exchange
    if (recording === undefined) return handler(exchange)
    if (isOutermost) recording.handlerCaller = import.meta.url
    return inSpan(recording, handlerName, 'controller', () => asApplication(() => handler(exchange)))
  }

  /** Gives the first reply. A listener that throws is logged, and counts as one without a reply. */
  onError(exchange: Exchange): Awaitable<Reply | undefined> {
    const { onError } = this.#momentsOf(exchange)
    return onError.length === 0 ? undefined : askAll(exchange, onError)
  }

  /** Each listener sees the reply as the one before left it; the last reply is given back. */
  onResponse(exchange: Exchange, reply: Reply): Awaitable<Reply> {
    return this.#respond(exchange, reply, Number.POSITIVE_INFINITY)
  }

  /** The same for an error response: a listener that throws is logged, and the others go on. Never rejects. */
  onErrorResponse(exchange: Exchange, reply: Reply): Awaitable<Reply> {
    return this.#respond(exchange, reply, Number.POSITIVE_INFINITY, (step, thrown) => {
      // A listener that made the request fail fails again, and that is logged already.
      const isKnown = describeFailure(thrown).message === describeFailure(exchange.failure?.thrown).message
      if (!isKnown) report(step, exchange, thrown)
    })
  }

  /** All begin at once; one that fails is logged. */
  onTerminate(exchange: Exchange): void {
    for (const step of this.#momentsOf(exchange).onTerminate) {
      try {
        // The recording is closed by now, so there are no spans.
        const ending = step.run(exchange, exchange.reply)
        if (isPromise(ending)) Promise.resolve(ending).catch((thrown: unknown) => report(step, exchange, thrown))
      } catch (thrown) {
        report(step, exchange, thrown)
      }
    }
  }

  /** `before`: listeners from this place on have not seen the request. `failed` is told what a listener throws. Default: it is thrown. */
  #respond(exchange: Exchange, reply: Reply, before: number, failed = throwOn): Awaitable<Reply> {
    const { onResponse } = this.#momentsOf(exchange)
    return onResponse.length === 0 ? reply : passOn(exchange, reply, onResponse, before, failed)
  }

  #momentsOf({ route }: Exchange): Moments {
    if (this.#ofGroups.size === 0 || route?.handlerOptions === undefined) return this.#application
    return this.#ofGroups.get(route.handlerOptions) ?? this.#application
  }
}

async function askAll(exchange: Exchange, steps: readonly Step[]): Promise<Reply | undefined> {
  let first: Reply | undefined
  for (const step of steps) {
    try {
      const reply = replyOf(step, exchange, await runStep(step, exchange))
      first ??= reply
    } catch (thrown) {
      report(step, exchange, thrown)
    }
  }
  return first
}

/** The reply as the steps from a place on leave it, each as it was where it throws. */
function passOn(
  exchange: Exchange,
  reply: Reply,
  steps: readonly Step[],
  before: number,
  failed: (step: Step, thrown: unknown) => void,
  from = 0,
): Awaitable<Reply> {
  const step = steps[from]
  if (step === undefined) return reply
  if (step.index >= before) return passOn(exchange, reply, steps, before, failed, from + 1)
  const take = (result: unknown): Reply => replyOf(step, exchange, result) ?? withCookies(reply, exchange)
  const fail = (thrown: unknown): Reply => {
    failed(step, thrown)
    return reply
  }
  const goOn = (left: Reply): Awaitable<Reply> => {
    exchange.reply = left
    return passOn(exchange, left, steps, before, failed, from + 1)
  }
  let left: Awaitable<Reply>
  try {
    const result = runStep(step, exchange, reply)
    left = isPromise(result) ? Promise.resolve(result).then(take).catch(fail) : take(result)
  } catch (thrown) {
    left = fail(thrown)
  }
  return isPromise(left) ? left.then(goOn) : goOn(left)
}

function report({ listener, moment }: Step, exchange: Exchange, thrown: unknown): void {
  exchange.log.write(listenerFailed({ moment, listener, ...describeFailure(thrown) }))
}

function throwOn(_step: Step, thrown: unknown): void {
  throw thrown
}

function momentsOf(listeners: readonly Listener[]): Moments {
  return {
    onRequest: stepsOf(listeners, 'onRequest'),
    onMatch: stepsOf(listeners, 'onMatch'),
    onMiss: stepsOf(listeners, 'onMiss'),
    // The innermost first: each is put around the ones before.
    around: stepsOf(listeners, 'around').toReversed(),
    onError: stepsOf(listeners, 'onError').toReversed(),
    onResponse: stepsOf(listeners, 'onResponse')
      .toReversed()
      .toSorted((one, other) => distance(one) - distance(other)),
    onTerminate: stepsOf(listeners, 'onTerminate'),
  }
}

/** How far out an `onResponse` is: the profiler sees what all others made of a response, and what encodes the body sees all of it. */
function distance({ isInstrumentation, encodesBody }: Step): number {
  return encodesBody ? 2 : Number(isInstrumentation)
}

/** Refuses what would never be called. */
function refuseEarly({ name, onRequest, onMiss }: Listener, route: ListenedRoute): void {
  if (onRequest === undefined && onMiss === undefined) return
  const [hook, when] =
    onRequest === undefined ? ['onMiss', 'where no route matches'] : ['onRequest', 'before the route is known']
  const { key, definedAt } = route
  const place = definedAt === null ? '' : ` (${definedAt.file}:${definedAt.line})`
  throw new TypeError(
    `Listener "${name}" of route "${key}"${place} has ${hook}, which runs ${when}; use onMatch, or put it into the ` +
      'listeners of createApp()',
  )
}
