// Where the routes of each application can be read, and which application serves a request. Light: there before the profiler is.

import type { HttpRequest } from '../framework/http/request.ts'
import type { ListedRoute } from './integration.ts'

/** Reads the routes of one application; may throw. */
export type ReadRoutes = () => readonly ListedRoute[]

export class RouteLists {
  readonly readers: Map<object, ReadRoutes> = new Map()
  readonly #applications = new WeakMap<HttpRequest, object>()

  /** The last reader of an application counts. */
  add(application: object, read: ReadRoutes): void {
    this.readers.set(application, read)
  }

  /** Says which application serves a request; one without a list counts for nothing. */
  serve(request: HttpRequest, application: object): void {
    if (this.readers.has(application)) this.#applications.set(request, application)
  }

  /** `undefined` where nobody said it. */
  applicationOf(request: HttpRequest): object | undefined {
    return this.#applications.get(request)
  }
}
