// h3 2 on srvx: its routes and middleware, and who responds to its errors.

import { tellField } from '../../base/http/header-fields.ts'
import { define } from '../../http/kernel/follow-call.ts'
import type { Integration, ListedRoute, ObservedRequest, Observer, Registered, StepKind } from '../integration.ts'
import { isFirstTime, keepRegistration, nameOf, observedStep, registrationOf, settled } from './observed-function.ts'
import type { Callable } from './observed-function.ts'
import { holderOf, isMethod, replaceFunction } from '../replace-method.ts'
import { wrongApplication } from './wrong-application.ts'
import { membersOf } from '../../base/members.ts'

const notFound = Symbol.for('h3.notFound')

export const h3: Integration = {
  framework: 'h3',
  package: 'h3',
  tested: ['2.0.1 to 2.0.8'],
  missingBefore: 'h3 1 and Nitro 2 have no routes, steps and pages of errors here',

  attach(application, observer) {
    if (!isH3(application)) throw wrongApplication('fanlight/h3', 'an h3 application', application)
    if (!isFirstTime(application)) return
    const isKnown = observeUse(application, observer)
    if (!isKnown && application['~middleware'].length > 0) {
      observer.note('h3: middleware from before fanlight() has no steps')
    }
    observeRoutes(application, observer)
    observeErrors(application, observer)
    observer.addRoutes(application, () => listedRoutes(application))
  },

  loadHooks: [
    {
      package: 'h3',
      file: 'dist/cache.mjs',
      majors: [2],
      value: 'H3.prototype',
      take(value, observer) {
        const prototype = value as H3Application
        const { '~request': original } = prototype
        observeUse(prototype, observer)
        define(prototype, '~request', function (this: unknown, ...args: unknown[]) {
          observer.guard('h3: new application', () => h3.attach(this, observer))
          return original.apply(this, args)
        })
      },
    },
    {
      package: 'h3',
      file: 'dist/cors.mjs',
      majors: [2],
      value: '({ get redirect() { return redirect }, set redirect(made) { redirect = made } })',
      take: (functions) =>
        replaceFunction(functions, 'redirect', (_own, args, run) => {
          tellField('location', args[0])
          return run()
        }),
    },
  ],
}

function isH3(value: unknown): value is H3Application {
  return typeof value === 'object' && value !== null && '~routes' in value && '~findRoute' in value
}

function observeErrors(application: H3Application, observer: Observer): void {
  const { handler, config } = application
  const told = (event: unknown, work: (request: ObservedRequest) => void): void => {
    const request = requestOf(event, observer)
    // An application inside another one leaves errors to it.
    if (request !== undefined && membersOf(event).app === application) work(request)
  }
  const failed = (request: ObservedRequest, thrown: unknown): void => {
    if (thrown === Symbol.for('h3.handled')) return
    if (thrown !== notFound) request.failed(thrown)
    request.respondsByDefault(thrown === notFound ? 'miss' : 'error')
  }
  define(application, 'handler', (event: unknown) =>
    settled(
      () => handler(event),
      {
        ended: (value) => {
          if (value === notFound || value instanceof Error) told(event, (request) => failed(request, value))
        },
        failed: (thrown) => told(event, (request) => failed(request, thrown)),
      },
      observer,
    ),
  )
  let own = config.onError
  const observedOwn = (error: unknown, event: unknown): unknown =>
    settled(
      () => own?.(error, event),
      {
        ended: (value) => {
          if (value !== undefined && value !== null) told(event, (request) => request.respondsItself())
        },
        failed: (thrown) => told(event, (request) => request.failed(thrown)),
      },
      observer,
    )
  // A server freezes the configuration, so it is replaced; h3 reads it for each request.
  application.config = Object.defineProperty({ ...config }, 'onError', {
    configurable: true,
    enumerable: true,
    get: () => own && observedOwn,
    set: (next: Callable | undefined) => {
      own = next
    },
  })
}

function listedRoutes(application: H3Application): readonly ListedRoute[] {
  return application['~routes'].map((route) => ({
    ...registeredAs(route),
    methods: route.method === '' ? [] : [route.method],
    handler: nameOf(route.handler) || undefined,
  }))
}

interface H3Application {
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
  /** Made for each route; where an application is mounted, its routes are copied with it. */
  readonly meta?: object
  middleware?: readonly Callable[] | undefined
  '~composed'?: unknown
}

function registeredAs({ route, meta }: { readonly route: string; readonly meta?: object | undefined }): Registered {
  return { path: route, registration: registrationOf(meta) }
}

type FoundRoute = { data: Route; params?: Readonly<Record<string, string>> } | undefined

/** `app.request()` has no request of Node. */
function requestOf(event: unknown, observer: Observer, application?: object): ObservedRequest | undefined {
  return observer.requestOf(membersOf(membersOf(membersOf(event).runtime).node).req, application)
}

/**
 * Middleware that is used from now on becomes a step, before h3 makes a function without a name of it; also in applications that are
 * mounted, so the prototype is observed. Whether it was already.
 */
function observeUse(application: H3Application, observer: Observer): boolean {
  const holder = holderOf(application, 'use')
  if (holder === undefined || !isFirstTime(holder)) return true
  const { use, '~addRoute': addRoute } = application
  define(holder, '~addRoute', function (this: unknown, route: Route) {
    observer.guard('h3: route', () => keepRegistration(route.meta ?? {}))
    return addRoute.call(this, route)
  })
  define(holder, 'use', function (this: unknown, ...args: readonly unknown[]) {
    const path = typeof args[0] === 'string' ? args[0] : ''
    const given = observer.guard('h3: middleware', () =>
      args.map((each) => (isMethod(each) ? observed(each, 'middleware', observer, path, keepRegistration({})) : each)),
    )
    return use.apply(this, given ?? [...args])
  })
  return false
}

/** A redirect is an object that a handler returns. Where nobody saw it made, it is that of the route. */
function tellRedirect(returned: unknown, meta?: object): void {
  const headers: unknown = Reflect.get(Object(returned), 'headers')
  const location = headers instanceof Headers ? headers.get('location') : null
  if (location !== null) tellField('location', location, registrationOf(meta))
}

/** h3 makes the headers of a response when code asks for them first. */
function tellHeaders(event: unknown): void {
  const holder = holderOf(Object(membersOf(event).res), 'headers')
  const { get } = (holder && Object.getOwnPropertyDescriptor(holder, 'headers')) ?? {}
  if (holder === undefined || get === undefined || !isFirstTime(holder)) return
  const observedGet = function (this: unknown): unknown {
    const headers: object = Object(Reflect.apply(get, this, []))
    for (const name of Object.hasOwn(headers, 'set') ? [] : ['set', 'append']) {
      const method = Reflect.get(headers, name) as Callable
      define(headers, name, (...args: readonly unknown[]) => {
        tellField(String(args[0]), args[1])
        return Reflect.apply(method, headers, args)
      })
    }
    return headers
  }
  Object.defineProperty(holder, 'headers', { get: observedGet, configurable: true })
}

function observed(handler: Callable, kind: StepKind, observer: Observer, path = '', meta?: object): Callable {
  const own = nameOf(handler) || (kind === 'handler' ? kind : '')
  const name = own && [own, path].filter(Boolean).join(' ')
  const registered = kind === 'handler' ? undefined : registeredAs({ route: path || '/', meta })
  return observedStep(
    handler,
    ([event]) => requestOf(event, observer),
    { name, kind, observer, registered },
    kind === 'handler' ? { ended: (returned) => tellRedirect(returned, meta) } : {},
  )
}

/** Routes are observed in place, since the router keeps the same objects. */
function observeRoutes(application: H3Application, observer: Observer): void {
  const { '~addRoute': addRoute, '~findRoute': findRoute } = application
  const observeRoute = (route: Route): void => {
    route.handler = observed(route.handler, 'handler', observer, '', route.meta)
    route.middleware = route.middleware?.map((each) => observed(each, 'middleware', observer))
    delete route['~composed']
  }
  application['~routes'].forEach(observeRoute)
  define(application, '~addRoute', function (this: unknown, route: Route) {
    observer.guard('h3: route', () => observeRoute(route))
    return addRoute.call(this, route)
  })
  define(application, '~findRoute', function (this: unknown, event: unknown) {
    const found = findRoute.call(this, event)
    observer.guard('h3: matched route', () => {
      const { data, params = {} } = (found as FoundRoute) ?? {}
      tellHeaders(event)
      const request = requestOf(event, observer, application)
      request?.keepsIn((name) => membersOf(membersOf(event).context)[name])
      if (data === undefined) return
      const { pathname } = membersOf(membersOf(event).url)
      const foundBy = typeof pathname === 'string' ? pathname : undefined
      request?.matched({ ...registeredAs(data), foundBy, params, handler: nameOf(data.handler) || undefined })
    })
    return found
  })
}
