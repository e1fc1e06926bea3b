// Nest runs on Express or Fastify, which tell of routes and errors outside of Nest. Nest itself tells the names of what it
// registers with them, what runs around a method of a controller, and what its exception filters do.

import type { Integration, Observer } from '../integration.ts'
import { type Method, type Replacement, replaceOnce, isMethod } from '../replace-method.ts'
import { keepRegistration, registrationOf } from './observed-function.ts'
import { hideRoute } from './express-routes.ts'
import { express } from './express.ts'
import { fastify } from './fastify.ts'
import { type Enhancing, type ExternalContexts, observeEnhancers } from './nest-enhancers.ts'
import { type FilterContext, keepOriginals, observeExceptions, rawRequest } from './nest-enhancers.ts'
import { wrongApplication } from './wrong-application.ts'
import { membersOf } from '../../base/members.ts'

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
