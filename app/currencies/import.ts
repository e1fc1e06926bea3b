// Puts the rates of a daily file into the collection: all of them in one write, or none.

import type { Currency } from './currency.ts'
import { parseEcbRates, RatesFileError } from './ecb-rates.ts'
import type { CurrencyStore } from './store.ts'

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
export async function importRates({ store, xml, now = Date.now }: RatesImportOptions): Promise<RatesImport> {
  const { date, rates } = parseEcbRates(xml)
  const updatedAt = new Date(now()).toISOString()
  let untouchedCodes: readonly string[] = []
  const changed = await store.update((kept) => {
    const inFile = new Set(rates.map(({ code }) => code))
    untouchedCodes = [...kept.values()].flatMap(({ code, is_active }) => (is_active && !inFile.has(code) ? [code] : []))
    return rates.map(({ code, rate, line }): Currency => {
      const currency = kept.get(code)
      if (currency === undefined) throw new RatesFileError(line, `there is no currency "${code}" to set a rate of`)
      return Object.assign({}, currency, { rate, rate_at: `${date}T00:00:00.000Z`, updated_at: updatedAt })
    })
  })
  return { date, codes: changed.map(({ code }) => code), untouchedCodes }
}
