// Holds currency records to their form (SPEC 7.2) before an engine writes them.

import { currencyCodePattern } from '../plugins/currency/currency.ts'
import type { Currency } from '../plugins/currency/currency.ts'
import { EngineError } from './engine-error.ts'

const texts = ['title', 'rate', 'sign', 'created_at', 'updated_at', 'rate_at'] as const
const flags = ['is_active', 'is_default'] as const
const decimal = /^-?\d{1,40}(\.\d{1,40})?$/

/** Throws `EngineError` (`ERR_STORE_RECORD`) naming store, record and field of the first record that cannot be kept. */
export function checkCurrencies(store: string, currencies: readonly Currency[]): void {
  for (const [index, currency] of currencies.entries()) {
    const refuse = (field: string, allowed: string): never => {
      const place = `Currency ${index + 1} of ${currencies.length} for ${store}`
      throw new EngineError('ERR_STORE_RECORD', `${place} has a "${field}" that cannot be kept; allowed is ${allowed}.`)
    }
    if (!currencyCodePattern.test(currency.code)) refuse('code', 'three upper-case letters')
    for (const field of texts) if (typeof currency[field] !== 'string') refuse(field, 'a string')
    for (const field of flags) if (typeof currency[field] !== 'boolean') refuse(field, 'true or false')
    if (!decimal.test(currency.rate)) refuse('rate', 'an exact decimal as a string, "1.0842"')
  }
}
