// Notes unhandled promise rejections on the request that caused them. Whether the process goes on is decided elsewhere.

import { currentExchange } from '../framework/kernel/current-exchange.ts'
import { exchangeKey, type Exchange } from '../framework/kernel/exchange.ts'
import type { Listener } from '../framework/kernel/listener.ts'
import { lostRejection } from '../framework/log/lines.ts'
import type { ErrorRedactor } from './flattened-error.ts'
import { flattenError } from './flatten-error.ts'
import { maskChain } from './error-view.ts'
import { StackFrames } from './stack-frames.ts'

/** Where the application is, what masks, and what takes late rejections. */
export interface LostRejectionsOptions {
  /** Absolute directory of the application; files below it are own code. */
  readonly projectRoot: string
  readonly redactor: ErrorRedactor
  /** Takes a rejection that came after its request had ended, as a finished part of that request. */
  readonly keepLate: (part: Exchange) => void
}

/** Watches the process from `start()` to `stop()`; as a listener of the application it marks the requests that it watches. */
export class LostRejections implements Listener {
  readonly name = 'lost rejections'
  readonly isInstrumentation = true
  readonly #options: LostRejectionsOptions
  readonly #frames: StackFrames
  readonly #onRejection = Object.assign((reason: unknown): void => this.#take(reason), { onlyWatches: true })

  constructor(options: LostRejectionsOptions) {
    this.#options = options
    const { projectRoot, redactor } = options
    this.#frames = new StackFrames(projectRoot, { maskText: (text) => redactor.text(text) })
  }

  onRequest(exchange: Exchange): void {
    exchange.set(watcher, this)
  }

  start(): void {
    process.on('unhandledRejection', this.#onRejection)
  }

  stop(): void {
    process.off('unhandledRejection', this.#onRejection)
  }

  /** Logs the rejection and keeps it for the exception panel. */
  note(exchange: Exchange, reason: unknown): void {
    if (exchange.recording === undefined) return
    const isLate = exchange.sent !== undefined
    const part = isLate ? exchange.createChild('rejected later') : exchange
    const { recording } = part
    if (recording === undefined) return
    const { redactor } = this.#options
    const chain = maskChain(flattenError(reason, { redactor, frames: this.#frames }), redactor)
    const { className, message } = chain.errors[0] ?? { className: 'unknown', message: '' }
    part.log.write(lostRejection({ errorClass: className, message }))
    recording.note('exception', `${when(isLate)} a promise was rejected that nobody waited for: an await is missing.`)
    if (recording.kept('exception') === undefined) recording.keep('exception', chain)
    if (!isLate) return
    recording.finish()
    this.#options.keepLate(part)
  }

  // Node calls it in the asynchronous context of the promise.
  #take(reason: unknown): void {
    const exchange = currentExchange()
    try {
      if (exchange?.get(watcher) === this) this.note(exchange, reason)
    } catch {
      // A failure to note must not decide what becomes of the process.
    }
    // Without listeners Node ends the process. Listeners that only watch must not change that: the last of them throws.
    const listeners = process.listeners('unhandledRejection')
    if (listeners.at(-1) === this.#onRejection && listeners.every((listener) => 'onlyWatches' in listener)) throw reason
  }
}

const watcher = exchangeKey<LostRejections>('lost rejections')

function when(isLate: boolean): string {
  return isLate ? 'After this request had ended' : 'During this request'
}
