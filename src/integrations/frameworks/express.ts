// Applications of Express 4 and 5: which of them serves a request, what is mounted in them, and what they render.

import { observers } from '../captures/observers.ts'
import type { Integration, ListedRoute, Observer } from '../integration.ts'
import { type Method, type Replacement, holderOf, remakeOnce, replaceOnce, isMethod } from '../replace-method.ts'
import { observeLayers, Passage } from './express-request.ts'
import { joinPaths, keepPath, pathOf, handlerLayer, keepRouter, nameOf, routerBehind } from './express-routes.ts'
import type { ExpressRequest, Handler, Layer, Route, Router } from './express-routes.ts'
import { type Around, keepRegistration, observedFunction, registrationOf } from './observed-function.ts'
import { wrongApplication } from './wrong-application.ts'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { ServerResponse } from 'node:http'
import { extname } from 'node:path'
import { membersOf } from '../../base/members.ts'

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
