// What Hono's router finds for a request: the matched route, and middleware and handlers as steps.

import type { IncomingMessage } from 'node:http'
import type { MatchedByFramework, ObservedRequest, Observer } from '../integration.ts'
import { type Callable, nameOf, runStep } from './observed-function.ts'

export interface HonoApplication {
  readonly routes: readonly Route[]
  readonly router: { match: Callable }
  readonly errorHandler: unknown
  readonly fetch: Callable
  readonly route: Callable
}

interface Route {
  readonly method: string
  readonly path: string
  readonly handler: Callable
}

interface Context {
  /** Of @hono/node-server; none for `app.request()`. */
  readonly env?: { readonly incoming?: IncomingMessage }
  get(name: string): unknown
  readonly req: { routeIndex: number; param(): Readonly<Record<string, string>> }
  /** The last error that an error handler was given. */
  readonly error?: unknown
}

/** The handlers that were found, in their order. */
type Chain = readonly (readonly [readonly [Callable, Route], unknown])[]

interface HonoEvents {
  matched(raw: IncomingMessage): void
  /** A handler threw: who responds? */
  failed(observed: ObservedRequest, thrown: unknown): void
}

/** Observes what the router finds from now on, for routes from before us too. The router replaces its `match` when it is first called. */
export function observeRouter({ router }: HonoApplication, events: HonoEvents, observer: Observer): void {
  const chains = new WeakMap<Chain, Chain>()
  const thrown = new WeakSet<object>()
  let { match } = router
  const observedMatch = (...args: unknown[]): unknown => {
    const result = match.apply(router, args)
    const observed = observer.guard('hono: matched route', () => {
      const [chain, ...values] = result as [Chain, ...unknown[]]
      const known = chains.get(chain) ?? observedChain(chain)
      chains.set(chain, known)
      return [known, ...values]
    })
    return observed ?? result
  }
  Object.defineProperty(router, 'match', {
    configurable: true,
    get: () => observedMatch,
    set(next: Callable) {
      match = next
    },
  })

  function observedChain(chain: Chain): Chain {
    const target = targetOf(chain.map(([[, route]]) => route))
    return chain.map(([[handler, route], parameters], index) => {
      const kind = index === target ? 'handler' : 'middleware'
      const name = [nameOf(handlerOf(handler)) || 'anonymous', route.path].join(' ')
      const observedHandler = (context: Context, next: unknown): unknown => {
        const observed = observer.guard('hono: handler', () => {
          const raw = context.env?.incoming
          const found = raw && observer.requestOf(raw)
          if (found !== undefined && raw !== undefined && index === 0 && target !== -1) {
            found.matched(matchedRoute(chain, target, context))
            found.keepsIn((kept) => context.get(kept))
            events.matched(raw)
          }
          return found
        })
        if (observed === undefined) return handler(context, next)
        return runStep({ observed, name, kind, observer }, () => handler(context, next), {
          ended: () => tellError(observed, handler, context),
          failed: (error) => {
            tellError(observed, handler, context)
            thrown.add(Object(error))
            events.failed(observed, error)
          },
        })
      }
      return [[observedHandler as Callable, route], parameters]
    })
  }

  /** Routes of an application that was mounted with its own error handler respond to their errors there. */
  function tellError(observed: ObservedRequest, handler: Callable, { error }: Context): void {
    if (handlerOf(handler) === handler || error === undefined || thrown.has(Object(error))) return
    observed.failed(error)
    observed.respondsItself()
  }
}

/** Place of the handler of the route: the last that takes no `next`, else the last that is not for every method; -1 if there is none. */
function targetOf(routes: readonly Route[]): number {
  const last = routes.findLastIndex(({ handler }) => handlerOf(handler).length < 2)
  return last === -1 ? routes.findLastIndex(({ method }) => method !== 'ALL') : last
}

/** The handler that was given for a route, out of the function that Hono makes of it where an application is mounted. */
export function handlerOf(handler: Callable): Callable {
  const key = Reflect.ownKeys(handler).find((name) => /composed_?handler/i.test(String(name)))
  const inner: unknown = key === undefined ? undefined : Reflect.get(handler, key)
  return typeof inner === 'function' ? handlerOf(inner as Callable) : handler
}

function matchedRoute(chain: Chain, target: number, { req }: Context): MatchedByFramework {
  const { path, handler } = chain[target]?.[0][1] ?? { path: '', handler: () => undefined }
  const { routeIndex } = req
  // Parameters are those of the route whose turn it is.
  req.routeIndex = target
  const params = req.param()
  req.routeIndex = routeIndex
  return { path, params, handler: nameOf(handlerOf(handler)) || undefined }
}
