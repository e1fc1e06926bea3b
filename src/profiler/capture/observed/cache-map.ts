// A `Map` in which an application caches values.

import { beginActivity } from '../../activities/begin-activity.ts'
import type { CacheOutcome } from '../../activities/kinds.ts'
import { stackFrames } from '../begin-query.ts'
import { cacheKey } from '../cache-key.ts'
import { define } from '../sources/tracing-source.ts'
import type { Observable } from './observable.ts'

export const cacheMap: Observable = {
  what: 'a Map that serves as a cache',
  fits: (target) => target instanceof Map,
  observe: (target) => {
    if (target instanceof Map && !Object.hasOwn(target, 'get')) observeMap(target)
  },
}

function observeMap(map: Map<unknown, unknown>): void {
  const { get, has, set, delete: remove, clear } = map
  const isThere = (key: unknown): boolean => Reflect.apply(has, map, [key])
  const read = (key: unknown): CacheOutcome => (isThere(key) ? 'hit' : 'miss')
  define(map, 'get', (key: unknown) => {
    note('get', key, () => read(key))
    return Reflect.apply(get, map, [key]) as unknown
  })
  define(map, 'has', (key: unknown) => {
    note('has', key, () => read(key))
    return isThere(key)
  })
  define(map, 'set', (key: unknown, value: unknown) => {
    note('set', key)
    Reflect.apply(set, map, [key, value])
    return map
  })
  define(map, 'delete', (key: unknown) => {
    note('delete', key)
    return Reflect.apply(remove, map, [key])
  })
  define(map, 'clear', () => {
    note('clear', null)
    Reflect.apply(clear, map, [])
  })
}

function note(operation: string, key: unknown, outcome: () => CacheOutcome | null = () => null): void {
  beginActivity('cache', () => ({
    facts: { library: null, cache: 'Map', operation, key: cacheKey(key), outcome: outcome() },
    site: stackFrames,
  }))
}
