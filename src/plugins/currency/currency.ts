// One record of the collection `currencies`.

/** A currency as it is kept (SPEC 7.2). Timestamps are UTC instants in ISO 8601: `2026-11-21T10:00:00.000Z`. */
export interface Currency {
  /** Three upper-case letters of ISO 4217: `EUR`. */
  readonly code: string
  /** `Euro`. */
  readonly title: string
  /** Units of this currency for one unit of the base currency, an exact decimal: `"1.0842"`. */
  readonly rate: string
  /** The sign before or after an amount: `€`. */
  readonly sign: string
  /** Whether visitors may choose it. */
  readonly is_active: boolean
  /** One record has it at most. */
  readonly is_default: boolean
  /** Instant of ISO 8601 in UTC, with milliseconds. */
  readonly created_at: string
  /** Instant of the last change, in the same form. */
  readonly updated_at: string
  /** When the rate was true. */
  readonly rate_at: string
}

export const currencyCollection = 'currencies'

export const currencyCodePattern: RegExp = /^[A-Z]{3}$/

/** What rates are counted against: one euro is `rate` units of a currency. Its own rate is always 1. */
export const baseCurrencyCode = 'EUR'
