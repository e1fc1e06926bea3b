// Remembers the currency that a customer chose by `?currency=`, so that the next page shows it too.

import { type Exchange, type Listener } from '../../src/index.ts'
import { keptForAYear } from '../basket.ts'
import { activeCurrency } from '../currencies/read.ts'

/** Sets the cookie `currency` when the address names a currency that the shop has; takes part in every answer. */
export const rememberCurrency: Listener = {
  name: 'remember currency',

  onResponse(exchange: Exchange): void {
    if (!exchange.request.rawQuery.includes('currency=')) return
    const currency = exchange.get(activeCurrency)?.currency
    const asked = new URLSearchParams(exchange.request.rawQuery).get('currency')
    if (currency === undefined || !currency.is_active || currency.code !== asked) return
    exchange.cookies.set('currency', currency.code, keptForAYear)
  },
}
