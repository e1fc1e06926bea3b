// Schemas of what happens while a request runs, beyond queries and outgoing requests.

import type { Activities, Happening } from '../../activities/activity.ts'
import type { CacheFacts, TemplateFacts } from '../../activities/kinds.ts'
import type { TranslationFacts } from '../../activities/translation-facts.ts'
import type { ValidationFacts, ValidationFault } from '../../activities/validation-facts.ts'
import { nullableNumber, nullableText } from './profiles.ts'
import { plainValue } from './values.ts'
import { boolean, integer, list, named, nullable, number, object, oneOf, text, type Schema } from './schema.ts'

/** The members that all of them have. */
export const happening: { readonly [Name in keyof Happening]: Schema<Happening[Name]> } = {
  startMs: number(),
  durationMs: nullableNumber,
  error: nullableText,
  callSite: nullableText,
}

/** The schema of one kind. */
export function activities<Facts>(
  name: string,
  description: string,
  entry: Schema<Facts & Happening>,
): Schema<Activities<Facts>> {
  return named(name, description, object<Activities<Facts>>({ entries: list(entry), dropped: integer() }))
}

export const cache: Schema<Activities<CacheFacts>> = activities(
  'CacheData',
  'Reads and writes of caches, in the order they began. Times are milliseconds since the request began; null: unknown.',
  object<CacheFacts & Happening>({
    ...happening,
    library: nullableText,
    cache: nullableText,
    operation: text(),
    key: nullableText,
    outcome: nullable(oneOf('hit', 'miss', 'stale')),
  }),
)

export const templates: Schema<Activities<TemplateFacts>> = activities(
  'TemplatesData',
  'Templates that were rendered, in the order they began: those inside of others came from them.',
  object<TemplateFacts & Happening>({ ...happening, engine: text(), name: nullableText, text: nullableText }),
)

export const validation: Schema<Activities<ValidationFacts>> = activities(
  'ValidationData',
  'Values that validators checked, in the order they began. `faults` has the first ones, `faultCount` counts all.',
  object<ValidationFacts & Happening>({
    ...happening,
    library: text(),
    part: nullableText,
    hasValues: boolean(),
    input: plainValue,
    faults: list(object<ValidationFault>({ path: text(), message: text(), received: nullableText })),
    faultCount: integer(),
  }),
)

export const translations: Schema<Activities<TranslationFacts>> = activities(
  'TranslationsData',
  'Keys that were translated, each once, in the order they were first asked for.',
  object<TranslationFacts & Happening>({
    ...happening,
    library: text(),
    key: text(),
    namespace: nullableText,
    language: nullableText,
    usedLanguage: nullableText,
    outcome: oneOf('found', 'fallback', 'missing'),
  }),
)
