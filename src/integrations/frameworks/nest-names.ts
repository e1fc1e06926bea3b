// What Nest hands to Express and Fastify: methods of controllers, named `Cats.getCat`; middleware, named by its class; and what
// responds to unknown paths.

import type { Observer } from '../integration.ts'
import type { Method, Replacement } from '../replace-method.ts'
import { replaceOnce } from '../replace-method.ts'
import { hideRoute } from './express-routes.ts'
import { rawRequest } from './nest-exceptions.ts'

interface Wrapped {
  readonly name: string
}

export interface Adapter {
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
export function nameHandlers({ explorer, middlewareModule, adapter }: Handing, observer: Observer): void {
  let registered = ''
  const guard = <Value>(work: () => Value): Value | undefined => observer.guard('nest: names', work)
  const replace = (holder: object, name: string, replacement: Replacement): void =>
    replaceOnce(holder, name, replacement, observer)
  replace(explorer, 'applyCallbackToRouter', (_, args, run) => {
    guard(() => {
      const [, definition, wrapper] = args as [unknown, { methodName: string }, Wrapped]
      registered = `${wrapper.name}.${definition.methodName}`
    })
    return run()
  })
  replace(explorer, 'registerResolvedRoute', (_, args, run) => {
    guard(() => {
      const [, { instanceWrapper, methodName }] = args as [unknown, { instanceWrapper: Wrapped; methodName: string }]
      registered = `${instanceWrapper.name}.${methodName}`
    })
    return run()
  })
  replace(explorer.routerMethodFactory, 'get', (_, __, run) => {
    const add = run() as Method
    const name = registered
    return function (this: object, ...given: unknown[]): unknown {
      guard(() => rename(given.at(-1) as Method, name))
      return Reflect.apply(add, this, given)
    }
  })
  replace(middlewareModule, 'bindHandler', (_, [wrapper, target, ...others], run) => {
    const own = Object(target) as object
    if (!('createMiddlewareFactory' in own)) return run()
    const createMiddlewareFactory = async (method: unknown): Promise<Method> => {
      const mount = await adapter.createMiddlewareFactory(method)
      return (path, handler) => {
        const own = handler as Method
        const given = guard(() => middleware((wrapper as Wrapped).name, own, adapter, observer))
        return mount.call(adapter, path, given ?? own)
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
      guard(() => hideRoute(rename(args[0] as Method, name)))
      return run()
    })
  }
}

/** Express runs each middleware as a separate step; Fastify runs all of them in one hook. */
function middleware(name: string, handler: Method, adapter: Adapter, observer: Observer): Method {
  hideRoute(handler)
  if (adapter.getType() === 'express') return rename(handler, name)
  return (request, response, next) => {
    const step = observer.guard('nest: middleware', () =>
      observer.requestOf(rawRequest(request))?.startStep(name, 'middleware'),
    )
    return handler(request, response, (...results: unknown[]) => {
      observer.guard('nest: middleware', () => step?.end(results[0] ? 'error' : 'ok'))
      return (next as Method)(...results)
    })
  }
}

function rename(handler: Method, name: string): Method {
  return Object.defineProperty(handler, 'name', { value: name, configurable: true })
}
