// Hono 4 on Node: its requests, and who responds to its errors and unknown paths.

import { isPromise } from '../../base/members.ts'
import { define } from '../../http/kernel/follow-call.ts'
import type {
  Integration,
  ListedRoute,
  LoadHook,
  MatchedByFramework,
  ObservedRequest,
  Observer,
} from '../integration.ts'
import { holderOf, isMethod, tellFields } from '../replace-method.ts'
import { isFirstTime, keepRegistration, nameOf, registrationOf, runStep, type Callable } from './observed-function.ts'
import { wrongApplication } from './wrong-application.ts'
import type { IncomingMessage } from 'node:http'

export const hono: Integration = {
  framework: 'Hono',
  package: 'hono',
  tested: ['4.0.0 to 4.13.19'],

  attach(application, observer) {
    if (!isHono(application)) throw wrongApplication('fanlight/hono', 'a Hono application', application)
    if (!isFirstTime(application)) return
    observeRequests(application, observer)
    observer.addRoutes(application, () => listedRoutes(application))
  },

  loadHooks: ['hono.js', 'preset/quick.js', 'preset/tiny.js'].flatMap((file) => [
    loadHook(`dist/${file}`),
    loadHook(`dist/cjs/${file}`),
  ]),
}

function isHono(value: unknown): value is HonoApplication {
  return typeof value === 'object' && value !== null && 'basePath' in value && 'routes' in value && 'fetch' in value
}

function observeRequests(application: HonoApplication, observer: Observer): void {
  const entered = new WeakSet<IncomingMessage>()
  const withRoute = new WeakSet<IncomingMessage>()
  const { fetch } = application
  define(
    application,
    'fetch',
    (request: unknown, env: { incoming?: IncomingMessage } | undefined, ...rest: unknown[]) => {
      const raw = env?.incoming
      const observed = observer.guard('hono: request', () => raw && observer.requestOf(raw, application))
      if (raw === undefined || observed === undefined) return fetch(request, env, ...rest)
      entered.add(raw)
      const check = (response: unknown): unknown =>
        withRoute.has(raw)
          ? isResponse(response)
            ? response
            : fail(notResponse(response))
          : (observer.guard('hono: unknown path', () => checkMiss(response, observed, observer)) ?? response)
      // For a thrown value that is not an Error, Hono calls no error handler and Node's adapter sends an empty 500.
      const fail = (thrown: unknown): never => {
        observer.guard('hono: error', () => {
          observed.failed(thrown)
          observed.respondsByDefault('error')
        })
        throw thrown
      }
      try {
        const response = fetch(request, env, ...rest)
        return isPromise(response) ? response.then(check, fail) : check(response)
      } catch (thrown) {
        return fail(thrown)
      }
    },
  )
  const matched = (raw: IncomingMessage): void => {
    withRoute.add(raw)
    if (!entered.has(raw)) observer.note('Hono: fanlight() came after serve(): the page for unknown paths is missing')
  }
  observeRouter(application, matched, observer)
  const { route, routes } = application
  const { push } = routes
  define(routes, 'push', (...added: Route[]) => {
    observer.guard('hono: registered', () => added.forEach((each) => keepRegistration(each)))
    return push.apply(routes, added)
  })
  define(application, 'route', (path: unknown, mounted: unknown) => {
    const { length } = application.routes
    const result = route.call(application, path, mounted)
    observer.guard('hono: mounted', () => {
      if (!isHono(mounted)) return
      // Its routes are listed with their prefix here.
      observer.addRoutes(mounted, () => [])
      const copies = application.routes.slice(length)
      mounted.routes.forEach((each, index) => keepRegistration(copies[index] ?? {}, registrationOf(each)))
    })
    return result
  })
}

/** Routes of every method and path; a middleware of a route is listed with it. */
function listedRoutes({ routes }: HonoApplication): readonly ListedRoute[] {
  const list = new Map<string, ListedRoute>()
  for (const route of routes) {
    const { method, path, handler } = route
    const of = handlerOf(handler)
    if (method === 'ALL' && of.length > 1) continue
    const methods = method === 'ALL' ? [] : [method]
    const name = nameOf(of) || undefined
    list.set(`${method} ${path}`, { methods, path, handler: name, registration: registrationOf(route) })
  }
  return [...list.values()]
}

function loadHook(file: string): LoadHook {
  return {
    package: 'hono',
    file,
    // Newer builds for require() copy the class to their exports.
    value: "{ get: () => Hono, set: (next) => { Hono = next; if (typeof exports === 'object') exports.Hono = next } }",
    take(value, observer) {
      const { get, set } = value as { get(): new (...args: unknown[]) => object; set(next: unknown): void }
      const Original = get()
      set(
        class Hono extends Original {
          constructor(...args: unknown[]) {
            super(...args)
            observer.guard('hono: new application', () => hono.attach(this, observer))
          }
        },
      )
    },
  }
}

/** Whether an error handler of the application responds, or the thrown value has a response. */
function respondsItself(application: HonoApplication, thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false
  return application.errorHandler !== defaultErrorHandler(application) || Reflect.get(thrown, 'res') !== undefined
}

/** Every instance begins with it. */
function defaultErrorHandler(application: HonoApplication): unknown {
  const prototype = holderOf(Object(Object.getPrototypeOf(application)), 'basePath')
  const Base = prototype?.constructor as (new () => HonoApplication) | undefined
  return Base === undefined ? undefined : new Base().errorHandler
}

function isResponse(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'headers' in value && 'status' in value
}

/** Node's adapter would fail with a message of its own. */
function notResponse(value: unknown): TypeError {
  const what = typeof value === 'string' ? 'a string' : `a value of type ${typeof value}`
  const error = new TypeError(`Handler of Hono returned ${what}; return c.text(), c.json(), c.html() or a Response`)
  // Frames of Hono and of this file say nothing of the handler.
  error.stack = `TypeError: ${error.message}`
  return error
}

/** Hono's own response for an unknown path is known by its text. */
function checkMiss(given: unknown, observed: ObservedRequest, observer: Observer): unknown {
  // The adapter replaces the global Response, so that `instanceof` knows half of them.
  const response = given as Response
  const { status, headers } = response
  if (status !== 404 || headers.get('content-type')?.startsWith('text/plain') !== true) return response
  return response
    .clone()
    .text()
    .then(
      (text) => {
        observer.guard('hono: unknown path', () => {
          if (text === '404 Not Found') observed.respondsByDefault('miss')
        })
        return response
      },
      () => response,
    )
}

interface HonoApplication {
  readonly routes: Route[]
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
  readonly req: { routeIndex: number; readonly path: string; param(): Readonly<Record<string, string>> }
  /** The last error that an error handler was given. */
  readonly error?: unknown
}

/** The handlers that were found, in their order. */
type Chain = readonly (readonly [readonly [Callable, Route], unknown])[]

/** Observes what the router finds from now on, for routes from before us too. The router replaces its `match` when it is first called. */
function observeRouter(
  application: HonoApplication,
  matched: (raw: IncomingMessage) => void,
  observer: Observer,
): void {
  const { router } = application
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
      const own = nameOf(handlerOf(handler))
      const name = own && `${own} ${route.path}`
      const registered = { path: route.path, registration: registrationOf(route) }
      const observedHandler = (context: Context, next: unknown): unknown => {
        const observed = observer.guard('hono: handler', () => {
          const raw = context.env?.incoming
          const found = raw && observer.requestOf(raw)
          if (found !== undefined && raw !== undefined && index === 0 && target !== -1) {
            found.matched(matchedRoute(chain, target, context))
            found.keepsIn((kept) => context.get(kept))
            tellFields(context, 'header', observer)
            matched(raw)
          }
          return found
        })
        if (observed === undefined) return handler(context, next)
        return runStep({ observed, name, kind, observer, registered }, () => handler(context, next), {
          ended: () => tellError(observed, handler, context),
          failed: (error) => {
            tellError(observed, handler, context)
            thrown.add(Object(error))
            if (respondsItself(application, error)) observed.respondsItself()
            else observed.respondsByDefault('error')
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
function handlerOf(handler: Callable): Callable {
  const key = Reflect.ownKeys(handler).find((name) => /composed_?handler/i.test(String(name)))
  const inner: unknown = key === undefined ? undefined : Reflect.get(handler, key)
  return isMethod(inner) ? handlerOf(inner) : handler
}

function matchedRoute(chain: Chain, target: number, { req }: Context): MatchedByFramework {
  const route = chain[target]?.[0][1] ?? { path: '', handler: () => undefined }
  const { path, handler } = route
  const { routeIndex } = req
  // Parameters are those of the route whose turn it is.
  req.routeIndex = target
  const params = req.param()
  req.routeIndex = routeIndex
  const registration = registrationOf(route)
  return { path, foundBy: req.path, params, handler: nameOf(handlerOf(handler)) || undefined, registration }
}
