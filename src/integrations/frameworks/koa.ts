// Koa 2 and 3 and @koa/router: middleware as it is composed, routes as the router lays them into the context.

import { define } from '../../http/kernel/follow-call.ts'
import { isMethod, type Replacement, replaceOnce } from '../replace-method.ts'
import type { Integration, ListedRoute, ObservedRequest, Observer } from '../integration.ts'
import { isAttached, isFirstTime, keepRegistration, nameOf, observedStep, registrationOf } from './observed-function.ts'
import type { Callable, RequestOf } from './observed-function.ts'
import { wrongApplication } from './wrong-application.ts'
import type { IncomingMessage } from 'node:http'
import { membersOf, listOf } from '../../base/members.ts'

interface KoaApplication {
  middleware: readonly unknown[]
  readonly context: object
  readonly callback: Callable
  readonly handleRequest: Callable
}

export const koa: Integration = {
  framework: 'Koa',
  package: 'koa',
  tested: ['2.16.4', '3.0.0 to 3.3.0'],

  attach(application, observer) {
    if (!isKoa(application)) throw wrongApplication('fanlight/koa', 'a Koa application', application)
    if (!isFirstTime(application)) return
    let isComposed = false
    replaceOnce(application, 'use', keepUse, observer)
    const { callback, handleRequest } = application
    define(application, 'callback', function (this: KoaApplication) {
      isComposed = true
      return composeObserved(this, callback, observer)
    })
    define(
      application,
      'handleRequest',
      function (this: unknown, context: KoaContext, run: (context: unknown) => unknown) {
        const observed = observer.guard('koa: request', () => {
          const found = observer.requestOf(context.req, application)
          if (found !== undefined) observeErrors(context, found, application, observer)
          found?.respondsIf(() => !isDefaultMiss(context))
          found?.keepsIn((name) => Reflect.get(name === 'user' ? context.state : context, name))
          if (!isComposed) observer.note('Koa: fanlight() came after listen() or callback(): middleware has no steps')
          return found
        })
        if (observed === undefined) return handleRequest.call(this, context, run)
        return handleRequest.call(this, context, async (given: unknown) => {
          await run(given)
          observer.guard('koa: unknown path', () => {
            if (isDefaultMiss(context)) observed.respondsByDefault('miss')
          })
        })
      },
    )
    observer.guard('koa: routers', () => observeRouters(application.context, observer))
    observer.addRoutes(application, () => listedRoutes(application.middleware))
  },

  loadHooks: [
    {
      package: 'koa',
      file: 'lib/application.js',
      value: 'module.exports.prototype',
      take(prototype, observer) {
        replaceOnce(prototype, 'use', keepUse, observer)
        const { callback: original } = membersOf(prototype)
        if (!isMethod(original)) throw new TypeError('there is no method callback')
        define(Object(prototype), 'callback', function callback(this: KoaApplication) {
          // The method of its own says nothing: others may have copied ours.
          const isKnown = isAttached(this)
          if (!isKnown) observer.guard('koa: new application', () => koa.attach(this, observer))
          return isKnown || !isAttached(this) ? original.call(this) : this.callback()
        })
      },
    },
    ...['lib/router.js', 'dist/index.js', 'dist/index.mjs'].map((file) => ({
      package: '@koa/router',
      file,
      majors: file.startsWith('lib') ? [8, 9, 10, 11, 12, 13, 14] : [15],
      value: file.startsWith('lib') ? 'module.exports.prototype' : 'Router.prototype',
      take: (prototype: unknown, observer: Observer) => replaceOnce(prototype, 'register', keepRoutes, observer),
    })),
  ],
}

/** `use`, keeping where it was called. */
const keepUse: Replacement = (_, args, run) => {
  keepRegistration(Object(args[0]))
  return run()
}

/** `register`, keeping where it was called. */
const keepRoutes: Replacement = (router, _, run) => {
  const result = run()
  keepRegistration(Object(listOf(membersOf(router).stack).at(-1)), undefined, true)
  return result
}

/** Koa composes what it finds in its list, and what is added to the list later as well. */
function composeObserved(application: KoaApplication, callback: Callable, observer: Observer): unknown {
  const { middleware } = application
  const known = new WeakMap<object, unknown>()
  const observed = (value: unknown): unknown => {
    if (typeof value !== 'function') return Array.isArray(value) ? inList(value) : value
    if (!known.has(value)) known.set(value, observedMiddleware(value, observer))
    return known.get(value)
  }
  const inList = (list: readonly unknown[]): readonly unknown[] =>
    new Proxy(list, {
      get: (target, key) => {
        const value: unknown = Reflect.get(target, key)
        return typeof key === 'string' && /^\d+$/.test(key) ? observed(value) : value
      },
    })
  try {
    application.middleware = inList(middleware)
    return callback.call(application)
  } finally {
    application.middleware = middleware
  }
}

function isKoa(value: unknown): value is KoaApplication {
  return typeof value === 'object' && value !== null && 'callback' in value && 'createContext' in value
}

/**
 * Hears of the routes that a router finds for the path: it sets `router` before it runs any of them. The property is that of all contexts:
 * V8 would keep one of a single context, and all that it leads to, until a full collection.
 */
function observeRouters(contexts: object, observer: Observer): void {
  const before: unknown = Reflect.get(contexts, 'router')
  const router = Symbol('router')
  Object.defineProperty(contexts, 'router', {
    configurable: true,
    enumerable: true,
    get(this: object): unknown {
      return Reflect.get(this, router)
    },
    set(this: KoaContext, value: unknown) {
      define(this, router, value)
      observer.guard('koa: matched route', () => this.matched?.forEach((layer) => observeLayer(layer, observer)))
    },
  })
  define(contexts, router, before)
}

function observeErrors(
  context: KoaContext,
  observed: ObservedRequest,
  application: KoaApplication,
  observer: Observer,
): void {
  const { onerror } = context
  define(context, 'onerror', function (this: unknown, thrown: unknown) {
    observer.guard('koa: error', () => {
      if (thrown === null || thrown === undefined) return
      observed.failed(thrown)
      // The application's context inherits from Koa's.
      if (onerror === Reflect.get(Object(Object.getPrototypeOf(application.context)), 'onerror'))
        observed.respondsByDefault('error')
      else observed.respondsItself()
    })
    return onerror.call(this, thrown)
  })
}

/** Nobody set a body or a status; or the router's own 405. */
function isDefaultMiss({ respond, headerSent, body, status, response, _matchedRoute }: KoaContext): boolean {
  if (respond === false || headerSent || (body !== null && body !== undefined) || response._explicitNullBody === true)
    return false
  if (_matchedRoute !== undefined) return false
  return status === 404 ? response._explicitStatus !== true : status === 405 && response.get('Allow') !== ''
}

interface KoaContext {
  readonly state: object
  readonly req: IncomingMessage
  readonly status: number
  readonly body: unknown
  readonly respond?: boolean
  readonly headerSent: boolean
  readonly params?: Readonly<Record<string, unknown>>
  readonly onerror: Callable
  readonly response: {
    get(field: string): string
    readonly _explicitStatus?: boolean
    readonly _explicitNullBody?: boolean
  }
  readonly path: string
  /** Of @koa/router: a path in place of that of the request; what is tried for the path, and what matched. */
  readonly newRouterPath?: string
  readonly matched?: readonly Layer[]
  readonly _matchedRoute?: unknown
}

/** What @koa/router keeps of a route, or of a middleware of the router if there are no methods. */
interface Layer {
  readonly path: unknown
  readonly name?: string | null
  readonly methods: readonly string[]
  readonly stack: Callable[]
}

function observedMiddleware(middleware: unknown, observer: Observer): unknown {
  const { router, _name = nameOf(middleware) } = membersOf(middleware)
  const { prefix = '' } = membersOf(membersOf(router).opts)
  const name = router === undefined ? String(_name) : `router ${String(prefix)}`.trim()
  const registered = { path: '/', registration: registrationOf(middleware) }
  const requestOf: RequestOf = ([context]) => observer.requestOf(membersOf(context).req)
  return observedStep<object>(Object(middleware), requestOf, { name, kind: 'middleware', observer, registered })
}

/** Routes are told of when one of their functions runs, since they have their parameters by then. */
function observeLayer(layer: Layer, observer: Observer): void {
  const { path, name, methods, stack } = layer
  const handler = nameOf(stack.at(-1)) || undefined
  const registered = { path: String(path), registration: registrationOf(layer) }
  for (const [index, each] of stack.entries()) {
    const kind = methods.length > 0 && index === stack.length - 1 ? 'handler' : 'middleware'
    const { param } = membersOf(each)
    const step = (typeof param === 'string' ? `param ${param}` : nameOf(each)) || (kind === 'handler' ? 'handler' : '')
    const requestOf: RequestOf = ([given]) => {
      const context = given as KoaContext
      const { params = {}, newRouterPath: foundBy = context.path } = context
      const found = observer.requestOf(context.req)
      if (methods.length > 0) found?.matched({ ...registered, foundBy, name: name ?? undefined, params, handler })
      return found
    }
    stack[index] = observedStep(each, requestOf, { name: step, kind, observer, registered })
  }
}

function listedRoutes(all: readonly unknown[]): readonly ListedRoute[] {
  const routers = all.flat(Infinity).map((each) => (Object(each) as { router?: { stack?: readonly Layer[] } }).router)
  return routers
    .flatMap((router) => router?.stack ?? [])
    .filter(({ methods }) => methods.length > 0)
    .map((layer) => ({
      // `router.all` registers every method that Node knows.
      methods: layer.methods.length > 20 ? [] : layer.methods,
      path: String(layer.path),
      name: layer.name ?? undefined,
      handler: nameOf(layer.stack.at(-1)) || undefined,
      registration: registrationOf(layer),
    }))
}
