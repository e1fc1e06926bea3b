// The error handler, loaded with the first error or soon after the start: drawing errors takes many modules, and no start waits for them.

import { clearTimeout, setTimeout, withBuiltins } from '../base/timing/builtins.ts'
import type { ErrorHandler } from '../errors/error-handler.ts'
import type { Reply } from '../base/http/reply.ts'
import type { Awaitable } from '../base/members.ts'
import { runOutsideExchanges } from '../http/kernel/current-exchange.ts'
import type { ErrorResponder } from '../http/kernel/error-reply.ts'
import type { Exchange } from '../http/kernel/exchange.ts'
import { loadingCategory } from '../base/timing/stopwatch.ts'
import { lazy } from '../http/kernel/lazy.ts'
import type { ErrorHandlerInput } from './debug-error-tools.ts'

/** How long after the start it is loaded if no error needs it before, in milliseconds: the first request comes at once, after a restart. */
const loadAfterMs = 1000

export class LazyErrorHandler implements ErrorResponder {
  readonly name = 'error handler'
  readonly #load: () => Promise<ErrorHandler>
  readonly #timer: NodeJS.Timeout
  /** Outside debug, once it is loaded: nothing is measured there that its work could change. */
  #loaded: ErrorHandler | undefined
  #hasResponded = false

  constructor(input: ErrorHandlerInput) {
    this.#load = lazy(async () => {
      const { loadErrorHandler } = await import('./load-error-handler.ts')
      const { handler } = await loadErrorHandler(input)
      if (!input.settings.debug) this.#loaded = handler
      return handler
    })
    // A load that fails here fails again with the first error, where it shows.
    this.#timer = setTimeout(() => void this.#load().catch(() => undefined), loadAfterMs).unref()
  }

  respond(exchange: Exchange, statusCode: number): Awaitable<Reply> {
    return this.#loaded?.respond(exchange, statusCode) ?? this.#respondFirst(exchange, statusCode)
  }

  async #respondFirst(exchange: Exchange, statusCode: number): Promise<Reply> {
    const respond = async (): Promise<Reply> =>
      withBuiltins(async () => (await runOutsideExchanges(this.#load)).respond(exchange, statusCode))
    if (this.#hasResponded) return respond()
    // Loading and first use are slow, and not the request's own doing: its timeline shows them as a span.
    const recording = exchange.parent?.recording ?? exchange.recording
    const span = recording?.startSpan({ name: `first use of the ${this.name}`, category: loadingCategory })
    try {
      const reply = await respond()
      this.#hasResponded = true
      return reply
    } finally {
      span?.end()
    }
  }

  async noteHandled(exchange: Exchange, statusCode: number): Promise<void> {
    await withBuiltins(async () => (await this.#load()).noteHandled(exchange, statusCode))
  }

  async note(...noted: Parameters<ErrorHandler['note']>): Promise<void> {
    await withBuiltins(async () => (await this.#load()).note(...noted))
  }

  close(): void {
    clearTimeout(this.#timer)
  }
}
