// An error responder that is loaded with the first error, or a moment after the start, whichever is earlier: drawing errors
// takes many modules, and a start waits for none of them.

import type { Reply } from '../http/reply.ts'
import type { ErrorResponder } from '../kernel/error-responder.ts'
import type { Exchange } from '../kernel/exchange.ts'

/** Passes everything on to what it loads. A responder that cannot be loaded counts as one that throws: the next one answers. */
export class LazyResponder implements ErrorResponder {
  readonly name: string
  readonly #load: () => Promise<ErrorResponder>
  #responder: ErrorResponder | undefined
  #loading: Promise<ErrorResponder> | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(name: string, load: () => Promise<ErrorResponder>) {
    this.name = name
    this.#load = load
  }

  respond(exchange: Exchange, statusCode: number): Reply | Promise<Reply> {
    if (this.#responder !== undefined) return this.#responder.respond(exchange, statusCode)
    return this.#ready().then((responder) => responder.respond(exchange, statusCode))
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

  /** One load for all errors that come meanwhile. */
  #ready(): Promise<ErrorResponder> {
    this.#loading ??= this.#load()
      .then((responder) => (this.#responder = responder))
      .finally(() => (this.#loading = undefined))
    return this.#loading
  }
}
