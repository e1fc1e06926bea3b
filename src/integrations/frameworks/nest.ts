// Nest runs on Express or Fastify, which tell of routes and errors outside of Nest. Nest itself tells the names of what it
// registers with them, what runs around a method of a controller, and what its exception filters do.

import type { Integration, Observer, ObservedRequest, Step } from '../integration.ts'
import { type Method, type Replacement, replaceOnce, isMethod, holderOf, shielded } from '../replace-method.ts'
import { keepRegistration, registrationOf, settled } from './observed-function.ts'
import { hideRoute } from './express-routes.ts'
import { express } from './express.ts'
import { fastify } from './fastify.ts'
import { wrongApplication } from './wrong-application.ts'
import { membersOf, listOf } from '../../base/members.ts'
import { describeFailure } from '../../http/kernel/describe-failure.ts'
import { observers } from '../captures/observers.ts'
import { currentExchange } from '../../http/kernel/current-exchange.ts'

interface Application {
  getHttpAdapter(): Adapter
  readonly container: {
    getInternalCoreModuleRef(): {
      readonly providers: ReadonlyMap<{ readonly name?: string }, { readonly instance: unknown }>
    }
  }
  readonly middlewareModule: object
  readonly routesResolver: Enhancing & {
    readonly routerExceptionsFilter: FilterContext
    readonly routerExplorer: { readonly routerMethodFactory: object }
  }
}

export const nest: Integration = {
  framework: 'Nest',
  package: '@nestjs/core',
  tested: ['11.2.10 to 12.5.1'],
  builtOn: [express, fastify],

  attach(application, observer) {
    if (!isNest(application)) throw wrongApplication('fanlight/nest', 'a Nest application', application)
    const adapter = application.getHttpAdapter()
    const platform = [express, fastify].find(({ package: name }) => name === adapter.getType())
    if (platform === undefined) observer.note(`Nest: routes of the platform ${adapter.getType()} cannot be read`)
    else observer.guard(`nest: ${platform.framework}`, () => platform.attach(adapter.getInstance(), observer))
    const { middlewareModule, routesResolver } = application
    const external = observer.guard('nest: resolvers', () => externalContexts(application))
    const parts: Readonly<Record<string, () => void>> = {
      exceptions: () => observeExceptions(routesResolver.routerExceptionsFilter, observer),
      'exceptions of resolvers': () => {
        if (external !== undefined) observeExceptions(external.filtersContextCreator, observer)
      },
      'errors of the platform': () => {
        keepOriginals(adapter, 'mapException', observer)
        keepOriginals(routesResolver, 'mapExternalException', observer)
      },
      handlers: () => nameHandlers({ explorer: routesResolver.routerExplorer, middlewareModule, adapter }, observer),
      enhancers: () => observeEnhancers(routesResolver, external, observer),
    }
    for (const [part, observe] of Object.entries(parts)) observer.guard(`nest: ${part}`, observe)
  },

  loadHooks: [
    {
      package: '@nestjs/core',
      file: 'nest-application.js',
      value: 'NestApplication',
      take(value, observer) {
        const attached: Replacement = (application, _, init) => {
          observer.guard('nest: application', () => nest.attach(application, observer))
          return init()
        }
        replaceOnce(membersOf(value).prototype, 'init', attached, observer)
      },
    },
    {
      package: '@nestjs/common',
      file: 'decorators/http/request-mapping.decorator.js',
      value: 'Reflect',
      take: (reflect, observer) => replaceOnce(reflect, 'defineMetadata', keepDecorated, observer),
    },
  ],
}

/** What `reflect-metadata` adds; decorators of routes call it with the method that they decorate. */
const keepDecorated: Replacement = (_, args, run) => {
  const [key, , method] = args
  if (key === 'method' && typeof method === 'function') keepRegistration(method)
  return run()
}

function externalContexts({ container }: Application): ExternalContexts | undefined {
  const providers = [...container.getInternalCoreModuleRef().providers]
  const found = providers.find(([token]) => token.name === 'ExternalContextCreator')
  return found?.[1].instance as ExternalContexts | undefined
}

function isNest(value: unknown): value is Application {
  if (typeof value !== 'object' || value === null) return false
  return typeof Reflect.get(value, 'getHttpAdapter') === 'function' && 'useGlobalPipes' in value
}

interface Adapter {
  getType(): string
  getInstance(): unknown
  createMiddlewareFactory(method: unknown): Method | Promise<Method>
}

/** The parts of Nest that hand functions over. */
interface Handing {
  readonly explorer: { readonly routerMethodFactory: object }
  readonly middlewareModule: object
  readonly adapter: Adapter
}

/** Names what an application registers from now on. Nest 12 names most methods by itself. */
function nameHandlers({ explorer, middlewareModule, adapter }: Handing, observer: Observer): void {
  let registered = ''
  let registration: Error | undefined
  const met = (wrapper: unknown, methodName: unknown): void => {
    const { name, metatype } = membersOf(wrapper)
    const method = String(methodName)
    registered = `${String(name)}.${method}`
    registration = registrationOf(membersOf(membersOf(metatype).prototype)[method])
  }
  const guard = <Value>(work: () => Value): Value | undefined => observer.guard('nest: names', work)
  const replace = (holder: object, name: string, replacement: Replacement): void =>
    replaceOnce(holder, name, replacement, observer)
  replace(explorer, 'applyCallbackToRouter', (_, args, run) => {
    guard(() => {
      met(args[2], membersOf(args[1]).methodName)
    })
    return run()
  })
  replace(explorer, 'registerResolvedRoute', (_, args, run) => {
    guard(() => {
      const { instanceWrapper, methodName } = membersOf(args[1])
      met(instanceWrapper, methodName)
    })
    return run()
  })
  replace(explorer.routerMethodFactory, 'get', (_, __, run) => {
    const add = run()
    if (!isMethod(add)) return add
    const name = registered
    const mark = registration
    return function (this: object, ...given: unknown[]): unknown {
      guard(() => {
        const handler = rename(given.at(-1), name)
        if (mark !== undefined) keepRegistration(handler, mark)
      })
      return Reflect.apply(add, this, given)
    }
  })
  // Fastify gets another function for a path with parameters.
  replace(adapter, 'requireNonEmptyParams', (_, [, handler], run) =>
    keepRegistration<object>(Object(run()), registrationOf(handler)),
  )
  replace(middlewareModule, 'bindHandler', (_, [wrapper, target, ...others], run) => {
    const own: object = Object(target)
    if (!('createMiddlewareFactory' in own)) return run()
    const createMiddlewareFactory = async (method: unknown): Promise<Method> => {
      const mount = await adapter.createMiddlewareFactory(method)
      return (path, handler) => {
        const given = guard(() => middleware(String(membersOf(wrapper).name), handler, adapter, observer))
        return mount.call(adapter, path, given ?? handler)
      }
    }
    const named: unknown = Object.create(own, { createMiddlewareFactory: { value: createMiddlewareFactory } })
    return run([wrapper, named, ...others])
  })
  for (const [method, name] of [
    ['setNotFoundHandler', 'unknown path'],
    ['setErrorHandler', 'exception layer'],
  ] as const) {
    replace(adapter, method, (_, args, run) => {
      guard(() => hideRoute(rename(args[0], name)))
      return run()
    })
  }
}

/** Express runs each middleware as a separate step; Fastify runs all of them in one hook. */
function middleware(name: string, handler: unknown, adapter: Adapter, observer: Observer): unknown {
  hideRoute(Object(handler))
  if (adapter.getType() === 'express' || !isMethod(handler)) return rename(handler, name)
  return (request: unknown, response: unknown, next: unknown) => {
    const step = observer.guard('nest: middleware', () =>
      observer.requestOf(rawRequest(request))?.startStep(name, 'middleware'),
    )
    return handler(request, response, (...results: unknown[]) => {
      observer.guard('nest: middleware', () => step?.end(results[0] ? 'error' : 'ok'))
      return isMethod(next) ? next(...results) : undefined
    })
  }
}

function rename(handler: unknown, name: string): object {
  return Object.defineProperty(Object(handler), 'name', { value: name, configurable: true })
}

/** The parts of Nest that run them. */
interface Enhancing {
  readonly routerExceptionsFilter: object
  readonly routerExplorer: {
    readonly executionContextCreator: { readonly guardsConsumer: object; readonly interceptorsConsumer: object }
  }
}

/** What makes the functions of contexts without HTTP: those of resolvers of GraphQL. */
interface ExternalContexts {
  readonly filtersContextCreator: FilterContext
}

function observeEnhancers(
  { routerExceptionsFilter, routerExplorer }: Enhancing,
  external: ExternalContexts | undefined,
  observer: Observer,
): void {
  const creator = routerExplorer.executionContextCreator
  observeList(creator.guardsConsumer, 'tryActivate', observer, (guard, observed) =>
    replaced(guard, 'canActivate', observer, (run, context) => {
      const name = className(guard)
      const work = (): unknown => runAsStep(observed, `guard ${name}`, observer, run)
      return decided(name, context as ExecutionContext, work, observer)
    }),
  )
  observeList(creator.interceptorsConsumer, 'intercept', observer, (interceptor, observed) =>
    replaced(interceptor, 'intercept', observer, (run, context, next) => {
      const step = observed.startStep(`interceptor ${className(interceptor)}`, 'hook')
      const onward = replaced(next as object, 'handle', observer, (handle) => {
        step.end()
        return handle()
      })
      return endsAfter(step, observer, () => run(context, onward))
    }),
  )
  observePipes(creator, (request) => observer.requestOf(rawRequest(request)), observer)
  if (external !== undefined) observePipes(external, () => runningRequest(observer), observer)
  observeFilters(routerExceptionsFilter, observer)
}

/** Replaces what all consumers of a kind are given a list of, for one request. The type of the context comes last. */
function observeList(
  consumer: object,
  name: string,
  observer: Observer,
  replace: (enhancer: object, observed: ObservedRequest) => object,
): void {
  const replacement: Replacement = (_, [enhancers, parameters, ...others], run) => {
    const given = observer.guard('nest: enhancers', () => {
      const observed = requestIn(others.at(-1), listOf(parameters)[0], observer)
      return observed && listOf(enhancers).map((enhancer) => replace(Object(enhancer), observed))
    })
    return run([given ?? enhancers, parameters, ...others])
  }
  replaceOnce(holderOf(consumer, name) ?? consumer, name, replacement, observer)
}

/** The pipes of all parameters of a method run at the same time: they are one step. */
function observePipes(
  creator: object,
  requestOf: (request: unknown) => ObservedRequest | undefined,
  observer: Observer,
): void {
  const replacement: Replacement = (_, args, create) => {
    const run = create()
    const names = observer.guard('nest: pipes', () => {
      const lists = [args[0], ...listOf(args[1]).map((parameter) => membersOf(parameter).pipes)]
      return [...new Set(lists.flatMap(listOf).map(className))]
    })
    if (!isMethod(run) || names === undefined || names.length === 0) return run
    return (values: unknown, request: unknown, ...rest: unknown[]): unknown => {
      const work = (): unknown => run(values, request, ...rest)
      return shielded(observer, 'nest: pipes', work, (observedWork) => {
        const observed = requestOf(request)
        return observed === undefined
          ? observedWork()
          : runAsStep(observed, `pipes ${names.join(', ')}`, observer, observedWork)
      })
    }
  }
  replaceOnce(creator, 'createPipesFn', replacement, observer)
}

function observeFilters(filters: object, observer: Observer): void {
  const replacement: Replacement = (_, __, get) => {
    const filter = get()
    if (typeof filter !== 'object' || filter === null) return filter
    return replaced(filter, 'catch', observer, (run, exception, host) => {
      const observed = observer.guard('nest: filter', () => {
        return requestIn(...askedIn(host), observer)
      })
      const work = (): unknown => run(exception, host)
      if (observed === undefined) return work()
      const failed = (thrown: unknown): void => observed.failedToRespond(thrown)
      return endsAfter(observed.startStep(`filter ${className(filter)}`, 'hook'), observer, work, failed)
    })
  }
  replaceOnce(holderOf(filters, 'getFilterInstance') ?? {}, 'getFilterInstance', replacement, observer)
}

/** An object that is the other one in everything but a method, which may run the method of the other. */
function replaced(
  object: object,
  name: string,
  observer: Observer,
  by: (run: Method, ...parameters: unknown[]) => unknown,
): object {
  const run: Method = (...parameters) => Reflect.apply(Reflect.get(object, name), object, parameters)
  const value: Method = (...parameters) =>
    shielded(
      observer,
      `around ${name}()`,
      (...given: unknown[]) => run(...(given.length === 0 ? parameters : given)),
      (shieldedRun) => by(shieldedRun, ...parameters),
    )
  return Object.create(object, { [name]: { value } })
}

function runAsStep(observed: ObservedRequest, name: string, observer: Observer, work: () => unknown): unknown {
  return endsAfter(observed.startStep(name, 'hook'), observer, work)
}

/** A guard that returns false ends with an error, since Nest throws one then. */
function endsAfter(step: Step, observer: Observer, work: () => unknown, failed?: (thrown: unknown) => void): unknown {
  const ended = (result: unknown): void => step.end(result === false ? 'error' : 'ok')
  const thrown = (error: unknown): void => {
    step.end('error')
    failed?.(error)
  }
  return settled(work, { ended, failed: thrown }, observer)
}

function className(object: unknown): string {
  return String(membersOf(membersOf(object).constructor).name)
}

/** What Nest tells a guard of the method that it guards. */
interface ExecutionContext {
  getClass(): { readonly name: string }
  getHandler(): { readonly name: string }
}

/** Runs a guard, and notes whether it let the request through. A guard denies by `false`, and by throwing a 401 or a 403. */
function decided(rule: string, context: ExecutionContext, work: () => unknown, observer: Observer): unknown {
  const { access, beginActivity } = observers()
  const decision = beginActivity(access, () => ({
    facts: {
      user: null,
      action: 'guard',
      subject: `${context.getClass().name}.${context.getHandler().name}`,
      outcome: 'denied' as const,
      by: rule,
      reason: null,
      votes: [],
    },
    site: null,
  }))
  if (decision === undefined) return work()
  const after = {
    ended: (result: unknown) => decision.end({ outcome: result === false ? 'denied' : 'granted' }),
    failed: (thrown: unknown) => {
      if ([401, 403].includes(statusOf(thrown) ?? 0))
        decision.end({ outcome: 'denied', reason: describeFailure(thrown).message.slice(0, 500) })
      else decision.fail(thrown)
    },
  }
  return settled(work, after, observer)
}

/** On an exception that Nest made of another error: the other one. */
const madeOf: unique symbol = Symbol.for('fanlight.nest.madeOf')

/** The part of Nest that makes exception handlers. */
interface FilterContext {
  create(instance: object, callback: () => void, module: undefined): object
}

/** The type of the context that something runs in, and its first argument, by what Nest calls a host. */
function askedIn(host: unknown): readonly [type: unknown, first: unknown] {
  const { getType, getArgByIndex } = membersOf(host)
  if (!isMethod(getType) || !isMethod(getArgByIndex)) throw new TypeError('there is no host')
  return [getType.call(host), getArgByIndex.call(host, 0)]
}

/** Fastify wraps the request of Node in its own. */
function rawRequest(request: unknown): unknown {
  return membersOf(request).raw ?? request
}

/** Nest 12 and Nest 11 make exceptions of errors that Express and Fastify pass on: of a body that cannot be read, for example. */
function keepOriginals(owner: object, name: string, observer: Observer): void {
  const replacement: Replacement = (_, [original], map) => {
    const made = map()
    if (made !== original && made instanceof Error) Object.defineProperty(made, madeOf, { value: original })
    return made
  }
  replaceOnce(owner, name, replacement, observer)
}

/** The request that something runs for without being given it, as a resolver of GraphQL does. */
function runningRequest(observer: Observer): ObservedRequest | undefined {
  const raw: unknown = Reflect.get(Object(currentExchange()?.client), 'req')
  return observer.requestOf(raw)
}

/** The observed request that something runs for, by its type of context and its first argument; `undefined` outside of HTTP. */
function requestIn(type: unknown, first: unknown, observer: Observer): ObservedRequest | undefined {
  if (type === 'graphql') return runningRequest(observer)
  return type === 'http' ? observer.requestOf(rawRequest(first)) : undefined
}

/**
 * Observes the prototypes of every exception handler and of Nest's own filter, from which others inherit. What responds to an exception in
 * GraphQL is its server.
 */
function observeExceptions(filters: FilterContext, observer: Observer): void {
  const withoutFilters = Object.create(filters, { createContext: { value: () => [] } }) as FilterContext
  const handler = withoutFilters.create({}, () => undefined, undefined)
  const observe = (
    name: string,
    told: (observed: ObservedRequest, exception: unknown, isMiss: boolean) => void,
  ): void => {
    const prototype = holderOf(handler, name)
    if (prototype === undefined) return observer.note(`Nest: its exceptions cannot be observed, ${name}() is missing`)
    const replacement: Replacement = (_, args, run) => {
      observer.guard('nest: exception', () => {
        const [exception, host] = args
        const [type, first] = askedIn(host)
        const observed = requestIn(type, first, observer)
        if (type === 'graphql') observed?.failed(exception, undefined, true)
        else if (observed !== undefined) told(observed, exception, isMiss(exception, first))
      })
      return run()
    }
    replaceOnce(prototype, name, replacement, observer)
  }
  observe('next', (observed, exception, isMiss) => {
    const thrown: unknown = Object.hasOwn(Object(exception), madeOf)
      ? Reflect.get(Object(exception), madeOf)
      : exception
    if (!isMiss) observed.failed(thrown, statusOf(exception))
    observed.respondsItself()
  })
  observe('catch', (observed, _, isMiss) => observed.respondsByDefault(isMiss ? 'miss' : 'error'))
}

function statusOf(exception: unknown): number | undefined {
  const getStatus: unknown = Reflect.get(Object(exception), 'getStatus')
  return typeof getStatus === 'function' ? Number(getStatus.call(exception)) : undefined
}

/** Whether Nest throws this because no controller has the path. */
function isMiss(exception: unknown, request: unknown): boolean {
  const { method, originalUrl, url } = membersOf(rawRequest(request))
  return (
    statusOf(exception) === 404 &&
    membersOf(exception).message === `Cannot ${String(method)} ${String(originalUrl ?? url)}`
  )
}
