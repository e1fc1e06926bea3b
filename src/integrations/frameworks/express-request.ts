// A request on its way through the routers of Express: which routers are around it, what runs, which route was matched, and
// who responds.

import { isPromise } from '../../base/members.ts'
import { define } from '../../http/kernel/follow-call.ts'
import type { ServerResponse } from 'node:http'
import type { ObservedRequest, Observer, Registered, Step, StepKind } from '../integration.ts'
import { holderOf, remakeOnce } from '../replace-method.ts'
import { joinPaths, pathOf, handlerLayer, keepRouter, nameOf } from './express-routes.ts'
import type { ExpressRequest, Handler, Layer, Route, Router } from './express-routes.ts'
import { registrationOf } from './observed-function.ts'

const passage: unique symbol = Symbol.for('fanlight.express')

interface RouterAround {
  /** Part of the address that the routers around have removed. */
  readonly base: string
  readonly prefix: string
  readonly step: Step | undefined
}

export class Passage {
  readonly #observed: ObservedRequest
  readonly #request: ExpressRequest
  readonly #around: RouterAround[] = []
  /** Path of the function that runs, with the prefixes around it: the prefix of what it calls. */
  #path = ''
  #step: Step | undefined
  #handler: Handler | undefined
  #route: Route | undefined
  /** What `#route` is registered as. */
  #matched: Registered | undefined
  #isDefaultNext = false
  /** What was passed on as an error last. */
  #error: unknown
  /** `undefined` or another value was thrown for which Express goes on to the next route. */
  #hasThrownNothing = false

  /** The same for each call with one request; `undefined` if it is not recorded. */
  static of(given: unknown, observer: Observer): Passage | undefined {
    // What Express hands to its handlers.
    const request = given as ExpressRequest & { [passage]?: Passage }
    const known = request[passage]
    if (known !== undefined) return known
    const observed = observer.requestOf(request)
    if (observed === undefined) return undefined
    const made = new Passage(observed, request)
    Object.defineProperty(request, passage, { value: made })
    return made
  }

  private constructor(observed: ObservedRequest, request: ExpressRequest) {
    this.#observed = observed
    this.#request = request
  }

  /** An application begins with the request; what it leaves undone gets the default response of Express. */
  begin(hasRouter: boolean): void {
    this.#around.length = 0
    this.#path = ''
    this.#handler = undefined
    if (hasRouter) this.#isDefaultNext = true
    else this.#observed.respondsByDefault('miss')
  }

  /** A router begins. The function given back is for when it has no more to run. */
  enter(router: Router, response: ServerResponse): (error: unknown) => void {
    if (this.#handler !== undefined) keepRouter(this.#handler, router)
    const depth = this.#around.length
    const hasDefaultNext = this.#isDefaultNext
    const step = this.#step
    if (depth === 0 && this.#request.method === 'OPTIONS') this.#watchOptions(response)
    this.#isDefaultNext = false
    this.#step = undefined
    this.#around.push({ base: this.#request.baseUrl ?? '', prefix: this.#path, step })
    return (error) => {
      if (error) this.passedOn(error)
      this.#step?.end('passed')
      this.#step = undefined
      this.#around.length = depth
      step?.end(error ? 'error' : 'passed')
      if (!hasDefaultNext) return
      const hasFailed = Boolean(error) || this.#hasThrownNothing
      if (!response.headersSent) this.#observed.respondsByDefault(hasFailed ? 'error' : 'miss')
    }
  }

  /** Middleware may respond with the same field. */
  #watchOptions(response: ServerResponse): void {
    const { setHeader } = response
    define(response, 'setHeader', (...given: Parameters<typeof setHeader>) => {
      const isAllow = given[0].toLowerCase() === 'allow'
      if (isAllow && /sendOptionsResponse/i.test(String(new Error().stack))) this.#observed.respondsToOptions()
      return Reflect.apply(setHeader, response, given)
    })
  }

  /** The function of a layer begins. */
  start(layer: Layer): Step {
    const isInRoute = 'method' in layer
    this.#handler = isInRoute ? undefined : layer.handle
    if (!isInRoute) this.#path = joinPaths(this.#around.at(-1)?.prefix ?? '', pathOf(layer) ?? layer.path)
    const last = isInRoute ? this.#match() : undefined
    const registered = isInRoute ? this.#matched : { path: this.#path, registration: registrationOf(layer) }
    return this.#begin(this.#nameOf(layer), layer === last ? 'handler' : 'middleware', registered)
  }

  /** A function begins that was registered for a parameter. */
  startParam(name: string): void {
    this.#match()
    this.#begin(`param ${name}`, 'middleware')
  }

  /** Names the route that Express has found, and gives the layer that responds there. */
  #match(): Layer | undefined {
    const { route, baseUrl, url, method = '', params = {} } = this.#request
    const last = route && handlerLayer(route, method)
    if (route === undefined || last === undefined || route === this.#route) return last
    this.#route = route
    const around = this.#around.at(-1)
    const prefix = around?.base === baseUrl ? around?.prefix : baseUrl
    const path = joinPaths(prefix ?? '', route.path)
    const own = joinPaths('', route.path)
    this.#matched = { path, registration: registrationOf(last.handle) ?? registrationOf(route) }
    this.#observed.matched({ ...this.#matched, own, foundBy: url, params, handler: nameOf(last) || undefined })
    return last
  }

  /** The function of a layer has returned. It is done when the response is, or when its promise settles. */
  returned(step: Step, response: ServerResponse): void {
    if (response.writableEnded) step.end()
  }

  /** The function of a layer has thrown. What counts as an error is passed on next. */
  threw(thrown: unknown): void {
    this.#step?.end('error')
    if (thrown) return
    this.#hasThrownNothing = true
    this.#observed.failed(thrown)
  }

  /** What runs next is given an error: what ran before has failed, if it is a new one. */
  passedOn(error: unknown): void {
    if (error === this.#error) return
    this.#error = error
    this.#step?.end('error')
    this.#observed.failed(error)
  }

  #begin(name: string, kind: StepKind, registered?: Registered): Step {
    this.#step?.end()
    return (this.#step = this.#observed.startStep(name, kind, registered))
  }

  #nameOf(layer: Layer): string {
    if (layer.handle.stack !== undefined) return `router ${this.#path}`
    if (layer.name === 'mounted_app') return `application ${this.#path}`
    return nameOf(layer)
  }
}

interface LayerMethod {
  readonly name: string
  readonly isForErrors: boolean
  /** Whether Express waits for the promise of a function. */
  readonly waits: boolean
}

/** Those of Express 5, then those of Express 4. */
const methods: readonly LayerMethod[] = [
  { name: 'handleRequest', isForErrors: false, waits: true },
  { name: 'handleError', isForErrors: true, waits: true },
  { name: 'handle_request', isForErrors: false, waits: false },
  { name: 'handle_error', isForErrors: true, waits: false },
]

/** Observes every layer with the prototype of this one. */
export function observeLayers(layer: object, observer: Observer): void {
  for (const method of methods) {
    const prototype = holderOf(layer, method.name)
    if (prototype === undefined) continue
    remakeOnce(prototype, method.name, (original) => {
      return function (this: Layer, ...args: unknown[]): unknown {
        const { handle } = this
        const own = observer.guard('express: layer', () => observedHandle(this, args, method, observer))
        if (own === undefined) return Reflect.apply(original, this, args)
        // Express reads it at once, to run it.
        this.handle = own
        try {
          return Reflect.apply(original, this, args)
        } finally {
          if (this.handle === own) this.handle = handle
        }
      }
    })
  }
}

/** What the layer is to run in place of its function; `undefined` if it runs none. */
function observedHandle(
  layer: Layer,
  args: readonly unknown[],
  { isForErrors, waits }: LayerMethod,
  observer: Observer,
): Handler | undefined {
  const { handle, route } = layer
  const passage = Passage.of(args[isForErrors ? 1 : 0], observer)
  if (passage === undefined) return undefined
  if (isForErrors) passage.passedOn(args[0])
  // Express tells error handlers by their four parameters; a layer with a route only leads to the layers in it.
  if (route !== undefined || (isForErrors ? handle.length !== 4 : handle.length > 3)) return undefined
  const step = passage.start(layer)
  const run = (parameters: unknown[]): unknown => {
    layer.handle = handle
    let result: unknown
    try {
      // As Express calls it: not as a method of the layer.
      result = handle(...parameters)
    } catch (thrown) {
      observer.guard('express: layer', () => passage.threw(thrown))
      throw thrown
    }
    observer.guard('express: layer', () => {
      if (!isPromise(result)) passage.returned(step, parameters.at(-2) as ServerResponse)
      // Any other thenable may begin its work at each `then`.
      else if (result instanceof Promise) follow(result, step, passage, waits, observer)
    })
    return result
  }
  if (isForErrors) return (error, req, res, next) => run([error, req, res, next])
  return (req, res, next) => run([req, res, next])
}

function follow(result: Promise<unknown>, step: Step, passage: Passage, waits: boolean, observer: Observer): void {
  const done = (): void => step.end()
  const failed = (reason: unknown): void => {
    step.end('error')
    if (waits) return
    observer.guard('express: layer', () => passage.passedOn(reason))
    observer.note('Express 4 does not wait for promises: a request whose handler rejects gets no response from it.')
    throw reason
  }
  void result.then(done, failed)
}
