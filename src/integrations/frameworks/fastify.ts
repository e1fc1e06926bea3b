// Fastify 5: what its hooks and its diagnostics channels tell of a request.

import { channel } from 'node:diagnostics_channel'
import type { Integration, ListedRoute, Observer } from '../integration.ts'
import {
  type FastifyApplication,
  type FastifyReply,
  type FastifyRequest,
  type RouteOptions,
  attached,
  isUnknown,
  meet,
  observeHandlers,
  observeHooks,
  observeRoute,
} from './fastify-steps.ts'
import { type Callable, isFirstTime, nameOf, redefine } from './observed-function.ts'
import { wrongApplication } from './wrong-application.ts'

export const fastify: Integration = {
  framework: 'Fastify',
  package: 'fastify',
  tested: ['5.0.0 to 5.12.8'],

  attach(application, observer) {
    if (!isFastify(application)) throw wrongApplication('fanlight/fastify', 'a Fastify application', application)
    if (!isFirstTime(application)) return
    application[attached] = { application, withRoute: new WeakSet() }
    const routes: RouteOptions[] = []
    try {
      addOwnHooks(application, routes, observer)
      observeHooks(application, observer)
      observer.guard('fastify: earlier routes', () => {
        if (!application.printRoutes().includes('(empty tree)'))
          observer.note(`Fastify: routes from before fanlight() have no steps and are not listed`)
      })
    } catch (thrown) {
      if (Reflect.get(Object(thrown), 'code') !== 'FST_ERR_INSTANCE_ALREADY_LISTENING') throw thrown
      observer.note(
        'Fastify: fanlight() came after ready() or listen(), so steps, error pages and the list of routes are missing',
      )
      observeHandlers(observer)
    }
    observer.addRoutes(application, () => listedRoutes(routes, application))
  },

  subscribe(observer) {
    channel('fastify.initialization').subscribe((message) => {
      observer.guard('fastify: new application', () =>
        fastify.attach(Reflect.get(Object(message), 'fastify'), observer),
      )
    })
  },
}

function isFastify(value: unknown): value is FastifyApplication {
  return typeof value === 'object' && value !== null && 'addHook' in value && 'decorateRequest' in value
}

/** Our own hooks run before all others, and are done at once. None runs before the handler, where it would be in the stack of its errors. */
function addOwnHooks(application: FastifyApplication, routes: RouteOptions[], observer: Observer): void {
  application.addHook(
    'preSerialization',
    (request: FastifyRequest, reply: FastifyReply, payload: unknown, done: Callable) => {
      observer.guard('fastify: unknown path', () => {
        const observed = meet(request, observer)
        if (
          reply.statusCode === 404 &&
          isUnknown(request) &&
          /^Route \S+ not found$/.test(String(Reflect.get(Object(payload), 'message')))
        ) {
          observed?.respondsByDefault('miss')
        }
      })
      done()
    },
  )
  application.addHook('onError', (request: FastifyRequest, reply: FastifyReply, thrown: unknown, done: Callable) => {
    observer.guard('fastify: error', () => watchResponse(request, reply, thrown, observer))
    done()
  })
  application.addHook('onRoute', (route: RouteOptions) => {
    observer.guard('fastify: hooks of a route', () => {
      routes.push({ ...route })
      observeRoute(route, observer)
    })
  })
}

/** The response to an error goes through `send`: Fastify's own error handler sends the error, another one sends something else. */
function watchResponse(request: FastifyRequest, reply: FastifyReply, thrown: unknown, observer: Observer): void {
  const observed = meet(request, observer)
  if (observed === undefined) return
  observed.failed(thrown)
  observed.respondsItself()
  let isHandedOn = false
  const { send } = reply
  redefine(reply, 'send', function (this: FastifyReply, payload: unknown) {
    observer.guard('fastify: error', () => {
      if (payload instanceof Error) observed.failed(payload)
      if (payload instanceof Error || payload === thrown) observed.respondsByDefault('error')
      else if (isHandedOn) observed.respondsItself()
      isHandedOn = payload instanceof Error
    })
    return send.call(this, payload)
  })
}

/** The routes in their order; the HEAD that Fastify adds to a GET is a method of it. */
function listedRoutes(routes: readonly RouteOptions[], { supportedMethods = [] }: FastifyApplication): ListedRoute[] {
  const list: { methods: string[]; path: string; handler: unknown }[] = []
  for (const { url, method, handler } of routes) {
    const known = list.find((listed) => listed.path === url && listed.handler === handler)
    const methods = [method].flat()
    if (known === undefined) list.push({ methods, path: url, handler })
    else known.methods.push(...methods.filter((added) => !known.methods.includes(added)))
  }
  return list.map(({ methods, path, handler }) => ({
    methods: methods.length === supportedMethods.length ? [] : methods,
    path,
    handler: nameOf(handler) || undefined,
  }))
}
