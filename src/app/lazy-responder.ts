// An error responder that is loaded with the first error, or a moment after the start, whichever is earlier: drawing errors
// takes many modules, and a start waits for none of them.

import type { Reply } from '../framework/http/reply.ts'
import { runOutsideExchanges } from '../framework/kernel/current-exchange.ts'
import type { ErrorResponder } from '../framework/kernel/error-reply.ts'
import type { Exchange } from '../framework/kernel/exchange.ts'
import { loadingCategory } from '../framework/timing/span.ts'

/** Passes everything on to what it loads. A responder that cannot be loaded counts as one that throws: the next one answers. */
export class LazyResponder implements ErrorResponder {
  readonly name: string
  readonly #load: () => Promise<ErrorResponder>
  #loading: Promise<ErrorResponder> | undefined
  /** The one that was loaded, when it has answered. */
  #used: ErrorResponder | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(name: string, load: () => Promise<ErrorResponder>) {
    this.name = name
    this.#load = load
  }

  respond(exchange: Exchange, statusCode: number): Reply | Promise<Reply> {
    return this.#used === undefined ? this.#first(exchange, statusCode) : this.#used.respond(exchange, statusCode)
  }

  /** Loads it after so many milliseconds, unless an error comes first. Does not keep the process alive. */
  loadLater(delayMs: number): void {
    // What fails now fails again, in the open, with the first error.
    this.#timer = setTimeout(() => void this.#ready().catch(() => undefined), delayMs).unref()
  }

  /** Gives up on loading later. */
  close(): void {
    clearTimeout(this.#timer)
  }

  /**
   * Code that was never run takes many times as long as it will: the failed request says that it waited for that, and none of
   * it counts as its own.
   */
  async #first(exchange: Exchange, statusCode: number): Promise<Reply> {
    const recording = exchange.parent?.recording ?? exchange.recording
    const span = recording?.startSpan({ name: `first use of the ${this.name}`, category: loadingCategory })
    try {
      return await runOutsideExchanges(async () => {
        const responder = await this.#ready()
        const reply = await responder.respond(exchange, statusCode)
        this.#used = responder
        return reply
      })
    } finally {
      span?.end()
    }
  }

  /** One load for all errors, a part of no request: it is for the process. One that failed is tried again. */
  #ready(): Promise<ErrorResponder> {
    this.#loading ??= runOutsideExchanges(this.#load).catch((thrown: unknown) => {
      this.#loading = undefined
      throw thrown
    })
    return this.#loading
  }
}
