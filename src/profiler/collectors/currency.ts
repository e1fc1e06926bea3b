// The one currency record that was read while the request was served.

import { currencyReadOf, type CurrencyRead } from '../../plugins/currency/currency-read.ts'
import type { RecordCollector } from '../request-record.ts'

/** Reads what the currency listener kept under `currency`. */
export const currencyCollector: RecordCollector<CurrencyRead> = {
  name: 'currency',
  reads: ['currency'],
  collect: ({ recording }) => currencyReadOf(recording),
}
