// The keys that were translated.

import type { Redactor } from '../../framework/redact/redactor.ts'
import type { Activities } from '../activities/activity.ts'
import { activityCollector } from '../activities/collector.ts'
import type { TranslationFacts } from '../activities/translation-facts.ts'
import type { BuiltInCollector } from '../request-record.ts'

export type TranslationsData = Activities<TranslationFacts>

export function translationsCollector(redactor: Redactor): BuiltInCollector<TranslationsData> {
  return activityCollector('translations', redactor, (facts) => ({ ...facts, key: redactor.text(facts.key) }))
}
