// What this folder needs of a redactor. The redactor itself lives in its own folder and fits by shape.

import type { PlainValue } from '../framework/redact/plain-value.ts'

/** Masks secrets by key, by place and by look. Never throws. */
export interface ErrorRedactor {
  /** Request headers, flat, into pairs with masked values. */
  headers(raw: readonly string[]): readonly (readonly [string, string])[]
  /** A URL with userinfo, fragment and secret query values masked. */
  url(url: string): string
  /** Query parameters into pairs with masked values. */
  query(raw: string): readonly (readonly [string, string])[]
  /** Free text with tokens and keys masked that show by their look. */
  text(text: string, maxLength?: number): string
  /** Plain, bounded data with secret keys masked. */
  value(value: unknown): PlainValue
}
