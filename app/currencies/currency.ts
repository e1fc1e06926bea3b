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

/** Form of a rate: an exact decimal without sign or exponent, at most 40 digits on either side of the point. */
export const ratePattern: RegExp = /^\d{1,40}(\.\d{1,40})?$/

const textFields = ['title', 'sign', 'created_at', 'updated_at', 'rate_at'] as const
const flagFields = ['is_active', 'is_default'] as const

/** What is wrong with a record, in one phrase that names the field, or `undefined` for a usable one. Never throws. */
export function currencyProblem(given: unknown): string | undefined {
  try {
    if (typeof given !== 'object' || given === null || Array.isArray(given)) return 'the record is not an object'
    const record = given as Partial<Record<keyof Currency, unknown>>
    if (typeof record.code !== 'string' || !currencyCodePattern.test(record.code)) {
      return 'code is not three upper-case letters'
    }
    if (!isRate(record.rate)) return 'rate is not a positive decimal kept as text'
    for (const field of textFields) if (typeof record[field] !== 'string') return `${field} is not text`
    for (const field of flagFields) if (typeof record[field] !== 'boolean') return `${field} is neither true nor false`
    return undefined
  } catch {
    return 'the record cannot be read'
  }
}

/** Whether a value is a rate that can be kept: text of `ratePattern`, above zero. */
export function isRate(value: unknown): boolean {
  return typeof value === 'string' && ratePattern.test(value) && /[1-9]/.test(value)
}
