// The reads and writes of caches.

import type { Redactor } from '../../framework/redact/redactor.ts'
import type { Activities } from '../activities/activity.ts'
import { activityCollector } from '../activities/collector.ts'
import type { CacheFacts } from '../activities/kinds.ts'
import type { BuiltInCollector } from '../request-record.ts'

/** Name of collector and panel. */
export type CacheData = Activities<CacheFacts>

export function cacheCollector(redactor: Redactor): BuiltInCollector<CacheData> {
  return activityCollector('cache', redactor, (facts) => ({
    ...facts,
    key: facts.key === null ? null : redactor.text(facts.key),
  }))
}
