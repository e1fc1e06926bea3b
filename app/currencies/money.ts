// Exact arithmetic on amounts of money: decimals kept as text go in and come out, and no binary fraction is ever between.

import { Big } from 'big.js'
import type { Currency } from './currency.ts'

/** An exact decimal: `"19.90"`, `"-3"`, `"0.1"`; no exponent, no plus, no bare point. */
const decimalPattern: RegExp = /^-?\d{1,40}(\.\d{1,40})?$/

// A class of our own, so that nobody else's settings of the library reach us. `toString` never uses an exponent.
const Decimal = Big()
Decimal.strict = true
// A quotient is cut, not rounded, far beyond the last digit that anyone can ask for; so rounding it afterwards is exact.
Decimal.DP = 60
Decimal.RM = Decimal.roundDown
Decimal.PE = 1_000_000
Decimal.NE = -1_000_000

/** A text is not a decimal. */
class MoneyError extends Error {
  override readonly name = 'MoneyError'

  get code(): string {
    return 'ERR_MONEY'
  }
}

/**
 * An amount in one currency as an amount in another, by way of the base. Division has no last digit: the result is rounded
 * to `fractionDigits` (0–40), half away from zero. Throws a MoneyError for what is not a decimal and for a rate of zero.
 */
export function exchange(amount: string, rates: { from: string; to: string }, fractionDigits: number): string {
  const from = read('rate', rates.from)
  if (from.eq('0')) throw new MoneyError('The rate "0" cannot be divided by')
  if (!Number.isInteger(fractionDigits) || fractionDigits < 0 || fractionDigits > 40) {
    throw new MoneyError(`Fraction digits are "${fractionDigits}"; allowed is 0 to 40`)
  }
  return read('amount', amount)
    .times(read('rate', rates.to))
    .div(from)
    .round(fractionDigits, Decimal.roundHalfUp)
    .toString()
}

/** Formats amounts for readers of one language, in any currency. Exact: the text is rounded, not a binary fraction. */
export class MoneyFormatter {
  readonly #locale: string
  readonly #formats = new Map<string, Intl.NumberFormat>()

  /** Throws a RangeError for a locale that is not a language tag. Default `en`. */
  constructor(locale = 'en') {
    this.#locale = Intl.getCanonicalLocales(locale)[0] ?? 'en'
  }

  /**
   * `€1,299.00` for `"1299"` and the euro: digits after the point as the currency has them, half away from zero, with the
   * sign of the record. Throws a MoneyError for what is not a decimal.
   */
  format(amount: string, currency: Pick<Currency, 'code' | 'sign'>): string {
    if (!decimalPattern.test(amount)) throw notDecimal('amount', amount)
    const digits = this.#locale === 'en' ? plainDigits.get(currency.code) : undefined
    if (digits !== undefined) return plainAmount(toFixed(amount, digits), currency.sign)
    const parts = this.#formatOf(currency.code).formatToParts(asNumericText(amount))
    return parts.map((part) => (part.type === 'currency' ? currency.sign : part.value)).join('')
  }

  /** Digits after the point of amounts in a currency: 2 for the euro, 0 for the yen, 3 for the dinar of Kuwait; 2 for unknown codes. */
  fractionDigits(code: string): number {
    return plainDigits.get(code) ?? this.#formatOf(code).resolvedOptions().maximumFractionDigits ?? 2
  }

  #formatOf(code: string): Intl.NumberFormat {
    const known = this.#formats.get(code)
    if (known !== undefined) return known
    // Fewer codes than this are in use; beyond it the cache starts again.
    if (this.#formats.size >= 200) this.#formats.clear()
    const options = { style: 'currency', currency: code, currencyDisplay: 'narrowSymbol' } as const
    const format = new Intl.NumberFormat(this.#locale, options)
    this.#formats.set(code, format)
    return format
  }
}

function read(what: string, text: string): Big {
  if (!decimalPattern.test(text)) throw notDecimal(what, text)
  return new Decimal(text)
}

/** Rounded half away from zero. What rounds to nothing stays negative, as `Intl` has it. */
function toFixed(amount: string, digits: number): string {
  const rounded = new Decimal(amount).abs().round(digits, Decimal.roundHalfUp).toFixed(digits)
  return amount.startsWith('-') ? `-${rounded}` : rounded
}

function notDecimal(what: string, text: string): MoneyError {
  const shown = JSON.stringify(text.slice(0, 60))
  return new MoneyError(`The ${what} ${shown} is not a decimal; allowed is "1234.56", at most 40 digits on either side`)
}

/** `formatToParts` takes text exactly, and its type asks for a literal that no checked string can have. */
function asNumericText(decimal: string): Intl.StringNumericLiteral {
  return decimal as Intl.StringNumericLiteral
}

/**
 * Digits after the point of the currencies that most pages show, written here because `Intl` loads the runtime's data of languages,
 * which takes 20 ms and 7 MB of a start. Their English sign has no letters, so nothing is put between sign and amount.
 */
const plainDigits: ReadonlyMap<string, number> = new Map([
  ['EUR', 2],
  ['USD', 2],
  ['GBP', 2],
  ['JPY', 0],
  ['CNY', 2],
  ['INR', 2],
  ['KRW', 0],
])

/** `-€1,299.00` for `-1299.00`: a decimal that is rounded already. */
function plainAmount(rounded: string, sign: string): string {
  const isNegative = rounded.startsWith('-')
  const [whole = '', fraction] = (isNegative ? rounded.slice(1) : rounded).split('.')
  const grouped = whole.replace(/\B(?=(?:\d{3})+$)/g, ',')
  return `${isNegative ? '-' : ''}${sign}${grouped}${fraction === undefined ? '' : `.${fraction}`}`
}
