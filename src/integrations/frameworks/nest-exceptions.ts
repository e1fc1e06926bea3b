// The exceptions of Nest: what was thrown, and whether a filter of the application or Nest itself responds.

import type { IncomingMessage } from 'node:http'
import { currentExchange } from '../../framework/kernel/current-exchange.ts'
import type { ObservedRequest, Observer } from '../integration.ts'
import { holderOf, replaceOnce, type Replacement } from '../replace-method.ts'

/** On an exception that Nest made of another error: the other one. */
const madeOf: unique symbol = Symbol.for('fanlight.nest.madeOf')

/** The part of Nest that makes exception handlers. */
export interface FilterContext {
  create(instance: object, callback: () => void, module: undefined): object
}

/** The parameters of what runs for a request. */
export interface ArgumentsHost {
  getType(): string
  getArgByIndex(index: number): unknown
}

/** Fastify wraps the request of Node in its own. */
export function rawRequest(request: unknown): IncomingMessage & { readonly originalUrl?: string } {
  return (Reflect.get(Object(request), 'raw') ?? request) as IncomingMessage
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
export function runningRequest(observer: Observer): ObservedRequest | undefined {
  const raw: unknown = Reflect.get(Object(currentExchange()?.client), 'req')
  return raw === undefined ? undefined : observer.requestOf(raw as IncomingMessage)
}

/** The observed request that something runs for, by its type of context and its first argument; `undefined` outside of HTTP. */
export function requestIn(type: unknown, first: unknown, observer: Observer): ObservedRequest | undefined {
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
        const [exception, host] = args as [unknown, ArgumentsHost]
        const [type, first] = [host.getType(), host.getArgByIndex(0)]
        const observed = requestIn(type, first, observer)
        if (type === 'graphql') observed?.failed(exception, undefined, true)
        else if (observed !== undefined) told(observed, exception, isMiss(exception, first))
      })
      return run()
    }
    replaceOnce(prototype, name, replacement, observer)
  }
  observe('next', (observed, exception, isMiss) => {
    const thrown = Object.hasOwn(Object(exception) as object, madeOf)
      ? (exception as { [madeOf]: unknown })[madeOf]
      : exception
    if (!isMiss) observed.failed(thrown, statusOf(exception))
    observed.respondsItself()
  })
  observe('catch', (observed, _, isMiss) => observed.respondsByDefault(isMiss ? 'miss' : 'error'))
}

function statusOf(exception: unknown): number | undefined {
  const getStatus: unknown = Reflect.get(Object(exception), 'getStatus')
  return typeof getStatus === 'function' ? (getStatus.call(exception) as number) : undefined
}

/** Whether Nest throws this because no controller has the path. */
function isMiss(exception: unknown, request: unknown): boolean {
  const { method, originalUrl, url } = rawRequest(request)
  return statusOf(exception) === 404 && (exception as Error).message === `Cannot ${method} ${originalUrl ?? url}`
}
