// Fastify 5: what its hooks and its diagnostics channels tell of a request.

import { define } from '../../http/kernel/follow-call.ts'
import { tellFields } from '../replace-method.ts'
import type { Integration, ListedRoute, ObservedRequest, Observer } from '../integration.ts'
import {
  isFirstTime,
  keepRegistration,
  nameOf,
  observedFunction,
  observedStep,
  registrationOf,
  runUntilDone,
} from './observed-function.ts'
import type { Around, Callable, RequestOf } from './observed-function.ts'
import { wrongApplication } from './wrong-application.ts'
import { channel, tracingChannel } from 'node:diagnostics_channel'
import type { IncomingMessage } from 'node:http'
import { membersOf } from '../../base/members.ts'

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
      observeNotFoundHandlers(application, observer)
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
      const kept = { ...route }
      keepRegistration(kept, registrationOf(route.handler))
      routes.push(kept)
      observeRoute(route, observer, registrationOf(kept))
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
  define(reply, 'send', function (this: FastifyReply, payload: unknown) {
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
  const list: { methods: string[]; path: string; handler: unknown; registration: Error | undefined }[] = []
  for (const route of routes) {
    const { url, method, handler } = route
    const known = list.find((listed) => listed.path === url && listed.handler === handler)
    const methods = [method].flat()
    if (known === undefined) list.push({ methods, path: url, handler, registration: registrationOf(route) })
    else known.methods.push(...methods.filter((added) => !known.methods.includes(added)))
  }
  return list.map(({ methods, path, handler, registration }) => ({
    path,
    registration,
    methods: methods.length === supportedMethods.length ? [] : methods,
    handler: nameOf(handler) || undefined,
  }))
}

/** On an application, and on all that its plugins get: what is known of the application. */
const attached: unique symbol = Symbol.for('fanlight.fastify')

interface FastifyApplication {
  [attached]?: { readonly application: object; readonly withRoute: WeakSet<IncomingMessage> }
  addHook(this: FastifyApplication, name: string, hook: unknown): unknown
  readonly setNotFoundHandler: Callable
  readonly pluginName: string
  readonly supportedMethods?: readonly string[]
  printRoutes(): string
}

interface FastifyRequest {
  readonly raw: IncomingMessage
  readonly params: Readonly<Record<string, unknown>>
  readonly is404: boolean
  readonly server: FastifyApplication
  readonly routeOptions: { readonly url?: string; readonly handler?: unknown }
}

interface FastifyReply {
  readonly sent: boolean
  readonly statusCode: number
  send(this: FastifyReply, payload: unknown): unknown
}

/** Options of a route, as `onRoute` hooks see and change them. */
type RouteOptions = Record<string, unknown> & {
  url: string
  method: string | readonly string[]
  handler: unknown
}

/** They may respond in the place of the handler. */
const hooksBefore = ['onRequest', 'preParsing', 'preValidation', 'preHandler']
const hooksOfRequests = [...hooksBefore, 'preSerialization', 'onSend', 'onError']

/** The observed request, after its route and its application are told. */
function meet(given: unknown, observer: Observer, registration?: Error): ObservedRequest | undefined {
  // What Fastify hands to its hooks and handlers.
  const request = given as FastifyRequest
  const { raw, params, is404, server } = request
  const { application, withRoute } = server[attached] ?? {}
  const observed = observer.requestOf(raw, application)
  observed?.keepsIn((name) => Reflect.get(request, name))
  if (is404) return observed
  withRoute?.add(raw)
  const { url = '', handler } = request.routeOptions
  const foundBy = raw.url
  observed?.matched({ path: url, foundBy, params, handler: nameOf(handler) || undefined, registration })
  return observed
}

/** Whether nobody has registered the path: a handler may call what responds to unknown paths, too. */
function isUnknown({ raw, is404, server }: FastifyRequest): boolean {
  return is404 && server[attached]?.withRoute.has(raw) === false
}

/** Every hook that is added from now on becomes a step, those of plugins and of single routes too. */
function observeHooks(application: FastifyApplication, observer: Observer): void {
  const { addHook } = application
  define(application, 'addHook', function (this: FastifyApplication, name: string, hook: unknown) {
    if (name !== 'onRoute') {
      const stack = String(new Error('here').stack)
      const observed = observer.guard('fastify: hook', () =>
        observedHook(name, hook, pluginOf(this, application, stack), observer),
      )
      return addHook.call(this, name, observed ?? hook)
    }
    const around: Around = (args, run) => {
      const result = run(args)
      observer.guard('fastify: hooks of a route', () => observeRoute(args[0] as RouteOptions, observer))
      return result
    }
    const withNewHooks = observedFunction(Object(hook), around, observer)
    return addHook.call(this, name, typeof hook === 'function' ? withNewHooks : hook)
  })
}

/** Makes steps of the handler of a route, and of the hooks that only it has. */
function observeRoute(route: RouteOptions, observer: Observer, registration?: Error): void {
  for (const name of hooksOfRequests) {
    const hooks = route[name]
    if (Array.isArray(hooks)) route[name] = hooks.map((hook: unknown) => observedHook(name, hook, '', observer))
    else if (hooks !== undefined) route[name] = observedHook(name, hooks, '', observer)
  }
  const name = nameOf(route.handler) || 'handler'
  const requestOf: RequestOf = ([request, reply]) => {
    tellFields(reply, 'header', observer)
    return meet(request, observer, registration)
  }
  route.handler = observedStep<object>(Object(route.handler), requestOf, { name, kind: 'handler', observer })
}

/** What responds to unknown paths has a name, or that of its place. */
function observeNotFoundHandlers(application: FastifyApplication, observer: Observer): void {
  const { setNotFoundHandler } = application
  define(application, 'setNotFoundHandler', function (this: unknown, ...args: readonly unknown[]) {
    const registered = { path: 'not found', registration: registrationOf(keepRegistration({})) }
    const requestOf: RequestOf = ([request]) => meet(request, observer)
    const observed = args.map((given) => {
      const step = { name: nameOf(given), kind: 'middleware', observer, registered } as const
      return typeof given === 'function' ? observedStep(given, requestOf, step) : given
    })
    return setNotFoundHandler.apply(this, observed)
  })
}

function observedHook(hookName: string, hook: unknown, plugin: string, observer: Observer): unknown {
  if (typeof hook !== 'function' || !hooksOfRequests.includes(hookName)) return hook
  const kind = hooksBefore.includes(hookName) ? 'hook' : 'side'
  const ownName = nameOf(hook) === hookName ? '' : nameOf(hook)
  const name = [hookName, ownName, plugin && `(${plugin})`].filter(Boolean).join(' ')
  const around: Around = (args, run) => {
    const [request, reply] = args
    const step = observer.guard('fastify: hook', () => meet(request, observer)?.startStep(name, kind))
    return step === undefined
      ? run(args)
      : runUntilDone({ step, observer, isOver: () => membersOf(reply).sent === true }, args, run)
  }
  return observedFunction(hook, around, observer)
}

/** The package whose code adds a hook, else the plugin that has its own scope; empty for the application itself. */
function pluginOf(instance: FastifyApplication, application: FastifyApplication, stack: string): string {
  const [, caller = ''] = stack.split('\n')
  const [, packageName] =
    /node_modules\/((?:@[^/]+\/)?[^/]+)\/[^/]/.exec(caller.slice(caller.lastIndexOf('node_modules'))) ?? []
  const [first = ''] = instance === application ? [] : instance.pluginName.split(' -> ')
  return packageName ?? (/^[\w@/.-]{1,60}$/.test(first) ? first : '')
}

/** What the channel of handlers tells, for applications that had started before us too. */
function observeHandlers(observer: Observer): void {
  const { start, error } = tracingChannel('fastify.request.handler')
  start.subscribe((message) => {
    observer.guard('fastify: handler', () => void meet(membersOf(message).request, observer))
  })
  error.subscribe((message) => {
    observer.guard('fastify: handler', () => {
      const { request, error: thrown } = membersOf(message)
      observer.requestOf(membersOf(request).raw)?.failed(thrown)
    })
  })
}
