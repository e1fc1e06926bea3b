// Judges whether something is a currency record. Stores are read and files are imported through this one gate.

import { currencyCodePattern, type Currency } from './currency.ts'

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
