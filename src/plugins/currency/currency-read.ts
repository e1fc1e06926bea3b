// What is noted about the one read of a currency record that every page makes (SPEC 7.3), and where it is kept.

import { exchangeKey, type ExchangeKey } from '../../framework/kernel/exchange.ts'
import type { Currency } from './currency.ts'

/** Who named the code: the query, a cookie, or the runtime context. */
export type CodeSource = 'query' | 'cookie' | 'default'

/** How a read ended. */
export type CurrencyOutcome = 'hit' | 'miss' | 'timeout' | 'error'

/** Facts of the read, plain JSON. */
export interface CurrencyRead {
  /** Name of the store: `sqlite:var/fanlight.db`. */
  readonly store: string
  /** `currencies`. */
  readonly collection: string
  readonly filter: { readonly code: string }
  readonly source: CodeSource
  readonly outcome: CurrencyOutcome
  readonly durationMs: number
  /** Whether the store answered from its memory; what it remembers is at most a second old. */
  readonly cached: boolean
  /** What went wrong, for `timeout` and `error`; else `null`. */
  readonly error: string | null
  /** The record for a `hit`, else `null`. */
  readonly currency: Currency | null
}

/** The same as it is kept on the recording, under `currency`: what nearly all requests have in common is one object for them all. */
export interface KeptCurrencyRead {
  /** The duration, in milliseconds. */
  readonly figures: readonly [durationMs: number]
  readonly more: Omit<CurrencyRead, 'durationMs'>
}

/** What the currency listener kept on a recording, or `undefined`. Nobody else keeps something under its name. */
export function keptCurrencyRead(recording: KeptByName | undefined): KeptCurrencyRead | undefined {
  return recording?.kept('currency') as KeptCurrencyRead | undefined
}

/** The read of a recorded request, or `undefined`. */
export function currencyReadOf(recording: KeptByName | undefined): CurrencyRead | undefined {
  const kept = keptCurrencyRead(recording)
  if (kept === undefined) return undefined
  const { store, collection, filter, source, outcome, ...rest } = kept.more
  return { store, collection, filter, source, outcome, durationMs: kept.figures[0], ...rest }
}

interface KeptByName {
  kept(name: string): unknown
}

/** The active currency of a request: its code, and its record where one was found in time. */
export interface ActiveCurrency {
  readonly code: string
  readonly currency: Currency | undefined
}

/** Where handlers find it: `exchange.get(activeCurrency)`. */
export const activeCurrency: ExchangeKey<ActiveCurrency> = exchangeKey<ActiveCurrency>('active currency')
