// The calls to language models of the request.

import type { Activities } from '../activities/activity.ts'
import type { AiFacts } from '../activities/ai-facts.ts'
import { activityCollector } from '../activities/collector.ts'
import type { BuiltInCollector } from '../request-record.ts'

export const aiCollector: BuiltInCollector<Activities<AiFacts>> = activityCollector('ai')
