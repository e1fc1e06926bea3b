// Finds out for which request code runs: at the begin of every callback that the loop makes, and of every continuation of a
// promise, the running context names it. Continuations matter on their own, because an answer comes through a connection
// that other requests share.

import { createHook } from 'node:async_hooks'
import { promiseHooks } from 'node:v8'
import type { LoopWatch } from './loop-watch.ts'
import type { RequestMeter } from './request-meter.ts'

/**
 * Tells `watch` whenever other code begins to run. `meterOf` is asked each time and must be cheap. Gives what ends it.
 * Promises are hooked by V8 alone: Node's own hook on them numbers each one, which costs several times as much.
 */
export function followContinuations(watch: LoopWatch, meterOf: () => RequestMeter | undefined): () => void {
  // A callback that is called from inside another one (AsyncResource) counts with its caller: the context changes later.
  const callbacks = createHook({ before: () => watch.enterFromLoop(meterOf()), trackPromises: false })
  const stopPromises: unknown = promiseHooks.onBefore(() => watch.enter(meterOf()))
  callbacks.enable()
  return () => {
    callbacks.disable()
    if (typeof stopPromises === 'function') stopPromises()
    watch.enter(undefined)
  }
}
