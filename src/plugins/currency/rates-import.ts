// Puts the rates of a daily file into the collection: all of them in one transaction, or none.

import type { Currency } from './currency.ts'
import { parseEcbRates } from './ecb-rates.ts'
import { RatesFileError } from './rates-file-error.ts'
import type { CurrencyStore } from './currency-store.ts'

export interface RatesImport {
  /** Day of the rates: `2026-11-20`. */
  readonly date: string
  /** Codes whose rate was written, in the order of the file. */
  readonly codes: readonly string[]
  /** Active records that are not in the file; they keep their rates. */
  readonly untouchedCodes: readonly string[]
}

interface RatesImportOptions {
  readonly store: CurrencyStore
  readonly xml: string
  /** Wall clock, milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number
}

/**
 * Imports a daily file of the European Central Bank. Throws a RatesFileError that names line and value for a file that
 * cannot be used or that has a rate for a code without a record; then nothing was changed. Rejects with what the store
 * rejects with. `rate_at` becomes midnight UTC of the day of the file.
 */
export async function importRates(options: RatesImportOptions): Promise<RatesImport> {
  const { date, rates } = parseEcbRates(options.xml)
  const kept = new Map((await options.store.list()).map((currency) => [currency.code, currency]))
  const updatedAt = new Date((options.now ?? Date.now)()).toISOString()
  const changed = rates.map(({ code, rate, line }): Currency => {
    const currency = kept.get(code)
    if (currency === undefined) throw new RatesFileError(line, `there is no currency "${code}" to set a rate of`)
    return Object.assign({}, currency, { rate, rate_at: `${date}T00:00:00.000Z`, updated_at: updatedAt })
  })
  await options.store.upsert(changed)
  const codes = changed.map((currency) => currency.code)
  return { date, codes, untouchedCodes: untouched(kept.values(), new Set(codes)) }
}

function untouched(currencies: Iterable<Currency>, codes: ReadonlySet<string>): readonly string[] {
  return [...currencies].filter(({ code, is_active }) => is_active && !codes.has(code)).map(({ code }) => code)
}
