// Where the global `fetch` was called, caught at its door. undici tells of a call some twenty calls further in, and the deeper a
// stack, the more it costs to catch.

import { currentExchange } from '../../framework/kernel/current-exchange.ts'
import type { Exchange } from '../../framework/kernel/exchange.ts'
import { ownerName } from './begin-statement.ts'
import { noteFailure } from './channels.ts'
import { httpClientName } from './outgoing-calls.ts'
import type { CallSiteMark } from './call-site.ts'
import type { UsualCaller } from './usual-caller.ts'

/** Where a call of `fetch` was made. */
export interface FetchSite {
  readonly site: CallSiteMark
  /** Learns where such calls are made. */
  readonly caller: UsualCaller
}

/** Whoever notes the calls that an application makes. */
export interface FetchWatcher {
  /** Where a call of `input` comes from that is made now, while the exchange of this application is served. */
  fetchSite(exchange: Exchange, input: unknown): FetchSite
}

/** One for the process: all its applications call the same `fetch`. */
const door: { watchers: number; site: FetchSite | null; leave: () => void } = {
  watchers: 0,
  site: null,
  leave: () => undefined,
}

/** Where the call of the global `fetch` that is being made now was made; `null` outside of one that is recorded. */
export function fetchSite(): FetchSite | null {
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
    const exchange = door.watchers === 0 ? undefined : currentExchange()
    // Only a capture keeps itself under this name.
    const watcher = exchange?.recording?.kept(ownerName) as FetchWatcher | undefined
    if (exchange === undefined || watcher === undefined) return Reflect.apply(original, this, values)
    door.site = siteOf(watcher, exchange, values[0])
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

/** Nothing that goes wrong here may fail the call. */
function siteOf(watcher: FetchWatcher, exchange: Exchange, input: unknown): FetchSite | null {
  try {
    return watcher.fetchSite(exchange, input)
  } catch (thrown) {
    noteFailure(httpClientName, thrown)
    return null
  }
}
