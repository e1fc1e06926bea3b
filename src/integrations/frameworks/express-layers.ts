// Express 4, and Express 5 with router before 2.3, publish nothing: functions around those of their layers tell the same.

import type { Observer } from '../integration.ts'
import type { Method, Replacement } from '../replace-method.ts'
import { holderOf, replaceOnce } from '../replace-method.ts'
import { Passage } from './express-request.ts'
import type { Invocation, Layer } from './express-routes.ts'

/** Those of Express 5, then those of Express 4, which does not wait for promises. */
const methods = [
  { name: 'handleRequest', isForErrors: false, waits: true },
  { name: 'handleError', isForErrors: true, waits: true },
  { name: 'handle_request', isForErrors: false, waits: false },
  { name: 'handle_error', isForErrors: true, waits: false },
]

/** Observes every layer with the prototype of this one. */
export function observeLayers(layer: Layer, observer: Observer): void {
  for (const { name, isForErrors, waits } of methods) {
    const prototype = holderOf(layer, name)
    if (prototype === undefined) continue
    const replacement: Replacement = (target, args, run) => {
      const { route, handle } = target as Layer
      // Express tells error handlers by their four parameters; a layer with a route only leads to the layers in it.
      if (route !== undefined || (isForErrors ? handle.length !== 4 : handle.length > 3)) return run()
      const [incomingError, req, res, next] = isForErrors ? args : [undefined, ...args]
      const told = { req, res, layer: target, handler: handle, errorHandler: isForErrors, incomingError }
      const invocation = told as Invocation
      const passage = begin(invocation, observer)
      if (passage === undefined) return run()
      const observed = Object.create(target, {
        handle: { value: observedHandler(invocation, passage, waits, observer) },
      }) as object
      const onward = reportsErrors(next as Method, invocation, passage, observer)
      return run([...args.slice(0, -1), onward], observed)
    }
    replaceOnce(prototype, name, replacement, observer)
  }
}

function begin(invocation: Invocation, observer: Observer): Passage | undefined {
  return observer.guard('express: layer', () => {
    const passage = Passage.of(invocation.req, observer)
    passage?.start(invocation)
    return passage
  })
}

/** The function of a layer, with the number of parameters that Express tells it by. */
function observedHandler(invocation: Invocation, passage: Passage, waits: boolean, observer: Observer): Method {
  const { handler } = invocation
  const run = (...parameters: unknown[]): unknown => {
    try {
      const result = handler(...parameters)
      // Any other thenable may begin its work at each `then`.
      if (result instanceof Promise) follow(result)
      else invocation.result = result
      return result
    } catch (thrown) {
      invocation.error = thrown
      throw thrown
    } finally {
      observer.guard('express: layer', () => passage.returned(invocation))
    }
  }
  const follow = (result: Promise<unknown>): void => {
    const done = (): void => observer.guard('express: layer', () => invocation.step?.end())
    if (waits) void result.then(done, () => observer.guard('express: layer', () => invocation.step?.end('error')))
    else
      void result.then(done, (reason: unknown) => {
        observer.guard('express: layer', () => passage.failed({ ...invocation, error: reason }))
        observer.note('Express 4 does not wait for promises: a request whose handler rejects gets no response from it.')
        throw reason
      })
  }
  if (invocation.errorHandler === true) return (error, req, res, next) => run(error, req, res, next)
  return (req, res, next) => run(req, res, next)
}

function reportsErrors(next: Method, invocation: Invocation, passage: Passage, observer: Observer): Method {
  return (...args) => {
    const [error] = args
    const isSignal = !error || error === 'route' || error === 'router' || error === invocation.incomingError
    if (!isSignal) observer.guard('express: layer', () => passage.failed(Object.assign(invocation, { error })))
    return next(...args)
  }
}
