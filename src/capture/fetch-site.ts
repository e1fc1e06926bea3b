// Where the global `fetch` was called, caught at its door. undici tells of a call some twenty calls further in, and the deeper a
// stack, the more it costs to catch.

import { currentExchange } from '../kernel/current-exchange.ts'
import { markCallSite, type CallSiteMark } from './call-site.ts'

/** Calls of dependencies may stand between the application and `fetch`. */
const stackFrames = 8

/** One for the process: all its applications call the same `fetch`. */
const door: { watchers: number; site: CallSiteMark | null; leave: () => void } = {
  watchers: 0,
  site: null,
  leave: () => undefined,
}

/** Where the call of the global `fetch` that is being made now was made; `null` outside of one that is recorded. */
export function fetchSite(): CallSiteMark | null {
  return door.site
}

/** Watches the global `fetch`, until what this gives is called. Who took hold of `fetch` before is not seen. */
export function watchFetch(): () => void {
  door.watchers += 1
  if (door.watchers === 1) door.leave = enter()
  let isWatching = true
  return () => {
    if (!isWatching) return
    isWatching = false
    door.watchers -= 1
    if (door.watchers === 0) door.leave()
  }
}

/** Puts a `fetch` that passes everything on in the place of the one that is there; gives what takes it away again. */
function enter(): () => void {
  const { fetch: original } = globalThis
  if (typeof original !== 'function') return () => undefined
  const watched = function (this: unknown, ...values: Parameters<typeof original>): ReturnType<typeof original> {
    if (door.watchers === 0 || currentExchange()?.recording === undefined) return Reflect.apply(original, this, values)
    door.site = markCallSite(stackFrames)
    try {
      return Reflect.apply(original, this, values)
    } finally {
      door.site = null
    }
  }
  Object.defineProperties(watched, { name: { value: original.name }, length: { value: original.length } })
  globalThis.fetch = watched
  return () => {
    // Whoever has put a `fetch` of their own around it keeps it; it passes on.
    if (globalThis.fetch === watched) globalThis.fetch = original
  }
}
