// Finds what the currency listener noted on a recording.

import type { CurrencyRead } from '../../currency/currency-read.ts'
import type { Recording } from '../../recording/recording.ts'

/** The read, or `undefined` where there was none. Only the currency listener keeps something under its name. */
export function currencyReadOf(recording: Recording): CurrencyRead | undefined {
  return recording.kept('currency') as CurrencyRead | undefined
}
