// The schema of recorded calls to language models.

import type { Activities, Happening } from '../../activities/activity.ts'
import type { AiFacts } from '../../activities/ai-facts.ts'
import { activities, happening } from './activities.ts'
import { nullableNumber, nullableText, sentences } from './profiles.ts'
import { boolean, integer, nullable, object, text, type Schema } from './schema.ts'

export const ai: Schema<Activities<AiFacts>> = activities(
  'AiData',
  'Calls to language models, and the tools that they asked for, in the order they began. Times are milliseconds; null: unknown.',
  object<AiFacts & Happening>({
    ...happening,
    library: text(),
    operation: text(),
    provider: text(),
    model: text(),
    responseModel: nullableText,
    isStreamed: boolean(),
    firstOutputMs: nullableNumber,
    inputTokens: nullable(integer()),
    cachedTokens: nullable(integer()),
    outputTokens: nullable(integer()),
    finishReason: nullableText,
    toolCalls: sentences,
    cost: nullableNumber,
    currency: nullableText,
    prompt: nullableText,
    answer: nullableText,
  }),
)
