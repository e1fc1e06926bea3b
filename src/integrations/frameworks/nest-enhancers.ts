// What Nest runs around a method of a controller, as steps: guards, interceptors, pipes and exception filters.

import type { ObservedRequest, Observer, Step } from '../integration.ts'
import type { Method, Replacement } from '../replace-method.ts'
import { holderOf, replaceOnce } from '../replace-method.ts'
import { shielded } from '../shielded.ts'
import { decided, type ExecutionContext } from './nest-decisions.ts'
import type { ArgumentsHost } from './nest-exceptions.ts'
import { rawRequest, requestIn } from './nest-exceptions.ts'

/** The parts of Nest that run them. */
export interface Enhancing {
  readonly routerExceptionsFilter: object
  readonly routerExplorer: {
    readonly executionContextCreator: { readonly guardsConsumer: object; readonly interceptorsConsumer: object }
  }
}

export function observeEnhancers({ routerExceptionsFilter, routerExplorer }: Enhancing, observer: Observer): void {
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
  observePipes(creator, observer)
  observeFilters(routerExceptionsFilter, observer)
}

/** Replaces what a consumer is given a list of, for one request. */
function observeList(
  consumer: object,
  name: string,
  observer: Observer,
  replace: (enhancer: object, observed: ObservedRequest) => object,
): void {
  const replacement: Replacement = (_, [enhancers, parameters, ...others], run) => {
    let given = enhancers
    observer.guard('nest: enhancers', () => {
      const observed = observer.requestOf(rawRequest((parameters as unknown[])[0]))
      if (observed !== undefined) given = (enhancers as object[]).map((enhancer) => replace(enhancer, observed))
    })
    return run([given, parameters, ...others])
  }
  replaceOnce(consumer, name, replacement, observer)
}

/** The pipes of all parameters of a method run at the same time: they are one step. */
function observePipes(creator: object, observer: Observer): void {
  const replacement: Replacement = (_, args, create) => {
    const run = create()
    let names: readonly string[] = []
    observer.guard('nest: pipes', () => {
      const [pipes, parameters] = args as [object[], { pipes: object[] }[]]
      names = [...new Set([pipes, ...parameters.map((parameter) => parameter.pipes)].flat().map(className))]
    })
    if (typeof run !== 'function' || names.length === 0) return run
    return (values: unknown, request: unknown, ...rest: unknown[]): unknown => {
      const work = (): unknown => (run as Method)(values, request, ...rest)
      return shielded(observer, 'nest: pipes', work, (observedWork) => {
        const observed = observer.requestOf(rawRequest(request))
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
      let observed: ObservedRequest | undefined
      observer.guard('nest: filter', () => (observed = requestIn(host as ArgumentsHost, observer)))
      const work = (): unknown => run(exception, host)
      return observed === undefined ? work() : runAsStep(observed, `filter ${className(filter)}`, observer, work)
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
  const run: Method = (...parameters) => Reflect.apply(Reflect.get(object, name) as Method, object, parameters)
  const value: Method = (...parameters) =>
    shielded(
      observer,
      `around ${name}()`,
      (...given: unknown[]) => run(...(given.length === 0 ? parameters : given)),
      (shieldedRun) => by(shieldedRun, ...parameters),
    )
  return Object.create(object, { [name]: { value } }) as object
}

function runAsStep(observed: ObservedRequest, name: string, observer: Observer, work: () => unknown): unknown {
  return endsAfter(observed.startStep(name, 'hook'), observer, work)
}

/** A guard that gives false ends with an error, for Nest makes one of it. */
function endsAfter(step: Step, observer: Observer, work: () => unknown): unknown {
  const end = (status: 'ok' | 'error'): void => observer.guard('nest: enhancers', () => step.end(status))
  const done = (result: unknown): void => end(result === false ? 'error' : 'ok')
  try {
    const result = work()
    if (result instanceof Promise) void result.then(done, () => end('error'))
    else done(result)
    return result
  } catch (thrown) {
    end('error')
    throw thrown
  }
}

function className(object: object): string {
  return object.constructor.name
}
