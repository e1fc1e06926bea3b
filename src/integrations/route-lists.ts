// Where the routes of each application can be read, and which application serves a request. Light: there before the profiler is.

import type { HttpRequest } from '../base/http/request.ts'
import type { ListedRoute } from './integration.ts'

/** Reads the routes of one application; may throw. */
type ReadRoutes = () => readonly ListedRoute[]

/** Keeps no application in memory: what is known of one goes with it. */
export class RouteLists {
  /** A reader may hold its application. */
  readonly #readers = new WeakMap<object, ReadRoutes>()
  readonly #known = new Set<WeakRef<object>>()
  readonly #gone = new FinalizationRegistry<WeakRef<object>>((reference) => this.#known.delete(reference))
  readonly #serving = new WeakMap<HttpRequest, object>()

  /** The last reader of an application counts. */
  add(application: object, read: ReadRoutes): void {
    if (!this.#readers.has(application)) {
      const reference = new WeakRef(application)
      this.#known.add(reference)
      this.#gone.register(application, reference)
    }
    this.#readers.set(application, read)
  }

  /** Of the applications that are still there, in the order they were added. */
  readers(): readonly (readonly [application: object, read: ReadRoutes])[] {
    return [...this.#known].flatMap((reference) => {
      const application = reference.deref()
      const read = application === undefined ? undefined : this.#readers.get(application)
      return application === undefined || read === undefined ? [] : [[application, read] as const]
    })
  }

  /** Says which application serves a request; one without a list counts for nothing. */
  serve(request: HttpRequest, application: object): void {
    if (this.#readers.has(application)) this.#serving.set(request, application)
  }

  /** `undefined` if nobody said it. */
  applicationOf(request: HttpRequest): object | undefined {
    return this.#serving.get(request)
  }
}
