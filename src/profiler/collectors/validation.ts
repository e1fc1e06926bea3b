// What validators checked.

import type { Activities } from '../activities/activity.ts'
import { activityCollector } from '../activities/collector.ts'
import type { ValidationFacts } from '../activities/validation-facts.ts'
import type { BuiltInCollector } from '../request-record.ts'

export type ValidationData = Activities<ValidationFacts>

export const validationCollector: BuiltInCollector<ValidationData> = activityCollector('validation')
