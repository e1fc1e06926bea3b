// A request on its way through the routers of Express: which routers are around it, what runs, which route was matched, and
// who responds.

import type { ServerResponse } from 'node:http'
import type { ObservedRequest, Observer, Step } from '../integration.ts'
import type { ExpressRequest, Handler, Invocation, Route, Router } from './express-routes.ts'
import { joinPaths, pathOf } from './express-paths.ts'
import { handlerLayer, keepRouter, nameOf } from './express-routes.ts'

const passage: unique symbol = Symbol.for('fanlight.express')

interface RouterAround {
  /** Part of the address that the routers around have removed. */
  readonly base: string
  readonly prefix: string
  readonly step: Step | undefined
}

export class Passage {
  readonly #observed: ObservedRequest
  readonly #around: RouterAround[] = []
  /** Path of the function that runs, with the prefixes around it: the prefix of what it calls. */
  #path = ''
  #step: Step | undefined
  #handler: Handler | undefined
  #route: Route | undefined
  #isDefaultNext = false
  /** `undefined` or another value was thrown for which Express goes on to the next route. */
  #hasThrownNothing = false

  /** The same for each call with one request; `undefined` if it is not recorded. */
  static of(request: ExpressRequest & { [passage]?: Passage }, observer: Observer): Passage | undefined {
    const known = request[passage]
    if (known !== undefined) return known
    const observed = observer.requestOf(request)
    if (observed === undefined) return undefined
    const made = new Passage(observed)
    Object.defineProperty(request, passage, { value: made })
    return made
  }

  private constructor(observed: ObservedRequest) {
    this.#observed = observed
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
  enter(router: Router, request: ExpressRequest): (error: unknown, response: ServerResponse) => void {
    if (this.#handler !== undefined) keepRouter(this.#handler, router)
    const depth = this.#around.length
    const hasDefaultNext = this.#isDefaultNext
    const step = this.#step
    this.#isDefaultNext = false
    this.#step = undefined
    this.#around.push({ base: request.baseUrl ?? '', prefix: this.#path, step })
    return (error, response) => {
      this.#step?.end()
      this.#step = undefined
      this.#around.length = depth
      step?.end(error ? 'error' : 'ok')
      if (!hasDefaultNext) return
      if (error) this.#observed.failed(error)
      const hasFailed = Boolean(error) || this.#hasThrownNothing
      if (!response.headersSent) this.#observed.respondsByDefault(hasFailed ? 'error' : 'miss')
    }
  }

  start(invocation: Invocation): void {
    const { req, layer, handler, param } = invocation
    this.#step?.end()
    if (invocation.errorHandler === true) this.#observed.failed(invocation.incomingError)
    const around = this.#around.at(-1)
    const prefix = around?.base === req.baseUrl ? around?.prefix : req.baseUrl
    const isInRoute = 'method' in layer
    this.#handler = isInRoute || param !== undefined ? undefined : handler
    const own = invocation.route ?? pathOf(layer) ?? layer.path
    if (this.#handler !== undefined) this.#path = joinPaths(around?.prefix ?? '', own)
    const route = isInRoute ? req.route : layer.route
    const last = route && handlerLayer(route, req.method ?? '')
    if (last !== undefined && route !== this.#route) {
      this.#route = route
      const path = joinPaths(prefix ?? '', invocation.route ?? route?.path)
      this.#observed.matched({ path, params: req.params ?? {}, handler: nameOf(last) || undefined })
    }
    this.#step = this.#observed.startStep(this.#nameOf(invocation), layer === last ? 'handler' : 'middleware')
    invocation.step = this.#step
  }

  /** The function has returned. It is done when the response is, or when its promise settles. */
  returned(invocation: Invocation): void {
    const isThrown = 'error' in invocation
    if (isThrown && !invocation.error) {
      this.#hasThrownNothing = true
      this.#observed.failed(invocation.error)
    }
    if (isThrown || ('result' in invocation && invocation.res.writableEnded))
      invocation.step?.end(isThrown ? 'error' : 'ok')
  }

  failed(invocation: Invocation): void {
    invocation.step?.end('error')
    this.#observed.failed(invocation.error)
  }

  #nameOf({ handler, layer, param }: Invocation): string {
    if (param !== undefined) return `param ${param}`
    if (handler.stack !== undefined) return `router ${this.#path}`
    if (layer.name === 'mounted_app') return `application ${this.#path}`
    return nameOf(layer) || layer.name
  }
}
