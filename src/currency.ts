// The public entry `fanlight/currency`: the collection, exact money, codes and rates.

export { activeCurrency, type ActiveCurrency } from './plugins/currency/currency-read.ts'
export { currency, type CurrencyOptions, CurrencyPlugin } from './plugins/currency/plugin.ts'
export type { CurrencyStore } from './plugins/currency/currency-store.ts'
export {
  baseCurrencyCode,
  currencyCodePattern,
  currencyCollection,
  type Currency,
} from './plugins/currency/currency.ts'
export { activeCodes, currencySign, currencyTitle, specialCodes } from './plugins/currency/iso-4217.ts'
export { convert, exchange, MoneyError, MoneyFormatter } from './plugins/currency/money.ts'
export { hasSampleRate, sampleCurrencies, seedCurrencies } from './plugins/currency/seed-currencies.ts'
