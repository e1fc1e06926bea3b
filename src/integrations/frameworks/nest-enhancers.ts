// What Nest runs around a method of a controller or a resolver, as steps: guards, interceptors, pipes and exception filters.

import type { ObservedRequest, Observer, Step } from '../integration.ts'
import { type Method, type Replacement, holderOf, replaceOnce, shielded, isMethod } from '../replace-method.ts'
import { settled } from './observed-function.ts'
import { describeFailure } from '../../http/kernel/describe-failure.ts'
import { observers } from '../captures/observers.ts'
import { currentExchange } from '../../http/kernel/current-exchange.ts'
import { membersOf, listOf } from '../../base/members.ts'

/** The parts of Nest that run them. */
export interface Enhancing {
  readonly routerExceptionsFilter: object
  readonly routerExplorer: {
    readonly executionContextCreator: { readonly guardsConsumer: object; readonly interceptorsConsumer: object }
  }
}

/** What makes the functions of contexts without HTTP: those of resolvers of GraphQL. */
export interface ExternalContexts {
  readonly filtersContextCreator: FilterContext
}

export function observeEnhancers(
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
export interface FilterContext {
  create(instance: object, callback: () => void, module: undefined): object
}

/** The type of the context that something runs in, and its first argument, by what Nest calls a host. */
function askedIn(host: unknown): readonly [type: unknown, first: unknown] {
  const { getType, getArgByIndex } = membersOf(host)
  if (!isMethod(getType) || !isMethod(getArgByIndex)) throw new TypeError('there is no host')
  return [getType.call(host), getArgByIndex.call(host, 0)]
}

/** Fastify wraps the request of Node in its own. */
export function rawRequest(request: unknown): unknown {
  return membersOf(request).raw ?? request
}

/** Nest 12 and Nest 11 make exceptions of errors that Express and Fastify pass on: of a body that cannot be read, for example. */
export function keepOriginals(owner: object, name: string, observer: Observer): void {
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
export function observeExceptions(filters: FilterContext, observer: Observer): void {
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
