// Promises that were rejected and that nobody waited for, noted on the request in whose course they were made. Whether the
// process goes on is not decided here: a listener of the process or Node itself does that.

import { currentExchange } from '../framework/kernel/current-exchange.ts'
import { exchangeKey, type Exchange } from '../framework/kernel/exchange.ts'
import type { Listener } from '../framework/kernel/listener.ts'
import { lostRejection } from '../framework/log/lines.ts'
import type { ErrorRedactor } from './flattened-error.ts'
import { flattenError } from './flatten-error.ts'
import { maskChain } from './error-view.ts'
import { StackFrames } from './stack-frames.ts'

/** What watching needs. */
export interface LostRejectionsOptions {
  /** Absolute directory of the application; files below it are own code. */
  readonly projectRoot: string
  readonly redactor: ErrorRedactor
  /**
   * Takes the record of a rejection that came after its request had ended: a part of that request, with a recording of its
   * own.
   */
  readonly keepLate: (part: Exchange) => void
}

/** Watches from `start()` to `stop()`. A listener of the application, so that it knows which requests are its own. */
export class LostRejections implements Listener {
  readonly name = 'lost rejections'
  readonly isInstrumentation = true
  readonly #options: LostRejectionsOptions
  readonly #frames: StackFrames

  constructor(options: LostRejectionsOptions) {
    this.#options = options
    const { projectRoot, redactor } = options
    this.#frames = new StackFrames(projectRoot, { maskText: (text) => redactor.text(text) })
  }

  onRequest(exchange: Exchange): void {
    exchange.set(watcher, this)
  }

  /** Begins to watch. */
  start(): void {
    if (watching.size === 0) process.on('unhandledRejection', onRejection)
    watching.add(this)
  }

  /** Ends it; rejections are Node's alone again. */
  stop(): void {
    watching.delete(this)
    if (watching.size === 0) process.off('unhandledRejection', onRejection)
  }

  /** Writes a log line, and keeps the error where the panel of exceptions finds it. */
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
}

const watcher = exchangeKey<LostRejections>('lost rejections')

/** All that watch in this process. They share one listener: Node warns of many. */
const watching = new Set<LostRejections>()

// Node calls it in the asynchronous context of the promise.
function onRejection(reason: unknown): void {
  const exchange = currentExchange()
  try {
    exchange?.get(watcher)?.note(exchange, reason)
  } catch {
    // Noting is a courtesy; what becomes of the process must not depend on it.
  }
  // Without us Node would end the process. Watching must not change that.
  if (process.listenerCount('unhandledRejection') === 1) throw reason
}

function when(isLate: boolean): string {
  return isLate ? 'After this request had ended' : 'During this request'
}
