// Decides about each request while something is closed: turned away, served, or let in by a link.

import type { AnyRoutes } from '../../app/plugin.ts'
import { nearestName } from '../../framework/options/nearest-name.ts'
import { UrlMatcher } from '../../framework/routing/url-matcher.ts'
import type { Reply } from '../../framework/http/reply.ts'
import type { HttpRequest } from '../../framework/http/request.ts'
import type { Awaitable } from '../../framework/kernel/awaitable.ts'
import { lazy } from '../../framework/kernel/lazy.ts'
import { lockedRouteUnknown } from '../../framework/log/lines.ts'
import type { Log } from '../../framework/log/logger.ts'
import { closableOf, isTurnedAway, routeOf } from './closure.ts'
import type { Exceptions } from './exceptions.ts'
import type { Closure, LockLink } from './lock-store.ts'
import type { Lock } from './lock.ts'
import { bringsLink, bringsPass } from './pass-names.ts'

export interface GateOptions {
  readonly lock: Pick<Lock, 'closures' | 'isClosedAtBoot' | 'link'>
  readonly exceptions: Exceptions
  readonly routes: ApplicationRoutes
  /** Hears of a lock that names a route which the application does not have. */
  readonly log: Log
}

export class Gate {
  readonly #options: GateOptions
  /** The signatures need `node:crypto`, which no start has to load. */
  readonly #passes = lazy(() => import('./pass.ts'))

  /** What was looked at last. */
  #known: readonly Closure[] | undefined

  constructor(options: GateOptions) {
    this.#options = options
  }

  /** `true`: it gets the maintenance page. `false`: it is served, `isForeign`: by another framework. A reply is sent instead. */
  turnsAway(request: HttpRequest, isForeign = false): Awaitable<boolean | Reply> {
    const { lock, exceptions } = this.#options
    // The static page before anything else (SPEC 6.1).
    if (lock.isClosedAtBoot) return true
    const { link } = lock
    if (exceptions.links && link !== undefined && bringsPass(request)) return this.#byPass(request, link, isForeign)
    return this.#isClosedTo(request, isForeign)
  }

  async #byPass(request: HttpRequest, link: LockLink, isForeign: boolean): Promise<boolean | Reply> {
    const { exchangePass, holdsPass } = await this.#passes()
    const now = Date.now()
    const entry = bringsLink(request) ? exchangePass(request, link, now) : undefined
    if (entry !== undefined) return entry
    return !holdsPass(request, link, now) && this.#isClosedTo(request, isForeign)
  }

  #isClosedTo(request: HttpRequest, isForeign: boolean): boolean {
    const { lock, exceptions, routes } = this.#options
    const { closures } = lock
    if (closures !== this.#known) this.#lookAt(closures)
    const closable = closableOf(request, (asked) => routes.nameOf(asked), isForeign)
    return closures.some((closure) => isTurnedAway(closure, closable)) && !exceptions.admit(request, closable)
  }

  #lookAt(closures: readonly Closure[]): void {
    this.#known = closures
    const names = closures.flatMap(({ only = [] }) => only.map(routeOf)).filter((name) => name !== undefined)
    const unknown = this.#options.routes.findUnknown(names)
    if (unknown !== undefined) this.#options.log.write(lockedRouteUnknown(unknown))
  }
}

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
