// Who responds for a Hono application: it, or Hono by default.

import type { ObservedRequest, Observer } from '../integration.ts'
import type { HonoApplication } from './hono-steps.ts'

/** Whether an error handler of the application answers, or the thrown value brings its response along. */
export function respondsItself(application: HonoApplication, thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false
  return application.errorHandler !== defaultErrorHandler(application) || Reflect.get(thrown, 'res') !== undefined
}

/** Every instance begins with it. */
function defaultErrorHandler(application: HonoApplication): unknown {
  let prototype: object | null = Object.getPrototypeOf(application) as object | null
  while (prototype !== null && !Object.hasOwn(prototype, 'basePath')) {
    prototype = Object.getPrototypeOf(prototype) as object | null
  }
  const Base = prototype?.constructor as (new () => HonoApplication) | undefined
  return Base === undefined ? undefined : new Base().errorHandler
}

/** Hono's own response for an unknown path is known by its text. */
export function checkMiss(response: unknown, observed: ObservedRequest, observer: Observer): unknown {
  // The adapter replaces the global Response, so that `instanceof` knows half of them.
  const { status, headers } = response as Response
  if (status !== 404 || headers.get('content-type')?.startsWith('text/plain') !== true) return response
  return (response as Response)
    .clone()
    .text()
    .then(
      (text) => {
        observer.guard('hono: unknown path', () => {
          if (text === '404 Not Found') observed.respondsByDefault('miss')
        })
        return response
      },
      () => response,
    )
}
