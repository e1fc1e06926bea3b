// Applications of Express 4 and 5: which of them serves a request, what is mounted in them, and what they render.

import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Integration, Observer } from '../integration.ts'
import { replaceOnce, type Replacement } from '../replace-method.ts'
import { observeLayers } from './express-layers.ts'
import { Passage } from './express-request.ts'
import { keepMounts, listRoutes, observeRouter } from './express-routers.ts'
import type { ExpressRequest, Handler, Layer, Router } from './express-routes.ts'
import { wrongApplication } from './wrong-application.ts'
import { extname } from 'node:path'
import { observers } from '../captures/observers.ts'

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
      take: (prototype, observer) => observeApplication(prototype as Application, observer),
    },
  ],
}

function isApplication(value: unknown): value is Application {
  if (typeof value !== 'function') return false
  const { handle, use, set, request } = value as Partial<Application>
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
function observeApplication(target: Application, observer: Observer): void {
  const handle: Replacement = (own, args, run) => {
    const [request, , callback] = args
    observer.guard('express: application', () => {
      const application = own as Application
      const router = routerOf(application)
      if (router !== undefined) observeRouter(router, observer)
      if (callback) return
      observer.addRoutes(application, () => routesOf(application))
      observer.requestOf(request as ExpressRequest, application)
      Passage.of(request as ExpressRequest, observer)?.begin(router !== undefined)
    })
    return run()
  }
  replaceOnce(target, 'handle', handle, observer)
  const use = keepMounts((own) => routerOf(own as Application), observer)
  replaceOnce(target, 'use', use, observer)
  observeViews(target, observer)
}

/** Observes an application, or all that will be made with this prototype. */
function observeViews(target: object, observer: Observer): void {
  replaceOnce(
    target,
    'render',
    (own, args, run) => {
      const name = String(args[0])
      return observers().renderObserved(() => ({ engine: engineOf(own, name), name }), args, run)
    },
    observer,
  )
}

/** By the extension, or by the setting of the application: `ejs`. */
function engineOf(application: { get?(name: string): unknown }, name: string): string {
  const extension = extname(name) || application.get?.('view engine')
  return typeof extension === 'string' ? extension.replace(/^\./, '') : 'unknown'
}
