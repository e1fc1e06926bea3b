// A `Map` in which an application caches values.

import { beginActivity } from '../../activities/begin-activity.ts'
import type { CacheOutcome } from '../../activities/kinds.ts'
import { stackFrames } from '../begin-query.ts'
import { cacheKey } from '../cache-key.ts'
import type { Observable } from './observable.ts'
import { wrapMethod } from './wrap-method.ts'

export const cacheMap: Observable = {
  what: 'a Map that serves as a cache',
  fits: (target) => target instanceof Map,
  observe: (target) => {
    if (target instanceof Map) observeMap(target)
  },
}

function observeMap(map: Map<unknown, unknown>): void {
  const { has } = map
  const read = (key: unknown): CacheOutcome => (Reflect.apply(has, map, [key]) ? 'hit' : 'miss')
  for (const operation of ['get', 'has']) {
    wrapMethod(map, operation, (_own, [key], run) => {
      note(operation, key, () => read(key))
      return run()
    })
  }
  for (const operation of ['set', 'delete', 'clear']) {
    wrapMethod(map, operation, (_own, [key], run) => {
      note(operation, key)
      return run()
    })
  }
}

function note(operation: string, key: unknown, outcome: () => CacheOutcome | null = () => null): void {
  beginActivity('cache', () => ({
    facts: { library: null, cache: 'Map', operation, key: cacheKey(key), outcome: outcome() },
    site: stackFrames,
  }))
}
