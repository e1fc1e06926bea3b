// Attaches uncaught exceptions, unhandled rejections, errors that a response only mentions, and warnings of the process to the request that
// caused them. Others decide whether the process continues.

import { queueMicrotask } from '../base/timing/builtins.ts'
import { currentExchange } from '../http/kernel/current-exchange.ts'
import { exchangeKey, type Exchange } from '../http/kernel/exchange.ts'
import type { Listener } from '../http/kernel/listener.ts'
import { unhandledError, processWarning } from '../base/log/lines.ts'
import type { ExplainError } from './error-handler.ts'
import type { ErrorRedactor } from './flattened-error.ts'
import { flattenError } from './flatten-error.ts'
import { maskChain } from './error-view.ts'
import { StackFrames } from './stack-frames.ts'
import { traceLines, frameText } from './trace-lines.ts'
import { exceptionName } from './value-origin.ts'

type UnhandledKind = 'rejection' | 'exception' | 'resolver'

interface UnhandledErrorsOptions {
  /** Absolute directory; files below it are own code. */
  readonly projectRoot: string
  readonly redactor: ErrorRedactor
  /** Whether the profile of a request is made, so that nothing can be added to it. */
  readonly isKept: (exchange: Exchange) => boolean
  readonly explain: ExplainError
  /** Takes an error that came too late for the profile of its request, as a finished sub-request. */
  readonly keepLate: (part: Exchange) => void
}

/** Watches the process from `start()` to `stop()`. As a listener it marks the requests of its application. */
export class UnhandledErrors implements Listener {
  readonly name = 'unhandled errors'
  readonly isInstrumentation = true
  readonly #options: UnhandledErrorsOptions
  readonly #frames: StackFrames
  readonly #onRejection = Object.assign((reason: unknown): void => this.#noteCurrent(reason, 'rejection'), {
    onlyWatches: true,
  })
  // A monitor: whether the process ends is not its business. Rejections that end the process come here too.
  readonly #onException = (thrown: unknown, origin: string): void =>
    this.#noteCurrent(thrown, origin === 'uncaughtException' ? 'exception' : 'rejection')
  // Without listeners Node ends the process and says where it failed. So we listen only where somebody else does.
  readonly #onListeners = (event: unknown, listener: object): void => {
    if (event === 'unhandledRejection' && !('onlyWatches' in listener)) queueMicrotask(() => this.#listen())
  }

  constructor(options: UnhandledErrorsOptions) {
    this.#options = options
    const { projectRoot, redactor } = options
    this.#frames = new StackFrames(projectRoot, { maskText: (text) => redactor.text(text) })
  }

  onRequest(exchange: Exchange): void {
    if (exchange.recording !== undefined) exchange.set(watcher, this)
  }

  /** Whether a request is one of its application: there may be others in the process. */
  isOwn(exchange: Exchange): boolean {
    return exchange.get(watcher) === this
  }

  start(): void {
    process.on('uncaughtExceptionMonitor', this.#onException)
    process.on('newListener', this.#onListeners)
    process.on('removeListener', this.#onListeners)
    this.#listen()
  }

  stop(): void {
    process.off('newListener', this.#onListeners)
    process.off('removeListener', this.#onListeners)
    process.off('uncaughtExceptionMonitor', this.#onException)
    process.off('unhandledRejection', this.#onRejection)
  }

  /** Shows the error in the exception panel, and logs it unless it is part of a response. */
  note(exchange: Exchange, reason: unknown, kind: UnhandledKind): void {
    if (exchange.recording === undefined) return
    const noted = (exchange.get(notedErrors) ?? 0) + 1
    exchange.set(notedErrors, noted)
    if (noted > maxNoted) return
    const isLate = exchange.sent !== undefined && this.#options.isKept(exchange)
    const part = isLate ? this.#latePart(exchange, kind) : exchange
    const { recording } = part
    if (recording === undefined) return
    const { redactor } = this.#options
    const chain = maskChain(flattenError(reason, { redactor, frames: this.#frames }), redactor)
    const { className, message } = chain.errors[0] ?? { className: 'unknown', message: '' }
    const request = `${exchange.request.method} ${exchange.request.path}`
    // A process that ends says so itself, with the same trace.
    const listeners: readonly object[] =
      kind === 'rejection' ? process.listeners('unhandledRejection') : process.listeners('uncaughtException')
    const isReported = listeners.some((listener) => 'reportsCrashes' in listener)
    if (kind !== 'resolver' && !isReported)
      part.log.write(unhandledError({ errorClass: className, message, kind, request, trace: traceLines(chain) }))
    recording.note(
      'exception',
      `${exchange.sent !== undefined ? `after the response of ${request}` : 'during this request'}: ${explanations[kind]}`,
    )
    if (recording.kept(exceptionName) === undefined)
      recording.keep(exceptionName, { ...chain, ...this.#options.explain(chain, exchange) })
    if (isLate) this.#options.keepLate(part)
  }

  #latePart(exchange: Exchange, kind: UnhandledKind): Exchange {
    const part = exchange.createChild(kind === 'rejection' ? 'rejected later' : 'thrown later')
    part.route = exchange.route
    // The client did get its response.
    part.reply = exchange.reply
    part.sent = exchange.sent
    part.recording?.finish()
    return part
  }

  // Node calls both listeners in the async context of the code that failed.
  #noteCurrent(thrown: unknown, kind: UnhandledKind): void {
    const exchange = currentExchange()
    try {
      if (exchange !== undefined && this.isOwn(exchange)) this.note(exchange, thrown, kind)
    } catch {
      // A failure here must not end the process.
    }
  }

  #listen(): void {
    process.off('unhandledRejection', this.#onRejection)
    const isHeard = process.listeners('unhandledRejection').some((listener) => !('onlyWatches' in listener))
    if (isHeard) process.on('unhandledRejection', this.#onRejection)
  }
}

/** Errors that are noted of one request: a loop can reject thousands at once, all alike. */
const maxNoted = 10
const notedErrors = exchangeKey<number>('unhandled errors noted')

const watcher = exchangeKey<UnhandledErrors>('unhandled errors')

const explanations: Readonly<Record<UnhandledKind, string>> = {
  rejection: 'a promise was rejected that nobody waited for. An await is missing.',
  exception:
    'code threw outside its handler, or too late, in a callback of a timer, an event or a stream, or once it had responded.',
  resolver: 'a GraphQL resolver failed. The result of its operation lists the error.',
}

/** Watches from `start()` to `stop()`. Node prints the warnings as usual. */
export class ProcessWarnings {
  readonly #frames: StackFrames
  readonly #isOwn: (exchange: Exchange) => boolean
  readonly #note = (warning: Error): void => this.#write(warning)

  /** `projectRoot`: absolute directory; the place of a warning is the first frame below it. `isOwn`: whether a request is looked at. Default: all are. */
  constructor(projectRoot: string, isOwn: (exchange: Exchange) => boolean = () => true) {
    this.#frames = new StackFrames(projectRoot)
    this.#isOwn = isOwn
  }

  start(): void {
    process.on('warning', this.#note)
  }

  stop(): void {
    process.off('warning', this.#note)
  }

  #write(warning: Error): void {
    // Only on a recording: Node prints the warning anyway, but cannot name the request.
    const exchange = currentExchange()
    const log = exchange?.recording?.logger
    if (exchange === undefined || log === undefined || !this.#isOwn(exchange)) return
    const { name, message, stack = '' } = warning
    const code = 'code' in warning && typeof warning.code === 'string' ? warning.code : null
    const frames = this.#frames.read(stack, message, { maxFrames: 20, maxExcerpts: 0 })
    const own = frames.find(({ origin }) => origin === 'own')
    log.write(processWarning({ name, code, message, place: own === undefined ? null : frameText(own) }))
  }
}
