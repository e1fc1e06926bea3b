// h3 2 on srvx: its routes and middleware, and who responds to its errors.

import type { Integration, ListedRoute, ObservedRequest, Observer } from '../integration.ts'
import { type H3Application, type H3Event, observeRoutes, observeUse, requestOf } from './h3-steps.ts'
import { type Callable, isFirstTime, nameOf, redefine, settled } from './observed-function.ts'
import { wrongApplication } from './wrong-application.ts'

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
        redefine(prototype, '~request', function (this: unknown, ...args: unknown[]) {
          observer.guard('h3: new application', () => h3.attach(this, observer))
          return original.apply(this, args)
        })
      },
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
    if (request !== undefined && (event as H3Event).app === application) work(request)
  }
  const failed = (request: ObservedRequest, thrown: unknown): void => {
    if (thrown === Symbol.for('h3.handled')) return
    if (thrown !== notFound) request.failed(thrown)
    request.respondsByDefault(thrown === notFound ? 'miss' : 'error')
  }
  redefine(application, 'handler', (event: unknown) =>
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
  return application['~routes'].map(({ method, route, handler }) => ({
    methods: method === '' ? [] : [method],
    path: route,
    handler: nameOf(handler) || undefined,
  }))
}
