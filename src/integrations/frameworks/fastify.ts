// Fastify 5: what its hooks and its diagnostics channels tell of a request.

import { channel } from 'node:diagnostics_channel'
import type { IncomingMessage } from 'node:http'
import type { Integration, ListedRoute, Observer } from '../integration.ts'
import {
  type FastifyApplication,
  type FastifyReply,
  type FastifyRequest,
  type RouteOptions,
  observeHandlers,
  observeHooks,
  observeRoute,
  tellRoute,
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
    }
    observer.addRoutes(application, () => listedRoutes(routes, application))
  },

  subscribe(observer) {
    channel('fastify.initialization').subscribe((message) => {
      observer.guard('fastify: new application', () =>
        fastify.attach(Reflect.get(Object(message), 'fastify'), observer),
      )
    })
    observeHandlers(observer)
  },
}

function isFastify(value: unknown): value is FastifyApplication {
  return typeof value === 'object' && value !== null && 'addHook' in value && 'decorateRequest' in value
}

/** Our own hooks run before all others, and are done at once. */
function addOwnHooks(application: FastifyApplication, routes: RouteOptions[], observer: Observer): void {
  const unmatched = new WeakSet<IncomingMessage>()
  application.addHook('onRequest', (request: FastifyRequest, _: FastifyReply, done: Callable) => {
    observer.guard('fastify: matched route', () => {
      observer.requestOf(request.raw, application)?.keepsIn((name) => Reflect.get(request, name) as unknown)
      if (request.is404) unmatched.add(request.raw)
      else tellRoute(request, observer)
    })
    done()
  })
  application.addHook(
    'preSerialization',
    (request: FastifyRequest, reply: FastifyReply, payload: unknown, done: Callable) => {
      observer.guard('fastify: unknown path', () => {
        const isMiss = reply.statusCode === 404 && unmatched.has(request.raw)
        if (isMiss && /^Route \S+ not found$/.test(String(Reflect.get(Object(payload), 'message')))) {
          observer.requestOf(request.raw)?.respondsByDefault('miss')
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
function watchResponse({ raw }: FastifyRequest, reply: FastifyReply, thrown: unknown, observer: Observer): void {
  const observed = observer.requestOf(raw)
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
