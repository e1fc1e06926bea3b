// Fastify's hooks and handlers as steps of a request.

import { tracingChannel } from 'node:diagnostics_channel'
import type { IncomingMessage } from 'node:http'
import type { ObservedRequest, Observer } from '../integration.ts'
import { type Around, nameOf, observedFunction, redefine, runStep, runUntilDone } from './observed-function.ts'

/** On an application, and on all that its plugins get: what is known of the application. */
export const attached: unique symbol = Symbol.for('fanlight.fastify')

export interface FastifyApplication {
  [attached]?: { readonly application: object; readonly withRoute: WeakSet<IncomingMessage> }
  addHook(this: FastifyApplication, name: string, hook: unknown): unknown
  readonly pluginName: string
  readonly supportedMethods?: readonly string[]
  printRoutes(): string
}

export interface FastifyRequest {
  readonly raw: IncomingMessage
  readonly params: Readonly<Record<string, unknown>>
  readonly is404: boolean
  readonly server: FastifyApplication
  readonly routeOptions: { readonly url?: string; readonly handler?: unknown }
}

export interface FastifyReply {
  readonly sent: boolean
  readonly statusCode: number
  send(this: FastifyReply, payload: unknown): unknown
}

/** Options of a route, as `onRoute` hooks see and change them. */
export type RouteOptions = Record<string, unknown> & {
  url: string
  method: string | readonly string[]
  handler: unknown
}

interface HandlerMessage {
  readonly request: FastifyRequest
  readonly error?: unknown
}

const hooksOfRequests = [
  'onRequest',
  'preParsing',
  'preValidation',
  'preHandler',
  'preSerialization',
  'onSend',
  'onError',
]

/** The observed request, after its route and its application are told. */
export function meet(request: FastifyRequest, observer: Observer): ObservedRequest | undefined {
  const { raw, params, is404, server } = request
  const { application, withRoute } = server[attached] ?? {}
  const observed = observer.requestOf(raw, application)
  observed?.keepsIn((name) => Reflect.get(request, name) as unknown)
  if (is404) return observed
  withRoute?.add(raw)
  const { url = '', handler } = request.routeOptions
  observed?.matched({ path: url, params, handler: nameOf(handler) || undefined })
  return observed
}

/** Whether nobody has registered the path: a handler may call what responds to unknown paths, too. */
export function isUnknown({ raw, is404, server }: FastifyRequest): boolean {
  return is404 && server[attached]?.withRoute.has(raw) === false
}

/** Every hook that is added from now on becomes a step, those of plugins and of single routes too. */
export function observeHooks(application: FastifyApplication, observer: Observer): void {
  const { addHook } = application
  redefine(application, 'addHook', function (this: FastifyApplication, name: string, hook: unknown) {
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
export function observeRoute(route: RouteOptions, observer: Observer): void {
  for (const name of hooksOfRequests) {
    const hooks = route[name]
    if (Array.isArray(hooks)) route[name] = hooks.map((hook: unknown) => observedHook(name, hook, '', observer))
    else if (hooks !== undefined) route[name] = observedHook(name, hooks, '', observer)
  }
  const name = nameOf(route.handler) || 'handler'
  const around: Around = (args, run) => {
    const observed = observer.guard('fastify: handler', () => meet(args[0] as FastifyRequest, observer))
    return observed === undefined ? run(args) : runStep({ observed, name, kind: 'handler', observer }, () => run(args))
  }
  route.handler = observedFunction(Object(route.handler), around, observer)
}

function observedHook(hookName: string, hook: unknown, plugin: string, observer: Observer): unknown {
  if (typeof hook !== 'function' || !hooksOfRequests.includes(hookName)) return hook
  const ownName = nameOf(hook) === hookName ? '' : nameOf(hook)
  const name = [hookName, ownName, plugin && `(${plugin})`].filter(Boolean).join(' ')
  const around: Around = (args, run) => {
    const [request, reply] = args as [FastifyRequest, FastifyReply]
    const step = observer.guard('fastify: hook', () => meet(request, observer)?.startStep(name, 'hook'))
    return step === undefined ? run(args) : runUntilDone({ step, observer, isOver: () => reply.sent }, args, run)
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
export function observeHandlers(observer: Observer): void {
  const { start, error } = tracingChannel('fastify.request.handler')
  start.subscribe((message) => {
    observer.guard('fastify: handler', () => void meet((message as HandlerMessage).request, observer))
  })
  error.subscribe((message) => {
    observer.guard('fastify: handler', () => {
      const { request, error: thrown } = message as HandlerMessage
      observer.requestOf(request.raw)?.failed(thrown)
    })
  })
}
