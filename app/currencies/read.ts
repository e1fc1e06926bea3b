// What is noted about the one read of a currency record that every page makes (SPEC 7.3), and where it is kept.

import { exchangeKey, type ExchangeKey } from '../../src/index.ts'
import type { Currency } from './currency.ts'

/** Who named the code: the query, a cookie, or the setting. */
export type CodeSource = 'query' | 'cookie' | 'default'

/** How a read ended. */
export type CurrencyOutcome = 'hit' | 'miss' | 'timeout' | 'error'

/** Facts of the read, plain JSON. */
export interface CurrencyRead {
  /** Name of the store: `sqlite:var/fanlight.db`. */
  readonly store: string
  readonly collection: string
  readonly filter: { readonly code: string }
  readonly source: CodeSource
  readonly outcome: CurrencyOutcome
  readonly durationMs: number
  /** Whether the record was known already, and nothing was asked. */
  readonly cached: boolean
  /** What went wrong, for `timeout` and `error`, and why a known record may be an old one; else `null`. */
  readonly error: string | null
  /** The record; `null` if there is none, or the store did not respond in time. */
  readonly currency: Currency | null
}

/** The read of a recorded request, or `undefined`. Only the currency listener keeps something under its name. */
export function currencyReadOf(recording: { kept(name: string): unknown } | undefined): CurrencyRead | undefined {
  return recording?.kept('currency') as CurrencyRead | undefined
}

/** The active currency of a request: its code, and its record where one was found in time. */
export interface ActiveCurrency {
  /** The code that the request asked for, or the default. */
  readonly code: string
  /** Its record; `undefined` if there is none, or the store did not respond in time. */
  readonly currency: Currency | undefined
}

/** Where handlers find it: `exchange.get(activeCurrency)`. */
export const activeCurrency: ExchangeKey<ActiveCurrency> = exchangeKey<ActiveCurrency>('active currency')
