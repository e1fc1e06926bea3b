// Shows the shop's prices in the currency of a request. A price is converted and rounded for one piece, and everything
// after that (lines, totals) is exact, so that what a customer adds up is what is charged.

import { Big } from 'big.js'
import type { Currency } from './currencies/currency.ts'
import { exchange as convertBetween, MoneyFormatter } from './currencies/money.ts'
import type { ActiveCurrency } from './currencies/read.ts'

/** The currency in which the catalogue is kept. */
export const baseCurrency: Pick<Currency, 'code' | 'sign' | 'rate'> = { code: 'EUR', sign: '€', rate: '1' }

const formatter = new MoneyFormatter('en')

/** An amount as the JSON answers give it. */
export interface Amount {
  /** Exact, with as many digits as the currency has: `"73.76"`. */
  readonly amount: string
  readonly currency: string
}

/** Prices in one currency. */
export class Prices {
  readonly #currency: Pick<Currency, 'code' | 'sign' | 'rate'>
  readonly #digits: number
  /** The code that was asked for; differs from `code` when its record could not be used. */
  readonly askedCode: string
  /** One sentence when prices stay in the base currency although another one was asked for; else `null`. */
  readonly notice: string | null

  /** `active` is what the plugin read for this request; without a usable record prices stay in the base currency. */
  constructor(active: ActiveCurrency | undefined) {
    const record = active?.currency
    const isUsable = record !== undefined && record.is_active
    this.#currency = isUsable ? record : baseCurrency
    this.askedCode = active?.code ?? baseCurrency.code
    this.#digits = formatter.fractionDigits(this.#currency.code)
    this.notice =
      isUsable || this.askedCode === baseCurrency.code
        ? null
        : `We have no rate for ${this.askedCode} at the moment, so prices are in ${baseCurrency.code}.`
  }

  /** Code of the currency that is shown. */
  get code(): string {
    return this.#currency.code
  }

  /** What one piece costs, rounded to the smallest coin of the currency. */
  piece(basePrice: string): Amount {
    const amount = convertBetween(basePrice, { from: baseCurrency.rate, to: this.#currency.rate }, this.#digits)
    return this.#amount(new Big(amount))
  }

  /** What several pieces cost. */
  line(basePrice: string, quantity: number): Amount {
    return this.#amount(new Big(this.piece(basePrice).amount).times(quantity))
  }

  /** The sum of amounts of this currency; of none it is zero. */
  sum(amounts: readonly Amount[]): Amount {
    return this.#amount(amounts.reduce((sum, { amount }) => sum.plus(amount), new Big(0)))
  }

  /** For people: `$73.76`. */
  show(amount: Amount): string {
    return formatter.format(amount.amount, this.#currency)
  }

  #amount(value: Big): Amount {
    return { amount: value.toFixed(this.#digits), currency: this.#currency.code }
  }
}
