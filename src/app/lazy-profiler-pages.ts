// The pages of the profiler, loaded with the first request for one: they are many modules, and most starts serve the
// application's own pages first.

import type { Reply } from '../framework/http/reply.ts'
import type { Exchange } from '../framework/kernel/exchange.ts'
import type { PageRoute, ProfilerFront } from '../profiler/web/profiler-routes.ts'
import type { ProfilerController } from '../profiler/web/profiler-controller.ts'

/** Passes requests on to a controller that it makes once. What cannot be loaded rejects, and is tried again. */
export class LazyProfilerPages implements ProfilerFront {
  readonly #load: () => Promise<ProfilerController>
  #controller: Promise<ProfilerController> | undefined
  #isClosed = false

  constructor(load: () => Promise<ProfilerController>) {
    this.#load = load
  }

  async page(page: PageRoute, exchange: Exchange): Promise<Reply> {
    return (await this.#ready()).page(page, exchange)
  }

  async show(exchange: Exchange<{ readonly token: string }>): Promise<Reply> {
    return (await this.#ready()).show(exchange)
  }

  /** Ends the live lists, those of a controller that is still being loaded too. */
  close(): void {
    this.#isClosed = true
    this.#controller?.then(
      (controller) => controller.close(),
      () => undefined,
    )
  }

  #ready(): Promise<ProfilerController> {
    this.#controller ??= this.#make()
    return this.#controller
  }

  async #make(): Promise<ProfilerController> {
    try {
      const controller = await this.#load()
      if (this.#isClosed) controller.close()
      return controller
    } catch (error) {
      this.#controller = undefined
      throw error
    }
  }
}
