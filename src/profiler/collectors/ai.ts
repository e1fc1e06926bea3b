// The calls to language models of the request, masked.

import type { Redactor } from '../../framework/redact/redactor.ts'
import type { Activities } from '../activities/activity.ts'
import type { AiFacts } from '../activities/ai-facts.ts'
import { activityCollector } from '../activities/collector.ts'
import type { BuiltInCollector } from '../request-record.ts'

export function aiCollector(redactor: Redactor): BuiltInCollector<Activities<AiFacts>> {
  const masked = (text: string | null): string | null =>
    text === null ? null : redactor.text(text, text.length + 1000)
  return activityCollector('ai', redactor, (call) => ({
    ...call,
    provider: redactor.text(call.provider),
    model: redactor.text(call.model),
    prompt: masked(call.prompt),
    answer: masked(call.answer),
  }))
}
