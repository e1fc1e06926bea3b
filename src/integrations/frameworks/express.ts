// Applications of Express 4 and 5: which of them serves a request, what is mounted in them, and what they render.

import { observers } from '../captures/observers.ts'
import type { Integration, ListedRoute, Observer, ObservedRequest, Registered, Step, StepKind } from '../integration.ts'
import { type Method, type Replacement, holderOf, remakeOnce, replaceOnce, isMethod } from '../replace-method.ts'
import { joinPaths, keepPath, pathOf, handlerLayer, keepRouter, nameOf, routerBehind } from './express-routes.ts'
import type { ExpressRequest, Handler, Layer, Route, Router } from './express-routes.ts'
import { type Around, keepRegistration, observedFunction, registrationOf } from './observed-function.ts'
import { wrongApplication } from './wrong-application.ts'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Server, ServerResponse } from 'node:http'
import { extname } from 'node:path'
import { performance } from '../../base/timing/builtins.ts'
import { membersOf, isPromise } from '../../base/members.ts'
import { define } from '../../http/kernel/follow-call.ts'

/** An application of Express 5; of Express 4 with `lazyrouter`. */
interface Application {
  readonly handle: Handler
  readonly use: Handler
  readonly set: Handler
  readonly request: object
  readonly lazyrouter?: Handler
  readonly router?: Router
  readonly _router?: Router
}

export const express: Integration = {
  framework: 'Express',
  package: 'express',
  tested: ['4.22.3', '5.0.1 to 5.3.0'],

  attach(application, observer) {
    if (!isApplication(application)) throw wrongApplication('fanlight/express', 'an Express application', application)
    observeApplication(application, observer)
    observer.addRoutes(application, () => routesOf(application))
  },

  /** So that the routes are there before the first request. */
  subscribe(observer) {
    subscribe('tracing:net.server.listen:asyncEnd', (message) => {
      const { server } = message as { readonly server: Server }
      for (const listener of server.listeners('request')) {
        observer.guard('express: listen', () => {
          if (isApplication(listener)) observer.addRoutes(listener, () => routesOf(listener))
        })
      }
    })
  },

  /** One message is enough: while somebody listens, the router takes another way, which every stack shows. */
  meet(observer) {
    const channel = 'tracing:express.router.request:start'
    const meet = (message: unknown): void => {
      unsubscribe(channel, meet)
      observer.guard('express: channel', () => {
        const { layer, req } = message as { readonly layer: Layer; readonly req: ExpressRequest }
        observeLayers(layer, observer)
        if (isApplication(req.app)) observeApplication(req.app, observer)
        Passage.of(req, observer)?.start(layer)
      })
    }
    subscribe(channel, meet)
  },

  loadHooks: [
    {
      package: 'express',
      file: 'lib/application.js',
      value: 'module.exports',
      take: (prototype, observer) => observeApplication(prototype, observer),
    },
    { package: 'express', file: 'lib/router/index.js', majors: [4], value: 'module.exports', take: observeRouter },
    { package: 'router', file: 'index.js', majors: [2], value: 'module.exports.prototype', take: observeRouter },
  ],
}

function isApplication(value: unknown): value is Application {
  if (typeof value !== 'function') return false
  const { handle, use, set, request } = membersOf(value)
  return [handle, use, set].every((method) => typeof method === 'function') && typeof request === 'object'
}

/** The router of an application; `undefined` where Express 4 has none yet. */
function routerOf(application: Application): Router | undefined {
  return application.lazyrouter === undefined ? application.router : application._router
}

function routesOf(application: Application): ReturnType<typeof listRoutes> {
  const router = routerOf(application)
  return router === undefined ? [] : listRoutes(router)
}

/** Observes an application, or all that will be made with this prototype. */
function observeApplication(target: unknown, observer: Observer): void {
  const handle: Replacement = (own, args, run) => {
    const [request, , callback] = args
    observer.guard('express: application', () => {
      const application = own as Application
      const router = routerOf(application)
      if (router !== undefined) observeRouter(router, observer)
      if (callback) return
      observer.addRoutes(application, () => routesOf(application))
      observer.requestOf(request, application)
      Passage.of(request, observer)?.begin(router !== undefined)
    })
    return run()
  }
  replaceOnce(target, 'handle', handle, observer)
  const use = keepMounts((own) => routerOf(own as Application), observer)
  replaceOnce(target, 'use', use, observer)
  replaceOnce(target, 'route', keepRoute, observer)
  const render: Replacement = (own, args, run) => {
    const name = String(args[0])
    return observers().renderObserved(() => ({ engine: engineOf(own, name), name }), args, run)
  }
  replaceOnce(target, 'render', render, observer)
}

/** By the extension, or by the setting of the application: `ejs`. */
function engineOf(application: { get?(name: string): unknown }, name: string): string {
  const extension = extname(name) || application.get?.('view engine')
  return typeof extension === 'string' ? extension.replace(/^\./, '') : 'unknown'
}

/** Observes every router with the prototype of this one, which may be the prototype itself, before there is an application. */
function observeRouter(given: unknown, observer: Observer): void {
  const router: Partial<Router> = Object(given)
  const [layer] = router.stack ?? []
  if (layer !== undefined) observeLayers(layer, observer)
  const prototype = holderOf(router, 'handle')
  if (prototype === undefined) return
  const use = keepMounts((own) => own as Router, observer)
  replaceOnce(prototype, 'use', use, observer)
  replaceOnce(prototype, 'route', keepRoute, observer)
  remakeOnce(prototype, 'handle', (handle) => {
    return function (this: Router, request: unknown, response: unknown, done: unknown, ...rest: unknown[]): unknown {
      const leave = observer.guard('express: router', () => {
        const passage = Passage.of(request, observer)
        if (passage === undefined || !isMethod(done)) return undefined
        observeParams(this, observer)
        return passage.enter(this, response as ServerResponse)
      })
      if (leave === undefined) return Reflect.apply(handle, this, [request, response, done, ...rest])
      const onward = function (this: unknown, ...results: unknown[]): unknown {
        observer.guard('express: router', () => leave(results[0]))
        return Reflect.apply(done as Method, this, results)
      }
      return Reflect.apply(handle, this, [request, response, onward, ...rest])
    }
  })
}

function observeParams({ params = {} }: Router, observer: Observer): void {
  for (const name of Object.keys(params)) {
    params[name]?.forEach((each, index, all) => {
      const around: Around = (args, run) => {
        observer.guard('express: parameter', () => Passage.of(args[0], observer)?.startParam(name))
        return run(args)
      }
      all[index] = observedFunction(each, around, observer)
    })
  }
}

/** `route`, keeping where it was called. */
const keepRoute: Replacement = (_, __, run) => keepRegistration<object>(Object(run()))

/** `use`, keeping what is mounted where: older routers forget the path, and a mounted application cannot be seen. */
function keepMounts(routerOf: (target: object) => Router | undefined, observer: Observer): Replacement {
  return (target, args, run) => {
    const result = run()
    observer.guard('express: mounted', () => {
      const router = routerOf(target)
      if (router === undefined) return
      observeRouter(router, observer)
      const mark = new Error('registered')
      const [first] = [args[0]].flat(Infinity)
      const path = typeof first === 'function' ? '/' : args[0]
      const mounted = args.slice(typeof first === 'function' ? 0 : 1).flat(Infinity)
      for (const [index, layer] of router.stack.slice(-mounted.length).entries()) {
        if (!('rawPath' in layer)) keepPath(layer, path)
        keepRegistration(layer, mark)
        const application: unknown = mounted[index]
        if (typeof application !== 'function' || application === layer.handle) continue
        keepRouter(layer.handle, {
          get stack() {
            return routerOf(application)?.stack ?? []
          },
        })
      }
    })
    return result
  }
}

/** Every route below a router, in the order they are tried. */
function listRoutes({ stack }: Router, prefix = '', around: readonly unknown[] = []): ListedRoute[] {
  if (around.includes(stack)) return []
  return stack.flatMap((layer) => {
    const paths = [pathOf(layer) ?? '/…'].flat(Infinity).map((own) => joinPaths(prefix, own))
    const { route, handle } = layer
    if (route !== undefined) return paths.flatMap((own) => routesAt(own, route))
    const inner = routerBehind(handle)
    return inner === undefined ? [] : paths.flatMap((own) => listRoutes(inner, own, [...around, stack]))
  })
}

/** One for each handler, with the methods that lead to it. */
function routesAt(written: string, route: Route): ListedRoute[] {
  const methodsOf = Map.groupBy(Object.keys(route.methods), (method) => handlerLayer(route, method)?.handle)
  // Loaded by now; importing it would load it in every process that is registered.
  const { METHODS } = process.getBuiltinModule('node:http')
  return [...methodsOf.values()].flatMap((own) => {
    const layer = handlerLayer(route, own[0] ?? '')
    if (layer === undefined) return []
    const isForAll = own.includes('_all') || own.length >= METHODS.length
    const methods = isForAll ? [] : own.map((method) => method.toUpperCase())
    const registration = registrationOf(layer.handle) ?? registrationOf(route)
    return [{ methods, path: written, handler: nameOf(layer) || undefined, registration }]
  })
}

const passage: unique symbol = Symbol.for('fanlight.express')

/** What a function runs after `next()` is a step of its own from so many milliseconds on. */
const leastAgainMs = 5

interface RouterAround {
  /** Part of the address that the routers around have removed. */
  readonly base: string
  readonly prefix: string
  readonly step: Step | undefined
}

class Passage {
  readonly #observed: ObservedRequest
  readonly #request: ExpressRequest
  readonly #around: RouterAround[] = []
  /** Path of the function that runs, with the prefixes around it: the prefix of what it calls. */
  #path = ''
  #step: Step | undefined
  /** When the function of a layer returned last, in milliseconds of the process. */
  #leftMs = 0
  #handler: Handler | undefined
  #route: Route | undefined
  /** What `#route` is registered as. */
  #matched: Registered | undefined
  #isDefaultNext = false
  /** What was passed on as an error last. */
  #error: unknown
  /** `undefined` or another value was thrown for which Express goes on to the next route. */
  #hasThrownNothing = false

  /** The same for each call with one request; `undefined` if it is not recorded. */
  static of(given: unknown, observer: Observer): Passage | undefined {
    // What Express hands to its handlers.
    const request = given as ExpressRequest & { [passage]?: Passage }
    const known = request[passage]
    if (known !== undefined) return known
    const observed = observer.requestOf(request)
    if (observed === undefined) return undefined
    const made = new Passage(observed, request)
    Object.defineProperty(request, passage, { value: made })
    return made
  }

  private constructor(observed: ObservedRequest, request: ExpressRequest) {
    this.#observed = observed
    this.#request = request
  }

  /** An application begins with the request; what it leaves undone gets the default response of Express. */
  begin(hasRouter: boolean): void {
    this.#around.length = 0
    this.#path = ''
    this.#handler = undefined
    if (hasRouter) this.#isDefaultNext = true
    else this.#observed.respondsByDefault('miss')
  }

  /** A router begins. The function given back is for when it has no more to run. */
  enter(router: Router, response: ServerResponse): (error: unknown) => void {
    if (this.#handler !== undefined) keepRouter(this.#handler, router)
    const depth = this.#around.length
    const hasDefaultNext = this.#isDefaultNext
    const step = this.#step
    if (depth === 0 && this.#request.method === 'OPTIONS') this.#watchOptions(response)
    this.#isDefaultNext = false
    this.#step = undefined
    this.#around.push({ base: this.#request.baseUrl ?? '', prefix: this.#path, step })
    return (error) => {
      if (error) this.passedOn(error)
      this.#step?.end('passed')
      this.#step = undefined
      this.#around.length = depth
      step?.end(error ? 'error' : 'passed')
      if (!hasDefaultNext) return
      const hasFailed = Boolean(error) || this.#hasThrownNothing
      if (!response.headersSent) this.#observed.respondsByDefault(hasFailed ? 'error' : 'miss')
    }
  }

  /** Middleware may respond with the same field. */
  #watchOptions(response: ServerResponse): void {
    const { setHeader } = response
    define(response, 'setHeader', (...given: Parameters<typeof setHeader>) => {
      const isAllow = given[0].toLowerCase() === 'allow'
      if (isAllow && /sendOptionsResponse/i.test(String(new Error().stack))) this.#observed.respondsToOptions()
      return Reflect.apply(setHeader, response, given)
    })
  }

  /** The function of a layer begins. */
  start(layer: Layer): Step {
    const isInRoute = 'method' in layer
    this.#handler = isInRoute ? undefined : layer.handle
    if (!isInRoute) this.#path = joinPaths(this.#around.at(-1)?.prefix ?? '', pathOf(layer) ?? layer.path)
    const last = isInRoute ? this.#match() : undefined
    const registered = isInRoute ? this.#matched : { path: this.#path, registration: registrationOf(layer) }
    return this.#begin(this.#nameOf(layer), layer === last ? 'handler' : 'middleware', registered)
  }

  /** A function begins that was registered for a parameter. */
  startParam(name: string): void {
    this.#match()
    this.#begin(`param ${name}`, 'middleware')
  }

  /** Names the route that Express has found, and gives the layer that responds there. */
  #match(): Layer | undefined {
    const { route, baseUrl, url, method = '', params = {} } = this.#request
    const last = route && handlerLayer(route, method)
    if (route === undefined || last === undefined || route === this.#route) return last
    this.#route = route
    const around = this.#around.at(-1)
    const prefix = around?.base === baseUrl ? around?.prefix : baseUrl
    const path = joinPaths(prefix ?? '', route.path)
    const own = joinPaths('', route.path)
    this.#matched = { path, registration: registrationOf(last.handle) ?? registrationOf(route) }
    this.#observed.matched({ ...this.#matched, own, foundBy: url, params, handler: nameOf(last) || undefined })
    return last
  }

  /** The function of a layer has returned. It is done when the response is, or when its promise settles. */
  returned(step: Step, response: ServerResponse): void {
    if (response.writableEnded) step.end()
  }

  /** The function of a layer that began then has returned. What it ran when the next one had returned is no time of that one. */
  left(step: Step, startedMs: number): void {
    const now = performance.now()
    const sinceNextMs = now - this.#leftMs
    if (step !== this.#step && this.#leftMs >= startedMs && sinceNextMs >= leastAgainMs) step.ranAgain?.(sinceNextMs)
    this.#leftMs = now
  }

  /** The function of a layer has thrown. What counts as an error is passed on next. */
  threw(thrown: unknown): void {
    this.#step?.end('error')
    if (thrown) return
    this.#hasThrownNothing = true
    this.#observed.failed(thrown)
  }

  /** What runs next is given an error: what ran before has failed, if it is a new one. */
  passedOn(error: unknown): void {
    if (error === this.#error) return
    this.#error = error
    this.#step?.end('error')
    this.#observed.failed(error)
  }

  #begin(name: string, kind: StepKind, registered?: Registered): Step {
    this.#step?.end()
    return (this.#step = this.#observed.startStep(name, kind, registered))
  }

  #nameOf(layer: Layer): string {
    if (layer.handle.stack !== undefined) return `router ${this.#path}`
    if (layer.name === 'mounted_app') return `application ${this.#path}`
    return nameOf(layer)
  }
}

interface LayerMethod {
  readonly name: string
  readonly isForErrors: boolean
  /** Whether Express waits for the promise of a function. */
  readonly waits: boolean
}

/** Those of Express 5, then those of Express 4. */
const methods: readonly LayerMethod[] = [
  { name: 'handleRequest', isForErrors: false, waits: true },
  { name: 'handleError', isForErrors: true, waits: true },
  { name: 'handle_request', isForErrors: false, waits: false },
  { name: 'handle_error', isForErrors: true, waits: false },
]

/** Observes every layer with the prototype of this one. */
function observeLayers(layer: object, observer: Observer): void {
  for (const method of methods) {
    const prototype = holderOf(layer, method.name)
    if (prototype === undefined) continue
    remakeOnce(prototype, method.name, (original) => {
      return function (this: Layer, ...args: unknown[]): unknown {
        const { handle } = this
        const own = observer.guard('express: layer', () => observedHandle(this, args, method, observer))
        if (own === undefined) return Reflect.apply(original, this, args)
        // Express reads it at once, to run it.
        this.handle = own
        try {
          return Reflect.apply(original, this, args)
        } finally {
          if (this.handle === own) this.handle = handle
        }
      }
    })
  }
}

/** What the layer is to run in place of its function; `undefined` if it runs none. */
function observedHandle(
  layer: Layer,
  args: readonly unknown[],
  { isForErrors, waits }: LayerMethod,
  observer: Observer,
): Handler | undefined {
  const { handle, route } = layer
  const passage = Passage.of(args[isForErrors ? 1 : 0], observer)
  if (passage === undefined) return undefined
  if (isForErrors) passage.passedOn(args[0])
  // Express tells error handlers by their four parameters; a layer with a route only leads to the layers in it.
  if (route !== undefined || (isForErrors ? handle.length !== 4 : handle.length > 3)) return undefined
  const startedMs = performance.now()
  const step = passage.start(layer)
  const run = (parameters: unknown[]): unknown => {
    layer.handle = handle
    let result: unknown
    try {
      // As Express calls it: not as a method of the layer.
      result = handle(...parameters)
    } catch (thrown) {
      observer.guard('express: layer', () => passage.threw(thrown))
      throw thrown
    }
    observer.guard('express: layer', () => {
      passage.left(step, startedMs)
      if (!isPromise(result)) passage.returned(step, parameters.at(-2) as ServerResponse)
      // Any other thenable may begin its work at each `then`.
      else if (result instanceof Promise) follow(result, step, passage, waits, observer)
    })
    return result
  }
  if (isForErrors) return (error, req, res, next) => run([error, req, res, next])
  return (req, res, next) => run([req, res, next])
}

function follow(result: Promise<unknown>, step: Step, passage: Passage, waits: boolean, observer: Observer): void {
  const done = (): void => step.end()
  const failed = (reason: unknown): void => {
    step.end('error')
    if (waits) return
    observer.guard('express: layer', () => passage.passedOn(reason))
    observer.note('Express 4 does not wait for promises: a request whose handler rejects gets no response from it.')
    throw reason
  }
  void result.then(done, failed)
}
