// h3's middleware and routes as steps of a request.

import type { IncomingMessage } from 'node:http'
import type { ObservedRequest, Observer, StepKind } from '../integration.ts'
import {
  type Around,
  type Callable,
  isFirstTime,
  nameOf,
  observedFunction,
  redefine,
  runStep,
} from './observed-function.ts'

export interface H3Application {
  config: { readonly onError?: Callable }
  readonly use: Callable
  readonly handler: Callable
  readonly '~middleware': readonly unknown[]
  readonly '~routes': readonly Route[]
  readonly '~addRoute': Callable
  readonly '~findRoute': Callable
  readonly '~request': Callable
}

interface Route {
  readonly method: string
  readonly route: string
  handler: Callable
  middleware?: readonly Callable[] | undefined
  '~composed'?: unknown
}

/** `runtime` is missing for `app.request()`. */
export interface H3Event {
  readonly app?: object
  readonly context?: object
  readonly runtime?: { readonly node?: { readonly req: IncomingMessage } }
}

type FoundRoute = { data: Route; params?: Readonly<Record<string, string>> } | undefined

export function requestOf(event: unknown, observer: Observer, application?: object): ObservedRequest | undefined {
  const raw = (event as H3Event).runtime?.node?.req
  return raw && observer.requestOf(raw, application)
}

/**
 * Middleware that is used from now on becomes a step, before h3 makes a function without a name of it; also in applications that are
 * mounted, so the prototype is observed. Whether it was already.
 */
export function observeUse(application: H3Application, observer: Observer): boolean {
  let holder: object | null = application
  while (holder !== null && !Object.hasOwn(holder, 'use')) holder = Object.getPrototypeOf(holder) as object | null
  if (holder === null || !isFirstTime(holder)) return true
  const { use } = application
  redefine(holder, 'use', function (this: unknown, ...args: readonly unknown[]) {
    const path = typeof args[0] === 'string' ? args[0] : ''
    const given = observer.guard('h3: middleware', () =>
      args.map((each) =>
        typeof each === 'function' ? observed(each as Callable, path, 'middleware', observer) : each,
      ),
    )
    return use.apply(this, given ?? [...args])
  })
  return false
}

function observed(handler: Callable, path: string, kind: StepKind, observer: Observer): Callable {
  const name = [nameOf(handler) || (kind === 'handler' ? kind : 'anonymous'), path].filter(Boolean).join(' ')
  const around: Around = (args, run) => {
    const request = observer.guard(`h3: ${kind}`, () => requestOf(args[0], observer))
    return request === undefined ? run(args) : runStep({ observed: request, name, kind, observer }, () => run(args))
  }
  return observedFunction(handler, around, observer)
}

/** Routes are observed in place, since the router keeps the same objects. */
export function observeRoutes(application: H3Application, observer: Observer): void {
  const { '~addRoute': addRoute, '~findRoute': findRoute } = application
  const observeRoute = (route: Route): void => {
    route.handler = observed(route.handler, '', 'handler', observer)
    route.middleware = route.middleware?.map((each) => observed(each, '', 'middleware', observer))
    delete route['~composed']
  }
  application['~routes'].forEach(observeRoute)
  redefine(application, '~addRoute', function (this: unknown, route: Route) {
    observer.guard('h3: route', () => observeRoute(route))
    return addRoute.call(this, route)
  })
  redefine(application, '~findRoute', function (this: unknown, event: unknown) {
    const found = findRoute.call(this, event)
    observer.guard('h3: matched route', () => {
      const { data, params = {} } = (found as FoundRoute) ?? {}
      const request = requestOf(event, observer, application)
      request?.keepsIn((name) => Reflect.get(Object((event as H3Event).context), name) as unknown)
      if (data !== undefined) request?.matched({ path: data.route, params, handler: nameOf(data.handler) || undefined })
    })
    return found
  })
}
