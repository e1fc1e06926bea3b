// The routers of Express: which of them a request is in, what is mounted in them where, and which routes they have.

import type { ServerResponse } from 'node:http'
import type { ListedRoute, Observer } from '../integration.ts'
import type { Method, Replacement } from '../replace-method.ts'
import { holderOf, remakeOnce, replaceOnce } from '../replace-method.ts'
import { observeLayers } from './express-layers.ts'
import { Passage } from './express-request.ts'
import type { ExpressRequest, Route, Router } from './express-routes.ts'
import { joinPaths, keepPath, pathOf } from './express-paths.ts'
import { type Around, observedFunction } from './observed-function.ts'
import { handlerLayer, keepRouter, nameOf, routerBehind } from './express-routes.ts'

/** Observes every router with the prototype of this one. */
export function observeRouter(router: Router, observer: Observer): void {
  const [layer] = router.stack
  if (layer !== undefined) observeLayers(layer, observer)
  const prototype = holderOf(router, 'handle')
  if (prototype === undefined) return
  replaceOnce(
    prototype,
    'use',
    keepMounts((own) => own as Router, observer),
    observer,
  )
  remakeOnce(prototype, 'handle', (handle) => {
    return function (this: Router, request: unknown, response: unknown, done: unknown, ...rest: unknown[]): unknown {
      const leave = observer.guard('express: router', () => {
        const passage = Passage.of(request as ExpressRequest, observer)
        if (passage === undefined || typeof done !== 'function') return undefined
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
  for (const name in params) {
    params[name]?.forEach((each, index, all) => {
      const around: Around = (args, run) => {
        observer.guard('express: parameter', () => Passage.of(args[0] as ExpressRequest, observer)?.startParam(name))
        return run(args)
      }
      all[index] = observedFunction(each, around, observer)
    })
  }
}

/** `use`, keeping what is mounted where: older routers forget the path, and a mounted application cannot be seen. */
export function keepMounts(routerOf: (target: object) => Router | undefined, observer: Observer): Replacement {
  return (target, args, run) => {
    const result = run()
    observer.guard('express: mounted', () => {
      const router = routerOf(target)
      if (router === undefined) return
      observeRouter(router, observer)
      const [first] = [args[0]].flat(Infinity)
      const path = typeof first === 'function' ? '/' : args[0]
      const mounted = args.slice(typeof first === 'function' ? 0 : 1).flat(Infinity)
      for (const [index, layer] of router.stack.slice(-mounted.length).entries()) {
        if (!('rawPath' in layer)) keepPath(layer, path)
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
export function listRoutes({ stack }: Router, prefix = '', around: readonly unknown[] = []): ListedRoute[] {
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
    return [{ methods, path: written, handler: nameOf(layer) || undefined }]
  })
}
