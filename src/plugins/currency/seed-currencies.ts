// Fills an empty collection with every active currency at its sample rate, so that a fresh application has prices to show.

import { activeCodes, currencySign, currencyTitle, specialCodes } from './iso-4217.ts'
import { sampleRates, sampleRatesAt } from './sample-rates.ts'
import type { CurrencyStore } from './currency-store.ts'
import { baseCurrencyCode, type Currency } from './currency.ts'

/**
 * One record for every active code. The same on every call, times included: two processes that fill one store write the
 * same bytes. Codes that nobody pays with are there but not active; the base currency is the default one.
 */
export function sampleCurrencies(): readonly Currency[] {
  return activeCodes.map((code) => ({
    code,
    title: currencyTitle(code),
    rate: sampleRates.get(code) ?? '1',
    sign: currencySign(code),
    is_active: !specialCodes.has(code),
    is_default: code === baseCurrencyCode,
    created_at: sampleRatesAt,
    updated_at: sampleRatesAt,
    rate_at: sampleRatesAt,
  }))
}

/** Whether a record still has its sample rate; pages and tables say so. */
export function hasSampleRate(currency: Pick<Currency, 'code' | 'rate' | 'rate_at'>): boolean {
  return currency.rate_at === sampleRatesAt && currency.rate === sampleRates.get(currency.code)
}

/**
 * Fills the collection if it is empty and says how many records were written: all of them or none. A collection with a
 * single record is left as it is. Rejects with what the store rejects with.
 */
export async function seedCurrencies(store: CurrencyStore): Promise<number> {
  const kept = await store.list()
  if (kept.length > 0) return 0
  const samples = sampleCurrencies()
  await store.upsert(samples)
  return samples.length
}
