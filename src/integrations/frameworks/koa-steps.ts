// Koa's middleware and the functions of @koa/router's routes as steps of a request.

import type { IncomingMessage } from 'node:http'
import type { ListedRoute, Observer } from '../integration.ts'
import { type Around, type Callable, nameOf, observedFunction, runStep } from './observed-function.ts'

export interface KoaContext {
  readonly state: object
  readonly req: IncomingMessage
  readonly status: number
  readonly body: unknown
  readonly respond?: boolean
  readonly headerSent: boolean
  readonly params?: Readonly<Record<string, unknown>>
  readonly onerror: Callable
  readonly response: {
    get(field: string): string
    readonly _explicitStatus?: boolean
    readonly _explicitNullBody?: boolean
  }
  /** Of @koa/router: what is tried for the path, and what matched. */
  readonly matched?: readonly Layer[]
  readonly _matchedRoute?: unknown
}

/** What @koa/router keeps of a route, or of a middleware of the router if there are no methods. */
interface Layer {
  readonly path: unknown
  readonly name?: string | null
  readonly methods: readonly string[]
  readonly stack: Callable[]
}

export function observedMiddleware(middleware: unknown, observer: Observer): unknown {
  const { router, _name } = Object(middleware) as { router?: { opts?: { prefix?: string } }; _name?: string }
  const name = router === undefined ? (_name ?? nameOf(middleware)) : `router ${router.opts?.prefix ?? ''}`.trim()
  const around: Around = (args, run) => {
    const observed = observer.guard('koa: middleware', () => observer.requestOf((args[0] as KoaContext).req))
    return observed === undefined
      ? run(args)
      : runStep({ observed, name: name || 'anonymous', kind: 'middleware', observer }, () => run(args))
  }
  return observedFunction(Object(middleware), around, observer)
}

/** Routes are told of when one of their functions runs, since they have their parameters by then. */
export function observeLayer(layer: Layer, observer: Observer): void {
  const { path, name, methods, stack } = layer
  const handler = nameOf(stack.at(-1)) || undefined
  for (const [index, each] of stack.entries()) {
    const kind = methods.length > 0 && index === stack.length - 1 ? 'handler' : 'middleware'
    const { param } = each as { param?: string }
    const step =
      (param === undefined ? nameOf(each) : `param ${param}`) || (kind === 'handler' ? 'handler' : 'anonymous')
    const around: Around = (args, run) => {
      const context = args[0] as KoaContext
      const observed = observer.guard('koa: matched route', () => {
        const found = observer.requestOf(context.req)
        if (methods.length > 0)
          found?.matched({ path: String(path), name: name ?? undefined, params: context.params ?? {}, handler })
        return found
      })
      return observed === undefined ? run(args) : runStep({ observed, name: step, kind, observer }, () => run(args))
    }
    stack[index] = observedFunction(each, around, observer)
  }
}

/** Routes of the routers that the application uses. */
export function listedRoutes(all: readonly unknown[]): readonly ListedRoute[] {
  const routers = all.flat(Infinity).map((each) => (Object(each) as { router?: { stack?: readonly Layer[] } }).router)
  return routers
    .flatMap((router) => router?.stack ?? [])
    .filter(({ methods }) => methods.length > 0)
    .map(({ path, name, methods, stack }) => ({
      // `router.all` registers every method that Node knows.
      methods: methods.length > 20 ? [] : methods,
      path: String(path),
      name: name ?? undefined,
      handler: nameOf(stack.at(-1)) || undefined,
    }))
}
