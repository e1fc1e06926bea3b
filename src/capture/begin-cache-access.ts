// How applications report accesses to their own caches.

import { beginActivity } from '../observe/activities/begin-activity.ts'
import { cache as kind, type CacheOutcome } from './activities/cache.ts'
import { stackFrames } from './begin-query.ts'

/** A read or write of a cache. */
export interface CacheAccess {
  /** Name of the cache: `prices`. */
  readonly cache: string
  /** `get`, `set`, `delete` or a word of your own. */
  readonly operation: string
  /** Up to 200 characters are kept. Default: none. */
  readonly key?: string | number
}

/** A read or write that was begun. Only the first end counts. */
export interface RunningCacheAccess {
  /** `outcome` is that of a read: `hit`, `miss`, or `stale` if an expired value was returned. */
  end(outcome?: 'hit' | 'miss' | 'stale'): void
  fail(thrown: unknown): void
}

/**
 * Reports a read or write of a cache that starts now, in the request that is running. Returns `undefined` if the request is not recorded. Never
 * throws.
 */
export function beginCacheAccess({ cache, operation, key }: CacheAccess): RunningCacheAccess | undefined {
  const access = beginActivity(kind, () => ({
    facts: {
      library: null,
      cache: cache.slice(0, maxNameLength),
      operation: operation.slice(0, maxNameLength),
      key: cacheKey(key),
      outcome: null,
    },
    site: stackFrames,
  }))
  return (
    access && {
      end: (outcome?: CacheOutcome) => access.end({ outcome: outcome ?? null }),
      fail: (thrown) => access.fail(thrown),
    }
  )
}

const maxNameLength = 60

const maxKeyLength = 200

/** Text and numbers as they are; `null` for others, which no text tells apart. */
export function cacheKey(key: unknown): string | null {
  if (typeof key === 'string') return key.slice(0, maxKeyLength)
  return typeof key === 'number' || typeof key === 'bigint' || typeof key === 'boolean' ? String(key) : null
}
