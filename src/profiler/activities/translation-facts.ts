// What is known of a translation.

/** A key that was translated; each is kept once. */
export interface TranslationFacts {
  /** `i18next` */
  readonly library: string
  readonly key: string
  /** Where the text was found, or looked for; `null` if unknown. */
  readonly namespace: string | null
  /** That was asked for; `null` before one is chosen. */
  readonly language: string | null
  /** That of the text; `null` if there is none. */
  readonly usedLanguage: string | null
  /** `fallback`: the text is in another language. */
  readonly outcome: 'found' | 'fallback' | 'missing'
}
