// The routes of the application, by which exceptions and locks name requests.

import type { AnyRoutes } from '../../app/plugin.ts'
import type { HttpRequest } from '../../framework/http/request.ts'
import { nearestName } from '../../framework/options/nearest-name.ts'
import { UrlMatcher } from '../../framework/routing/url-matcher.ts'

export class ApplicationRoutes {
  readonly #routes: () => AnyRoutes
  #matcher: UrlMatcher | undefined

  /** They are known once every plugin has started, so they are asked for when they are needed. */
  constructor(routes: () => AnyRoutes) {
    this.#routes = routes
  }

  /** Name of the route that takes a request, or sends it to its own form; `undefined` if none does. */
  nameOf(request: HttpRequest): string | undefined {
    this.#matcher ??= new UrlMatcher(this.#routes())
    const found = this.#matcher.find(request)
    return found.kind === 'match' || found.kind === 'redirect' ? found.route.name : undefined
  }

  /** The first name that no route has, with the nearest name that one has. */
  findUnknown(names: readonly string[]): { readonly name: string; readonly near: string | null } | undefined {
    if (names.length === 0) return undefined
    const known = this.#routes()
      .all()
      .map((route) => route.name)
    const name = names.find((one) => !known.includes(one))
    return name === undefined ? undefined : { name, near: nearestName(name, known) }
  }
}
