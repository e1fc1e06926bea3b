// The kinds of activities: what is known of one, and how many of a request are kept. Facts are plain JSON, at most a few KB each, not masked
// yet: the collector of the kind masks them.

/** What came of a read. */
export type CacheOutcome = 'hit' | 'miss' | 'stale'

/** A read or write of a cache. */
export interface CacheFacts {
  /** `lru-cache`, `bentocache`; `null` for caches of the application. */
  readonly library: string | null
  /** Which of several caches; `null` if it has no name. */
  readonly cache: string | null
  /** As the library calls it: `get`, `getOrSet`, `set`, `delete`. */
  readonly operation: string
  /** `null` where it is about no single key. */
  readonly key: string | null
  /** Of reads; `null` for others. `stale`: an expired value was returned. */
  readonly outcome: CacheOutcome | null
}

/** Facts by kind. The name of a kind is that of its collector and its panel. */
export interface ActivityFacts {
  readonly cache: CacheFacts
}

export type ActivityName = keyof ActivityFacts

/** How many of a request are kept. */
export const maxActivities: Readonly<Record<ActivityName, number>> = {
  cache: 500,
}
