// Decides about each request while something is closed: turned away, served, or let in by a link.

import type { Reply } from '../../framework/http/reply.ts'
import type { HttpRequest } from '../../framework/http/request.ts'
import type { Awaitable } from '../../framework/kernel/awaitable.ts'
import { lazy } from '../../framework/kernel/lazy.ts'
import { closableOf, isTurnedAway } from './closure.ts'
import type { Exceptions } from './exceptions.ts'
import type { LockLink } from './lock-store.ts'
import type { Lock } from './lock.ts'
import { bringsLink, bringsPass } from './pass-names.ts'

export interface GateOptions {
  readonly lock: Pick<Lock, 'closures' | 'isClosedAtBoot' | 'link'>
  readonly exceptions: Exceptions
  /** Name of the application's route that takes a request; `undefined` if none does. */
  readonly routeOf: (request: HttpRequest) => string | undefined
}

export class Gate {
  readonly #options: GateOptions
  /** The signatures need `node:crypto`, which no start has to load. */
  readonly #passes = lazy(() => import('./pass.ts'))

  constructor(options: GateOptions) {
    this.#options = options
  }

  /** `true`: it gets the maintenance page. `false`: it is served. A reply is sent instead. */
  turnsAway(request: HttpRequest): Awaitable<boolean | Reply> {
    const { lock, exceptions } = this.#options
    // The static page before anything else (SPEC 6.1).
    if (lock.isClosedAtBoot) return true
    const { link } = lock
    if (exceptions.links && link !== undefined && bringsPass(request)) return this.#byPass(request, link)
    return this.#isClosedTo(request)
  }

  async #byPass(request: HttpRequest, link: LockLink): Promise<boolean | Reply> {
    const { exchangePass, holdsPass } = await this.#passes()
    const now = Date.now()
    const entry = bringsLink(request) ? exchangePass(request, link, now) : undefined
    if (entry !== undefined) return entry
    return !holdsPass(request, link, now) && this.#isClosedTo(request)
  }

  #isClosedTo(request: HttpRequest): boolean {
    const { lock, exceptions, routeOf } = this.#options
    const closable = closableOf(request, routeOf)
    return lock.closures.some((closure) => isTurnedAway(closure, closable)) && !exceptions.admit(request, closable)
  }
}
