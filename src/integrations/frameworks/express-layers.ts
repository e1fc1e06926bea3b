// What Express runs for a request, told by functions around those of its layers. Nothing runs between a layer and its function, and
// `next` stays what it is.

import type { ServerResponse } from 'node:http'
import type { Observer, Step } from '../integration.ts'
import { holderOf, remakeOnce } from '../replace-method.ts'
import { Passage } from './express-request.ts'
import type { ExpressRequest, Handler, Layer } from './express-routes.ts'
import { isThenable } from './observed-function.ts'

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
  const passage = Passage.of(args[isForErrors ? 1 : 0] as ExpressRequest, observer)
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
      if (!isThenable(result)) passage.returned(step, parameters.at(-2) as ServerResponse)
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
