// The reads and writes of caches.

import type { Activities } from '../activities/activity.ts'
import { activityCollector } from '../activities/collector.ts'
import type { CacheFacts } from '../activities/kinds.ts'
import type { BuiltInCollector } from '../request-record.ts'

/** Name of collector and panel. */
export type CacheData = Activities<CacheFacts>

export const cacheCollector: BuiltInCollector<CacheData> = activityCollector('cache')
