// The public entry `fanlight/currency`: the collection, exact money, codes and rates.

export { activeCurrency, type ActiveCurrency } from './currency/currency-read.ts'
export type { CurrencyStore } from './currency/currency-store.ts'
export { baseCurrencyCode, currencyCodePattern, currencyCollection, type Currency } from './currency/currency.ts'
export { activeCodes, currencySign, currencyTitle, specialCodes } from './currency/iso-4217.ts'
export { convert, exchange, MoneyError, MoneyFormatter } from './currency/money.ts'
export { hasSampleRate, sampleCurrencies, seedCurrencies } from './currency/seed-currencies.ts'
