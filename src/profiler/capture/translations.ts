// How `i18next` reports what it translates.

import { currentExchange } from '../../framework/kernel/current-exchange.ts'
import { beginActivity } from '../activities/begin-activity.ts'
import type { TranslationFacts } from '../activities/translation-facts.ts'
import { deepStackFrames } from './begin-query.ts'
import { openRecording } from './owner.ts'
import { noteFailure } from './sources/tracing-source.ts'

/** The part of a translator of `i18next` that is asked. */
interface Translator {
  readonly language?: unknown
  resolve(keys: unknown, options: object): unknown
  isValidLookup?(text: unknown): boolean
}

/** Key on the recording: the keys that were noted. */
const seenName = 'translations'
const maxKeyLength = 200
/** A language that shows keys instead of texts. */
const keysOnly = 'cimode'

/** Notes what a translator is asked for, in the request that is running. Never throws. */
export function noteTranslation(translator: unknown, [keys, options]: readonly unknown[]): void {
  const recording = openRecording(currentExchange())
  if (recording === undefined || !isTranslator(translator)) return
  try {
    const facts = factsOf(translator, keys, typeof options === 'object' && options !== null ? options : {})
    if (facts === undefined) return
    const seen = recording.keptOr(seenName, () => new Set<string>())
    const place = JSON.stringify(facts)
    if (seen.has(place)) return
    seen.add(place)
    beginActivity('translations', () => ({ facts, site: deepStackFrames }))
  } catch (thrown) {
    noteFailure('translations', thrown)
  }
}

function isTranslator(value: unknown): value is Translator {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, 'resolve') === 'function'
}

function factsOf(translator: Translator, keys: unknown, options: object): TranslationFacts | undefined {
  // A function selects the key; what it selects is asked for with a text.
  const given: readonly unknown[] = Array.isArray(keys) ? keys : [keys]
  const list = given.flatMap((key) => (typeof key === 'string' || typeof key === 'number' ? [String(key)] : []))
  const key = list.at(-1)
  const { lng, ns } = options as { readonly lng?: unknown; readonly ns?: unknown }
  const language = textOf(lng ?? translator.language)
  if (key === undefined || language?.toLowerCase() === keysOnly) return undefined
  const resolved = Object(translator.resolve(list, { ...options })) as Readonly<Record<string, unknown>>
  const { res: text, usedLng, usedNS, usedKey } = resolved
  const isFound = translator.isValidLookup?.(text) ?? text !== undefined
  const usedLanguage = isFound ? textOf(usedLng) : null
  return {
    library: 'i18next',
    key: (textOf(usedKey) ?? key).slice(0, maxKeyLength),
    namespace: textOf(usedNS) ?? textOf(Array.isArray(ns) ? ns[0] : ns),
    language,
    usedLanguage,
    outcome: !isFound ? 'missing' : isSameLanguage(language, usedLanguage) ? 'found' : 'fallback',
  }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value.slice(0, maxKeyLength) : null
}

/** `de` is the language of `de-AT`. */
function isSameLanguage(asked: string | null, used: string | null): boolean {
  return asked === null || used === null || asked === used || asked.startsWith(`${used}-`)
}
