// The collection of currencies, as pages and as JSON. A page reads its active record by code, and the plugin does that;
// what these pages show comes from the list, so that there is no second read by code.

import { NotFoundHttpError, type Exchange, type Reply } from '../../src/index.ts'
import { products } from '../catalogue.ts'
import { listCollection } from '../collection.ts'
import type { Currency } from '../currencies/currency.ts'
import { shopJson, shopPage, type Shop } from '../shop.ts'
import { currencyListView } from '../views/currency-list.ts'
import { currencyView } from '../views/currency.ts'

/** Parameters of a route to one currency. */
export interface CurrencyParams {
  /** Three upper-case letters, which the route requires. */
  readonly code: string
}

/** GET /currencies */
export async function listCurrencies(exchange: Exchange, shop: Shop): Promise<Reply> {
  const active = (await listCollection(shop.currencies.store)).filter((currency) => currency.is_active)
  return shopPage(exchange, shop, (frame) => currencyListView(active, frame))
}

/** GET /currencies/{code}; 404 for a code without a record. */
export async function showCurrency(exchange: Exchange<CurrencyParams>, shop: Shop): Promise<Reply> {
  const currency = await requireCurrency(exchange.request.params.code, shop)
  return shopPage(exchange, shop, (frame) => currencyView(currency, products[0], frame))
}

/** GET /api/currencies: every record, those that nobody pays with too. */
export async function listCurrenciesJson(_exchange: Exchange, shop: Shop): Promise<Reply> {
  return shopJson({ currencies: await listCollection(shop.currencies.store) })
}

/** GET /api/currencies/{code}; 404 for a code without a record. */
export async function showCurrencyJson(exchange: Exchange<CurrencyParams>, shop: Shop): Promise<Reply> {
  return shopJson(await requireCurrency(exchange.request.params.code, shop))
}

async function requireCurrency(code: string, shop: Shop): Promise<Currency> {
  const currency = (await listCollection(shop.currencies.store)).find((candidate) => candidate.code === code)
  if (currency === undefined) throw new NotFoundHttpError(`No currency found for "${code}"`)
  return currency
}
