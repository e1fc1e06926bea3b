// The public entry `fanlight/currency`: the currency record of a request, its store, and money.

export { activeCurrency, type ActiveCurrency } from './plugins/currency/currency-read.ts'
export type { CurrencyStore } from './plugins/currency/currency-store.ts'
export type { Currency } from './plugins/currency/currency.ts'
export { exchange, MoneyFormatter } from './plugins/currency/money.ts'
export { currency, type CurrencyOptions, type CurrencyPlugin } from './plugins/currency/plugin.ts'
export { hasSampleRate, sampleCurrencies } from './plugins/currency/seed-currencies.ts'
export { checkCurrencies } from './stores/check-records.ts'
